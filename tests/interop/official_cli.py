"""The official command line, crate a2a-cli, against an agent, on one binding.

    official_cli.py A2ACLI BINDING REVIEWER PUPPET

Prints `ok NAME` or `FAIL NAME: why` for each case, as py/client.py does. What it has in common with
our command line is in commands.py.
"""

import json
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

from commands import (
    FINDINGS,
    PARTS,
    TEXTS,
    Commands,
    equal,
    finished,
    flags,
    shape,
    status,
    task_of,
    text,
    ticks,
)
from receiver import Receiver, check_ticks

# What a card for both versions of the protocol has beside what the schema of 1.0 knows.
OF_0_3 = "'additionalInterfaces', 'preferredTransport', 'protocolVersion', 'url'"


class OfficialCommands(Commands):
    """The official command line, calling one agent on one binding."""

    def __init__(self, a2acli, folder, url, binding):
        # A reference with a path is to it the URL of the card.
        card = f"{url.rstrip('/')}/.well-known/agent-card.json"
        super().__init__(a2acli, folder, card, binding)

    def failed(self, *args):
        """The error of a call that it or the agent refuses: on the last line of stderr."""
        done = self.run(*args)
        equal((done.returncode, done.stdout), (1, ""))
        return json.loads(done.stderr.splitlines()[-1])["error"]

    def refused(self, *args):
        return self.failed(*args)["code"]

    def task(self, *args):
        """The task that a message is answered with."""
        return self.call("send", *args)["task"]

    def start(self, text):
        return self.task("--async", "--return-immediately", text)


def card_is_understood(reviewer, puppet):
    card = reviewer.call("card", "get")
    equal(card["name"], TEXTS["name"])
    equal([skill["id"] for skill in card["skills"]], ["risk-review"])


def card_is_valid(reviewer, puppet):
    """By the official JSON schema of 1.0, which knows nothing of the members of 0.3."""
    for agent in (reviewer, puppet):
        if agent.run("card", "get", "--validate").returncode != 0:
            why = f"Additional properties are not allowed ({OF_0_3} were unexpected)"
            details = agent.failed("card", "get", "--validate")["details"]
            equal(details, [{"path": "", "message": why}])


def binding_is_used(reviewer, puppet):
    wire = reviewer.run("send", "--debug", TEXTS["vague"]).stderr
    equal("/message:send" in wire, "rest" in reviewer.options)
    equal('"method":"SendMessage"' in wire, "jsonrpc" in reviewer.options)


def conversation(reviewer, puppet):
    asked = reviewer.task(TEXTS["vague"])
    equal(status(asked), ("INPUT_REQUIRED", TEXTS["question"]))
    done = reviewer.task("--task-id", asked["id"], TEXTS["answer"])
    equal((done["id"], done["contextId"]), (asked["id"], asked["contextId"]))
    finished(done)


def conversation_streaming(reviewer, puppet):
    events = reviewer.stream("send", "--stream", TEXTS["vague"])
    task = events[0]["task"]
    equal(shape(events), ["task", "INPUT_REQUIRED"])
    equal(status(events[1]["statusUpdate"]), ("INPUT_REQUIRED", TEXTS["question"]))
    events = reviewer.stream("send", "--stream", "--task-id", task["id"], TEXTS["answer"])
    # A stream that goes on with a task may begin with it.
    updates = [event for event in events if "task" not in event]
    equal(shape(updates), ["WORKING", TEXTS["artifact"], "COMPLETED"])
    equal(text(updates[1]["artifactUpdate"]["artifact"]), FINDINGS)
    finished(reviewer.call("task", "get", task["id"]))


def direct_message(reviewer, puppet):
    equal(text(puppet.call("send", "msg well met")["message"]), "well met")
    [event] = puppet.stream("send", "--stream", "msg well met")
    equal(text(event["message"]), "well met")


def files_and_data(reviewer, puppet):
    """What it sends is right; data that is null it prints as an empty text."""
    printed = [{"text": ""} if part == {"data": None} else part for part in PARTS]
    options = [flag for part in PARTS for flag in flags(puppet.folder, part)]
    task = puppet.task("--text-part", "parts", *options)
    equal(task["artifacts"][0]["parts"], printed)
    equal(task["history"][0]["parts"][1:], printed)


def get_and_list(reviewer, puppet):
    task = reviewer.task(TEXTS["vague"])
    context = ["--context-id", task["contextId"]]
    equal(reviewer.call("task", "get", "--history-length", "0", task["id"]).get("history", []), [])
    # In the same context, another task.
    done = reviewer.task(*context, TEXTS["answer"])
    listed = reviewer.call("task", "list", *context, "--include-artifacts")
    equal(listed["totalSize"], 2)
    equal({each["id"] for each in listed["tasks"]}, {task["id"], done["id"]})
    listed = reviewer.call("task", "list", *context, "--status", "completed", "--include-artifacts")
    equal([text(each["artifacts"][0]) for each in listed["tasks"]], [FINDINGS])
    page = reviewer.call("task", "list", *context, "--page-size", "1")
    token = page["nextPageToken"]
    rest = reviewer.call("task", "list", *context, "--page-size", "1", "--page-token", token)
    equal({each["id"] for each in page["tasks"] + rest["tasks"]}, {task["id"], done["id"]})


def return_immediately_then_wait(reviewer, puppet):
    task = puppet.start("ticks 4")
    equal(status(task)[0] in ("SUBMITTED", "WORKING"), True)
    done = puppet.call("task", "get", "--wait", "--poll-interval", "100ms", task["id"])
    equal(status(done)[0], "COMPLETED")


def subscribe(reviewer, puppet):
    task = puppet.start("ticks 8")
    events = puppet.stream("task", "subscribe", task["id"])
    equal(shape(events)[0], "task")
    equal(shape(events)[-1], "COMPLETED")
    equal(ticks(events), [f"{number}/8" for number in range(1, 9)])


def cancel_a_waiting_task(reviewer, puppet):
    task = reviewer.task(TEXTS["vague"])
    equal(status(reviewer.call("task", "cancel", task["id"]))[0], "CANCELED")
    equal(status(reviewer.call("task", "get", task["id"]))[0], "CANCELED")


def cancel_a_running_task(reviewer, puppet):
    task = puppet.start("ticks 100")
    equal(status(puppet.call("task", "cancel", task["id"]))[0], "CANCELED")
    equal(status(puppet.call("task", "get", task["id"]))[0], "CANCELED")


def push_configs(reviewer, puppet):
    task = puppet.task("ask")["id"]
    url = "http://127.0.0.1:9/hook"
    kept = register(puppet, task, url, "--config-id", "mine")
    found = puppet.call("task", "push-config", "get", task, "mine")
    for config in (kept, found):
        known = [config[name] for name in ("taskId", "id", "url")]
        equal([*known, config["authentication"]["scheme"]], [task, "mine", url, "Bearer"])
    equal(webhooks(puppet, task), ["mine"])
    puppet.text("task", "push-config", "delete", task, "mine")
    equal(webhooks(puppet, task), [])


def push_of_a_waiting_task(reviewer, puppet):
    with Receiver() as receiver:
        task = puppet.task("ask")["id"]
        register(puppet, task, receiver.url)
        puppet.task("--task-id", task, "ticks 3")
        check_ticks(receiver.until("COMPLETED"), task, task_of)


def unknown_task(reviewer, puppet):
    unknown = str(uuid.uuid4())
    calls = [
        ("task", "get", unknown),
        ("task", "cancel", unknown),
        ("task", "subscribe", unknown),
        ("send", "--task-id", unknown, "hello"),
        ("send", "--stream", "--task-id", unknown, "hello"),
    ]
    equal([reviewer.refused(*call) for call in calls], ["TASK_NOT_FOUND"] * len(calls))


def finished_task(reviewer, puppet):
    task = reviewer.task(TEXTS["answer"])["id"]
    equal(reviewer.refused("send", "--task-id", task, "more"), "UNSUPPORTED_OPERATION")
    equal(reviewer.refused("send", "--stream", "--task-id", task, "more"), "UNSUPPORTED_OPERATION")
    equal(reviewer.refused("task", "subscribe", task), "UNSUPPORTED_OPERATION")
    equal(reviewer.refused("task", "cancel", task), "TASK_NOT_CANCELABLE")


CASES = {
    "card": card_is_understood,
    "card, by the schema": card_is_valid,
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
    "push, waiting task": push_of_a_waiting_task,
    "errors, unknown task": unknown_task,
    "errors, finished task": finished_task,
}


def register(agent, task, url, *options):
    secrets = ["--token", "a token", "--auth-scheme", "Bearer"]
    secrets += ["--auth-credentials", "a credential"]
    return agent.call("task", "push-config", "create", task, url, *secrets, *options)


def webhooks(agent, task):
    listed = agent.call("task", "push-config", "list", task)
    return [config["id"] for config in listed.get("configs", [])]


def main():
    a2acli, binding, *urls = sys.argv[1:]
    a2acli = Path(a2acli)
    with tempfile.TemporaryDirectory() as folder:
        agents = [OfficialCommands(a2acli, Path(folder), url, binding) for url in urls]
        for name, case in CASES.items():
            try:
                case(*agents)
            except (AssertionError, LookupError, ValueError, subprocess.TimeoutExpired) as error:
                why = " ".join(f"{type(error).__name__}: {error}".split())
                print(f"FAIL {name}: {why}", flush=True)
            else:
                print(f"ok {name}", flush=True)


if __name__ == "__main__":
    main()
