"""What our command line is put through against an agent, on one binding.

The agent is the contract reviewer that also knows the words `ticks`, `msg` and `parts`, as
py/server.py and js/server.mjs do. The cases are those of py/client.py and js/client.mjs. What there
is no command for is asked by the program `ask` of tests/conformance, which has the same client.
"""

import base64
import json
import os
import re
import subprocess
import uuid
from pathlib import Path

from receiver import Receiver, check_ticks

SUITE = Path(__file__).parent
TEXTS = json.loads((SUITE / "reviewer.json").read_text())
PARTS = json.loads((SUITE / "parts.json").read_text())["1.0"]
FINDINGS = "\n".join(TEXTS["findings"])
BINDINGS = {"JSONRPC": "jsonrpc", "HTTP+JSON": "rest", "GRPC": "grpc"}
CALL_SECONDS = 30


def environment():
    """Ours, without settings of the caller's and without proxies."""
    strange = re.compile(r"(a2acli|sabir)_|.*_proxy$", re.IGNORECASE)
    return {name: value for name, value in os.environ.items() if not strange.match(name)}


class Commands:
    """The command line, calling one agent on one binding."""

    def __init__(self, sabir, folder, url, binding, version="1.0"):
        self.sabir = sabir
        self.folder = folder
        self.agent = [url, BINDINGS[binding], version]
        self.options = ["-a", url, "--transport", BINDINGS[binding], "-o", "json"]
        self.options += ["--a2a-version", version]

    def run(self, *args):
        return self.program(self.sabir, *args, *self.options)

    def program(self, *command):
        env = environment() | {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        return subprocess.run(
            command, capture_output=True, text=True, timeout=CALL_SECONDS, cwd=self.folder, env=env
        )

    def call(self, *args):
        """What a call prints: one JSON document."""
        return json.loads(self.text(*args))

    def ask(self, operation, request):
        """What is answered to a request in the JSON of 1.0, in the same JSON."""
        ask = self.sabir.with_name("ask")
        done = self.program(ask, *self.agent, operation, json.dumps(request))
        if done.returncode != 0:
            raise AssertionError(f"{operation} fails: {done.stderr}")
        return json.loads(done.stdout)

    def stream(self, *args):
        """What a call prints: one JSON document a line."""
        return [json.loads(line) for line in self.text(*args).splitlines()]

    def text(self, *args):
        done = self.run(*args)
        if done.returncode != 0:
            raise AssertionError(f"{args} exits with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def refused(self, *args):
        """The A2A error of a call that the agent refuses."""
        done = self.run(*args)
        equal(done.returncode, 1)
        return json.loads(done.stdout)["error"].get("a2aCode")


def card_is_understood(our, binding):
    card = our.call("card", "get")
    equal(card["name"], TEXTS["name"])
    listed = {each["protocolBinding"] for each in card["supportedInterfaces"]}
    # Not every kit serves gRPC.
    equal(listed | {"GRPC"}, set(BINDINGS))
    equal(binding in listed, True)


def binding_is_used(our, binding):
    wire = our.run("send", "--debug", TEXTS["vague"]).stderr
    equal("/message:send" in wire, binding == "HTTP+JSON")
    equal('"method":"SendMessage"' in wire, binding == "JSONRPC")
    equal("A2AService/SendMessage" in wire, binding == "GRPC")


def conversation(our, binding):
    asked = our.call("send", TEXTS["vague"])
    equal(status(asked), ("INPUT_REQUIRED", TEXTS["question"]))
    # Some agents tell of the history only when they are asked for it.
    done = our.call("send", "--history", "9", "--task-id", asked["id"], TEXTS["answer"])
    equal((done["id"], done["contextId"]), (asked["id"], asked["contextId"]))
    finished(done)


def conversation_streaming(our, binding):
    events = our.stream("send", "--stream", TEXTS["vague"])
    task = events[0]["task"]
    equal(shape(events), ["task", "INPUT_REQUIRED"])
    equal(status(events[1]["statusUpdate"]), ("INPUT_REQUIRED", TEXTS["question"]))
    events = our.stream("send", "--stream", "--task-id", task["id"], TEXTS["answer"])
    # A stream that goes on with a task may begin with it.
    updates = [event for event in events if "task" not in event]
    equal(shape(updates), ["WORKING", TEXTS["artifact"], "COMPLETED"])
    equal(text(updates[1]["artifactUpdate"]["artifact"]), FINDINGS)
    finished(our.call("task", "get", task["id"]))


def direct_message(our, binding):
    equal(text(our.call("send", "msg well met")), "well met")
    [event] = our.stream("send", "--stream", "msg well met")
    equal(text(event["message"]), "well met")


def files_and_data(our, binding, sent=PARTS, returned=PARTS):
    task = our.call("send", "parts", *(flag for part in sent for flag in flags(our.folder, part)))
    equal(task["artifacts"][0]["parts"], returned)


def flags(folder, part):
    """The flags of `send` for a part; the bytes of a file are put into the folder."""
    if "data" in part:
        return ["--data-part", json.dumps(part["data"])]
    if "raw" in part:
        (folder / part["filename"]).write_bytes(base64.b64decode(part["raw"]))
    return ["--file-part", part.get("url") or part["filename"], "--media-type", part["mediaType"]]


def get_and_list(our, binding):
    task = our.call("send", TEXTS["vague"])
    context = task["contextId"]
    equal(our.call("task", "get", "--history", "0", task["id"]).get("history", []), [])
    done = our.call("send", "--context-id", context, TEXTS["answer"])
    listed = our.call("task", "list", "--context", context, "--with-artifacts")
    equal({each["id"] for each in listed["tasks"]}, {task["id"], done["id"]})
    listed = our.call("task", "list", "--context", context, "--status", "input-required")
    equal([each["id"] for each in listed["tasks"]], [task["id"]])
    page = our.call("task", "list", "--context", context, "--limit", "1")
    token = page["nextPageToken"]
    rest = our.call("task", "list", "--context", context, "--limit", "1", "--page-token", token)
    equal({each["id"] for each in page["tasks"] + rest["tasks"]}, {task["id"], done["id"]})


def return_immediately_then_wait(our, binding):
    task = our.call("send", "--async", "ticks 4")
    equal(status(task)[0] in ("SUBMITTED", "WORKING"), True)
    done = our.call("task", "get", "--wait", "--poll-interval", "100ms", task["id"])
    equal(status(done)[0], "COMPLETED")


def subscribe(our, binding):
    task = our.call("send", "--async", "ticks 10")
    events = our.stream("task", "subscribe", "--stream", task["id"])
    equal(shape(events)[0], "task")
    equal(shape(events)[-1], "COMPLETED")
    equal(ticks(events), [f"{number}/10" for number in range(1, 11)])


def cancel_a_waiting_task(our, binding):
    task = our.call("send", TEXTS["vague"])
    equal(status(our.call("task", "cancel", task["id"]))[0], "CANCELED")
    equal(status(our.call("task", "get", task["id"]))[0], "CANCELED")


def cancel_a_running_task(our, binding):
    task = our.call("send", "--async", "ticks 100")
    equal(status(our.call("task", "cancel", task["id"]))[0], "CANCELED")
    equal(status(our.call("task", "get", task["id"]))[0], "CANCELED")


def push_configs(our, binding, deletes=True):
    task = our.call("send", TEXTS["vague"])["id"]
    named = {"taskId": task, "id": "mine"}
    config = named | {"url": "http://127.0.0.1:9/hook", "token": "a token"}
    equal(our.ask("CreateTaskPushNotificationConfig", config)["url"], config["url"])
    equal(our.ask("GetTaskPushNotificationConfig", named)["url"], config["url"])
    if not deletes:
        return

    def listed():
        found = our.ask("ListTaskPushNotificationConfigs", {"taskId": task})
        return [config["id"] for config in found.get("configs", [])]

    equal(listed(), ["mine"])
    our.ask("DeleteTaskPushNotificationConfig", named)
    equal(listed(), [])


TOKEN = {"token": "a token"}, {"x-a2a-notification-token": "a token"}
CREDENTIALS = (
    {"authentication": {"scheme": "Bearer", "credentials": "a credential"}},
    {"authorization": "Bearer a credential"},
)


def push_of_a_new_task(our, binding, proof=CREDENTIALS):
    members, headers = proof
    with Receiver() as receiver:
        parts = [{"text": "ticks 3"}]
        message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": parts}
        webhook = members | {"url": receiver.url}
        # Some kits of 0.3 tell a webhook nothing but the end while the caller waits.
        settings = {"taskPushNotificationConfig": webhook, "returnImmediately": True}
        answer = our.ask("SendMessage", {"message": message, "configuration": settings})
        check_ticks(receiver.until("COMPLETED"), answer["task"]["id"], task_of, headers)


def push_of_a_new_task_in_0_3(our, binding):
    """Kits of 0.3 keep credentials and do not send them."""
    push_of_a_new_task(our, binding, proof=TOKEN)


def push_of_a_waiting_task(our, binding):
    members, headers = TOKEN
    task = our.call("send", TEXTS["vague"])["id"]
    with Receiver() as receiver:
        webhook = members | {"taskId": task, "url": receiver.url}
        our.ask("CreateTaskPushNotificationConfig", webhook)
        our.call("send", "--async", "--task-id", task, "ticks 3")
        check_ticks(receiver.until("COMPLETED"), task, task_of, headers)


def task_of(body):
    """The id of the task that a delivery is about: a StreamResponse, in 0.3 the bare Task."""
    if body.get("kind") == "task":
        return body["id"]
    [(kind, told)] = body.items()
    return told["id" if kind == "task" else "taskId"]


def unknown_task(our, binding):
    unknown = str(uuid.uuid4())
    calls = [
        ("task", "get", unknown),
        ("task", "cancel", unknown),
        ("task", "subscribe", "--stream", unknown),
        ("send", "--task-id", unknown, "hello"),
        ("send", "--stream", "--task-id", unknown, "hello"),
    ]
    equal([our.refused(*call) for call in calls], ["TASK_NOT_FOUND"] * len(calls))


def finished_task(our, binding):
    task = our.call("send", TEXTS["answer"])["id"]
    equal(our.refused("send", "--task-id", task, "more"), "UNSUPPORTED_OPERATION")
    equal(our.refused("send", "--stream", "--task-id", task, "more"), "UNSUPPORTED_OPERATION")
    equal(our.refused("task", "cancel", task), "TASK_NOT_CANCELABLE")


def card_of_0_3_is_understood(our, binding):
    card = our.call("card", "get")
    equal(card["name"], TEXTS["name"])
    # A kit of 1.0 lists its interfaces of 0.3 among those of 1.0.
    listed = {
        each["protocolBinding"]
        for each in card.get("supportedInterfaces", [])
        if each["protocolVersion"].startswith("0.3")
    }
    listed |= {each["transport"] for each in card.get("additionalInterfaces", [])}
    equal(binding in listed | {card.get("preferredTransport")}, True)


def binding_is_used_in_0_3(our, binding):
    wire = our.run("send", "--debug", TEXTS["vague"]).stderr
    equal("/v1/message:send" in wire, binding == "HTTP+JSON")
    equal('"method":"message/send"' in wire, binding == "JSONRPC")
    equal("/a2a.v1.A2AService/SendMessage" in wire, binding == "GRPC")


def conversation_streaming_in_0_3(our, binding):
    events = our.stream("send", "--stream", TEXTS["vague"])
    task = events[0]["task"]
    equal(shape(events), ["task", "INPUT_REQUIRED"])
    events = our.stream("send", "--stream", "--task-id", task["id"], TEXTS["answer"])
    updates = [event for event in events if "task" not in event]
    equal(shape(updates), ["WORKING", TEXTS["artifact"], "COMPLETED"])
    equal(text(updates[1]["artifactUpdate"]["artifact"]), FINDINGS)
    equal(status(our.call("task", "get", task["id"])), ("COMPLETED", TEXTS["completed"]))


def subscribe_in_0_3(our, binding):
    """A stream of 0.3 need not begin with the task; where it loses its end, ours fetches the task."""
    task = our.call("send", "--async", "ticks 10")
    events = our.stream("task", "subscribe", "--stream", task["id"])
    [last] = events[-1].values()
    equal(status(last)[0], "COMPLETED")
    equal("10/10" in json.dumps(events), True)


def finished_task_in_0_3(our, binding):
    """Kits of 0.3 differ in how they refuse a message to a task that has ended."""
    task = our.call("send", TEXTS["answer"])["id"]
    equal(our.refused("send", "--task-id", task, "more") is not None, True)
    equal(our.refused("task", "cancel", task), "TASK_NOT_CANCELABLE")


def unknown_task_in_0_3(our, binding):
    unknown = str(uuid.uuid4())
    calls = [
        ("task", "get", unknown),
        ("task", "cancel", unknown),
        ("send", "--task-id", unknown, "hello"),
    ]
    equal([our.refused(*call) for call in calls], ["TASK_NOT_FOUND"] * len(calls))
    # Of a stream @a2a-js/sdk 0.3.14 says in HTTP+JSON only that it has a bug.
    found = our.refused("task", "subscribe", "--stream", unknown)
    equal(found in ("TASK_NOT_FOUND", "INTERNAL_ERROR"), True)


def list_is_not_in_0_3(our, binding):
    equal(our.refused("task", "list"), "UNSUPPORTED_OPERATION")


CASES = {
    "card": card_is_understood,
    "binding": binding_is_used,
    "conversation": conversation,
    "conversation, streaming": conversation_streaming,
    "direct message": direct_message,
    "files and data": files_and_data,
    "get and list": get_and_list,
    "return immediately, then wait": return_immediately_then_wait,
    "subscribe": subscribe,
    "cancel a waiting task": cancel_a_waiting_task,
    "cancel a running task": cancel_a_running_task,
    "push configs": push_configs,
    "push, new task": push_of_a_new_task,
    "push, waiting task": push_of_a_waiting_task,
    "errors, unknown task": unknown_task,
    "errors, finished task": finished_task,
}


CASES_OF_0_3 = {
    "card": card_of_0_3_is_understood,
    "binding": binding_is_used_in_0_3,
    "conversation, streaming": conversation_streaming_in_0_3,
    "direct message": direct_message,
    "files and data": files_and_data,
    "return immediately, then wait": return_immediately_then_wait,
    "subscribe": subscribe_in_0_3,
    "cancel a waiting task": cancel_a_waiting_task,
    "cancel a running task": cancel_a_running_task,
    "push configs": push_configs,
    "push, new task": push_of_a_new_task_in_0_3,
    "push, waiting task": push_of_a_waiting_task,
    "no list": list_is_not_in_0_3,
    "errors, unknown task": unknown_task_in_0_3,
    "errors, finished task": finished_task_in_0_3,
}


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r}, wanted {wanted!r}")


def text(message):
    return "\n".join(part["text"] for part in message["parts"])


def status(task):
    """The state, and what the agent says to it."""
    message = task["status"].get("message")
    return task["status"]["state"].removeprefix("TASK_STATE_"), message and text(message)


def shape(events):
    """What kinds of events these are: the state of a status, the name of an artifact."""
    shapes = {
        "statusUpdate": lambda update: status(update)[0],
        "artifactUpdate": lambda update: update["artifact"]["name"],
    }
    pairs = [pair for event in events for pair in event.items()]
    return [shapes.get(kind, lambda _, kind=kind: kind)(value) for kind, value in pairs]


def ticks(events):
    """The numbered statuses of a stream, with those that its first event, the task, holds."""
    task = events[0]["task"]
    history, now = task.get("history", []), task["status"].get("message")
    # Some agents put a status into the history at once, others when the next one comes.
    is_new = now and now["messageId"] not in [message["messageId"] for message in history]
    then = [event["statusUpdate"]["status"].get("message") for event in events[1:]]
    messages = [*history, *([now] if is_new else []), *then]
    texts = [text(each) for each in messages if each and each["role"] == "ROLE_AGENT"]
    return [text for text in texts if "/" in text]


def finished(task):
    """The reviewer's task at the end of the conversation."""
    equal(status(task), ("COMPLETED", TEXTS["completed"]))
    found = [(artifact["name"], text(artifact)) for artifact in task["artifacts"]]
    equal(found, [(TEXTS["artifact"], FINDINGS)])
    said = [text(message) for message in task["history"]]
    wanted = [TEXTS["vague"], TEXTS["question"], TEXTS["answer"]]
    equal([text for text in said if text in wanted], wanted)
