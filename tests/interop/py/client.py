"""The client of PyPI's a2a-sdk against an agent, on one binding.

    client.py BINDING REVIEWER PUPPET [0.3]

With 0.3 the kit's module for A2A 0.3 does it, by the interfaces that the cards list for that. BINDING is JSONRPC, HTTP+JSON or GRPC; REVIEWER and PUPPET are the base URLs of the contract reviewer and
of an agent that knows the puppet's words `ticks`, `msg`, `ask` and `parts` (both may be the same agent).
Prints `ok NAME` or `FAIL NAME: why` for each case; js/client.mjs has the same cases.
"""

import asyncio
import json
import sys
import traceback
import uuid
from contextlib import aclosing
from pathlib import Path

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, create_client
from a2a.helpers import get_artifact_text, get_message_text, new_text_message
from a2a.types import (
    AuthenticationInfo,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import (
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from google.protobuf.json_format import ParseDict

SUITE = Path(__file__).parent.parent
sys.path.append(str(SUITE))
from receiver import Receiver, check_ticks  # noqa: E402

TEXTS = json.loads((SUITE / "reviewer.json").read_text())
PARTS = json.loads((SUITE / "parts.json").read_text())["1.0"]
FINDINGS = "\n".join(TEXTS["findings"])
CASE_SECONDS = 30


class Agent:
    """One agent, called on one binding in one version, streaming or not."""

    def __init__(self, binding, url, version):
        self.binding = binding
        self.url = url
        self.version = version
        self.clients = {}

    async def client(self, streaming):
        if streaming not in self.clients:
            config = ClientConfig(
                streaming=streaming,
                supported_protocol_bindings=[self.binding],
                grpc_channel_factory=grpc.aio.insecure_channel,
            )
            card = await self.card()
            offered = [each for each in card.supported_interfaces if self.speaks(each)]
            del card.supported_interfaces[:]
            card.supported_interfaces.extend(offered)
            self.clients[streaming] = await create_client(card, config)
        return self.clients[streaming]

    def speaks(self, interface):
        spoken = interface.protocol_binding, interface.protocol_version
        return spoken == (self.binding, self.version)

    async def card(self):
        async with httpx.AsyncClient() as http:
            return await A2ACardResolver(http, self.url).get_agent_card()

    async def stream(self, text, **ids):
        client = await self.client(True)
        request = SendMessageRequest(message=new_text_message(text, role=Role.ROLE_USER, **ids))
        async for event in client.send_message(request):
            yield event

    async def send(self, text, parts=(), webhook=None, return_immediately=False, **ids):
        client = await self.client(False)
        request = SendMessageRequest(
            message=new_text_message(text, role=Role.ROLE_USER, **ids),
            configuration=SendMessageConfiguration(
                return_immediately=return_immediately, task_push_notification_config=webhook
            ),
        )
        request.message.parts.extend(parts)
        [response] = [response async for response in client.send_message(request)]
        return response

    async def start(self, text):
        return (await self.send(text, return_immediately=True)).task

    async def subscribe(self, task_id):
        async for event in (await self.client(True)).subscribe(SubscribeToTaskRequest(id=task_id)):
            yield event

    async def get(self, task_id, **options):
        return await (await self.client(False)).get_task(GetTaskRequest(id=task_id, **options))

    async def cancel(self, task_id):
        return await (await self.client(False)).cancel_task(CancelTaskRequest(id=task_id))

    async def list(self, **filters):
        return await (await self.client(False)).list_tasks(ListTasksRequest(**filters))

    async def webhooks(self, task_id):
        request = ListTaskPushNotificationConfigsRequest(task_id=task_id)
        found = await (await self.client(False)).list_task_push_notification_configs(request)
        return [config.id for config in found.configs]


async def card_is_understood(reviewer, puppet):
    card = await reviewer.card()
    equal(card.name, TEXTS["name"])
    equal(card.capabilities.streaming, True)
    equal([skill.id for skill in card.skills], ["risk-review"])


async def conversation(reviewer, puppet):
    asked = (await reviewer.send(TEXTS["vague"])).task
    equal(state(asked), "INPUT_REQUIRED")
    equal(get_message_text(asked.status.message), TEXTS["question"])
    done = (await reviewer.send(TEXTS["answer"], task_id=asked.id)).task
    equal((done.id, done.context_id), (asked.id, asked.context_id))
    finished(done)


async def conversation_streaming(reviewer, puppet):
    events = [event async for event in reviewer.stream(TEXTS["vague"])]
    task = events[0].task
    equal(shape(events), ["task", "INPUT_REQUIRED"])
    equal(get_message_text(events[-1].status_update.status.message), TEXTS["question"])
    ids = {"task_id": task.id, "context_id": task.context_id}
    events = [event async for event in reviewer.stream(TEXTS["answer"], **ids)]
    # A stream that goes on with a task may begin with it.
    updates = [event for event in events if not event.HasField("task")]
    equal(shape(updates), ["WORKING", TEXTS["artifact"], "COMPLETED"])
    equal(get_artifact_text(updates[1].artifact_update.artifact), FINDINGS)
    finished(await reviewer.get(task.id))


async def direct_message(reviewer, puppet):
    equal(get_message_text((await puppet.send("msg well met")).message), "well met")
    [event] = [event async for event in puppet.stream("msg well met")]
    equal(get_message_text(event.message), "well met")


async def files_and_data(reviewer, puppet):
    sent = [ParseDict(part, Part()) for part in PARTS]
    task = (await puppet.send("parts", sent)).task
    equal(list(task.artifacts[0].parts), sent)
    equal(list(task.history[0].parts)[1:], sent)


async def get_and_list(reviewer, puppet):
    task = (await reviewer.send(TEXTS["vague"])).task
    equal(len((await reviewer.get(task.id, history_length=0)).history), 0)
    # In the same context, another task.
    done = (await reviewer.send(TEXTS["answer"], context_id=task.context_id)).task
    listed = await reviewer.list(context_id=task.context_id, include_artifacts=True)
    equal(listed.total_size, 2)
    equal({found.id for found in listed.tasks}, {task.id, done.id})
    listed = await reviewer.list(
        context_id=task.context_id, status="TASK_STATE_COMPLETED", include_artifacts=True
    )
    equal([get_artifact_text(found.artifacts[0]) for found in listed.tasks], [FINDINGS])
    page = await reviewer.list(context_id=task.context_id, page_size=1)
    rest = await reviewer.list(
        context_id=task.context_id, page_size=1, page_token=page.next_page_token
    )
    equal({found.id for found in [*page.tasks, *rest.tasks]}, {task.id, done.id})


async def return_immediately_then_poll(reviewer, puppet):
    task = await puppet.start("ticks 2")
    equal(state(task) in ("SUBMITTED", "WORKING"), True)
    while state(task) != "COMPLETED":
        await asyncio.sleep(0.1)
        task = await puppet.get(task.id)


async def resubscribe(reviewer, puppet):
    """Leaves a stream and comes back, while another reader stays: both see every tick."""
    stays = []
    begun = asyncio.Event()

    async def stay():
        async for event in puppet.stream("ticks 8"):
            stays.append(event)
            begun.set()

    staying = asyncio.create_task(stay())
    await begun.wait()
    task_id = stays[0].task.id
    async with aclosing(puppet.subscribe(task_id)) as leaves:
        async for event in leaves:
            if shape([event]) == ["WORKING"]:
                break
    back = [event async for event in puppet.subscribe(task_id)]
    await staying
    every = [f"{number}/8" for number in range(1, 9)]
    equal(ticks(stays), every)
    equal(shape(stays)[-1], "COMPLETED")
    equal(back[0].HasField("task"), True)
    equal(ticks(back), every)
    equal(shape(back)[-1], "COMPLETED")


async def cancel_a_waiting_task(reviewer, puppet):
    task = (await reviewer.send(TEXTS["vague"])).task
    equal(state(await reviewer.cancel(task.id)), "CANCELED")
    equal(state(await reviewer.get(task.id)), "CANCELED")


async def cancel_a_running_task(reviewer, puppet):
    states = []
    async for event in puppet.stream("ticks 100"):
        if event.HasField("task"):
            task_id = event.task.id
        elif event.HasField("status_update"):
            states.append(state(event.status_update))
            if len(states) == 1:
                equal(state(await puppet.cancel(task_id)), "CANCELED")
    equal(states[-1], "CANCELED")
    equal(state(await puppet.get(task_id)), "CANCELED")


async def push_configs(reviewer, puppet):
    client = await puppet.client(False)
    task = (await puppet.send("ask")).task
    wanted = webhook_at("http://127.0.0.1:9/hook", task_id=task.id, id="mine")
    known = webhook(await client.create_task_push_notification_config(wanted))
    equal(known, webhook(wanted))
    named = {"task_id": task.id, "id": "mine"}
    found = await client.get_task_push_notification_config(
        GetTaskPushNotificationConfigRequest(**named)
    )
    equal(webhook(found), webhook(wanted))
    if (puppet.binding, puppet.version) == ("HTTP+JSON", "0.3"):
        # The kit refuses to list and to delete there.
        return
    equal(await puppet.webhooks(task.id), ["mine"])
    await client.delete_task_push_notification_config(
        DeleteTaskPushNotificationConfigRequest(**named)
    )
    equal(await puppet.webhooks(task.id), [])


async def push_of_a_new_task(reviewer, puppet):
    with Receiver() as receiver:
        task = (await puppet.send("ticks 3", webhook=webhook_at(receiver.url))).task
        await delivered(receiver, task.id)


async def push_of_a_waiting_task(reviewer, puppet):
    with Receiver() as receiver:
        task = (await puppet.send("ask")).task
        config = webhook_at(receiver.url, task_id=task.id)
        await (await puppet.client(False)).create_task_push_notification_config(config)
        await puppet.send("ticks 3", task_id=task.id)
        await delivered(receiver, task.id)


async def unknown_task(reviewer, puppet):
    unknown = str(uuid.uuid4())
    await raises(TaskNotFoundError, reviewer.get(unknown))
    await raises(TaskNotFoundError, reviewer.cancel(unknown))
    await raises(TaskNotFoundError, drain(reviewer.subscribe(unknown)))
    await raises(TaskNotFoundError, reviewer.send("hello", task_id=unknown))
    await raises(TaskNotFoundError, drain(reviewer.stream("hello", task_id=unknown)))


async def finished_task(reviewer, puppet):
    task_id = (await reviewer.send(TEXTS["answer"])).task.id
    await raises(UnsupportedOperationError, reviewer.send("more", task_id=task_id))
    await raises(UnsupportedOperationError, drain(reviewer.stream("more", task_id=task_id)))
    await raises(UnsupportedOperationError, drain(reviewer.subscribe(task_id)))
    await raises(TaskNotCancelableError, reviewer.cancel(task_id))


CASES = {
    "card": card_is_understood,
    "conversation": conversation,
    "conversation, streaming": conversation_streaming,
    "direct message": direct_message,
    "files and data": files_and_data,
    "get and list": get_and_list,
    "return immediately, then poll": return_immediately_then_poll,
    "resubscribe": resubscribe,
    "cancel a waiting task": cancel_a_waiting_task,
    "cancel a running task": cancel_a_running_task,
    "push configs": push_configs,
    "push, new task": push_of_a_new_task,
    "push, waiting task": push_of_a_waiting_task,
    "errors, unknown task": unknown_task,
    "errors, finished task": finished_task,
}


async def finished_task_in_0_3(reviewer, puppet):
    task_id = (await reviewer.send(TEXTS["answer"])).task.id
    await raises(UnsupportedOperationError, reviewer.send("more", task_id=task_id))
    await raises(UnsupportedOperationError, drain(reviewer.stream("more", task_id=task_id)))
    equal(shape(await drain(reviewer.subscribe(task_id))), ["task"])
    await raises(TaskNotCancelableError, reviewer.cancel(task_id))


# There is no list of tasks in 0.3.
CASES_OF_0_3 = {name: case for name, case in CASES.items() if name != "get and list"} | {
    "errors, finished task": finished_task_in_0_3,
}


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r}, wanted {wanted!r}")


async def raises(kind, call):
    try:
        found = await call
    except kind:
        return
    raise AssertionError(f"{found!r}, wanted {kind.__name__}")


async def drain(stream):
    return [event async for event in stream]


def state(task):
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_")


def webhook_at(url, **ids):
    authentication = AuthenticationInfo(scheme="Bearer", credentials="a credential")
    return TaskPushNotificationConfig(
        url=url, token="a token", authentication=authentication, **ids
    )


async def delivered(receiver, task_id):
    def task_of(body):
        if body.get("kind") == "task":
            return body["id"]
        event = ParseDict(body, StreamResponse())
        told = getattr(event, event.WhichOneof("payload"))
        return told.id if event.HasField("task") else told.task_id

    deliveries = await asyncio.to_thread(receiver.until, "COMPLETED")
    check_ticks(deliveries, task_id, task_of)


def webhook(config):
    """What an agent tells of a push config; it may keep the credentials to itself."""
    return config.task_id, config.id, config.url, config.authentication.scheme


def shape(events):
    """What kinds of events these are: the state of a status, the name of an artifact."""
    shapes = {
        "status_update": lambda event: state(event.status_update),
        "artifact_update": lambda event: event.artifact_update.artifact.name,
    }
    kinds = [(event.WhichOneof("payload"), event) for event in events]
    return [shapes.get(kind, lambda _, kind=kind: kind)(event) for kind, event in kinds]


def ticks(events):
    """The numbered statuses of a stream, with those that its first event, the task, holds."""
    task = events[0].task
    now = task.status.message
    # Some agents put a status into the history at once, others when the next one comes.
    is_new = now.message_id not in [message.message_id for message in task.history]
    then = [event.status_update.status.message for event in events[1:]]
    messages = [*task.history, *([now] if is_new else []), *then]
    texts = [get_message_text(each) for each in messages if each.role == Role.ROLE_AGENT]
    return [text for text in texts if "/" in text]


def finished(task):
    """The reviewer's task at the end of the conversation."""
    equal(state(task), "COMPLETED")
    equal(get_message_text(task.status.message), TEXTS["completed"])
    found = [(artifact.name, get_artifact_text(artifact)) for artifact in task.artifacts]
    equal(found, [(TEXTS["artifact"], FINDINGS)])
    said = [get_message_text(message) for message in task.history]
    wanted = [TEXTS["vague"], TEXTS["question"], TEXTS["answer"]]
    equal([text for text in said if text in wanted], wanted)


async def main():
    binding, reviewer, puppet, *older = sys.argv[1:]
    [version] = older or ["1.0"]
    agents = Agent(binding, reviewer, version), Agent(binding, puppet, version)
    for name, case in (CASES_OF_0_3 if older else CASES).items():
        try:
            await asyncio.wait_for(case(*agents), CASE_SECONDS)
            print(f"ok {name}", flush=True)
        except Exception as error:
            traceback.print_exc()
            why = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"FAIL {name}: {why}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
