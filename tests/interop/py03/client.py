"""The client of PyPI's a2a-sdk 0.3 against an agent that serves A2A 0.3, on one binding.

    client.py BINDING REVIEWER PUPPET

BINDING is JSONRPC, HTTP+JSON or GRPC; REVIEWER and PUPPET are the base URLs of the contract reviewer
and of an agent that knows the puppet's words `ticks`, `msg`, `ask` and `parts` (both may be the same).
Prints `ok NAME` or `FAIL NAME: why` for each case; py/client.py has those of 1.0.
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
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationAuthenticationInfo,
    PushNotificationConfig,
    Role,
    Task,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
)
from a2a.utils import get_artifact_text, get_message_text

SUITE = Path(__file__).parent.parent
sys.path.append(str(SUITE))
from receiver import Receiver, check_ticks  # noqa: E402

TEXTS = json.loads((SUITE / "reviewer.json").read_text())
PARTS = json.loads((SUITE / "parts.json").read_text())["0.3"]
FINDINGS = "\n".join(TEXTS["findings"])
CASE_SECONDS = 30


class Agent:
    """One agent, called on one binding."""

    def __init__(self, binding, url):
        self.binding = binding
        self.url = url
        self.http = httpx.AsyncClient(timeout=CASE_SECONDS)
        self.clients = {}

    async def client(self, streaming=False, polling=False, webhook=None):
        mode = (streaming, polling, webhook and webhook.url)
        if mode not in self.clients:
            config = ClientConfig(
                streaming=streaming,
                polling=polling,
                push_notification_configs=[webhook] if webhook else [],
                httpx_client=self.http,
                grpc_channel_factory=grpc.aio.insecure_channel,
                supported_transports=[self.binding],
            )
            self.clients[mode] = ClientFactory(config).create(await self.card())
        return self.clients[mode]

    async def card(self):
        return await A2ACardResolver(self.http, self.url).get_agent_card()

    async def stream(self, text, **ids):
        async for event in (await self.client(streaming=True)).send_message(message(text, **ids)):
            yield event

    async def send(self, text, parts=(), webhook=None, polling=False, **ids):
        client = await self.client(webhook=webhook, polling=polling)
        [answer] = [answer async for answer in client.send_message(message(text, parts, **ids))]
        return answer if isinstance(answer, Message) else answer[0]

    async def subscribe(self, task_id):
        client = await self.client(streaming=True)
        async for event in client.resubscribe(TaskIdParams(id=task_id)):
            yield event

    async def get(self, task_id, **options):
        return await (await self.client()).get_task(TaskQueryParams(id=task_id, **options))

    async def cancel(self, task_id):
        return await (await self.client()).cancel_task(TaskIdParams(id=task_id))


def message(text, parts=(), **ids):
    parts = [Part(root=TextPart(text=text)), *parts]
    return Message(role=Role.user, message_id=str(uuid.uuid4()), parts=parts, **ids)


async def card_is_understood(reviewer, puppet):
    card = await reviewer.card()
    equal(card.name, TEXTS["name"])
    equal(card.capabilities.streaming, True)
    spoken = {one.transport for one in card.additional_interfaces} | {card.preferred_transport}
    equal(reviewer.binding in spoken, True)


async def conversation(reviewer, puppet):
    asked = await reviewer.send(TEXTS["vague"])
    equal(asked.status.state.value, "input-required")
    equal(get_message_text(asked.status.message), TEXTS["question"])
    done = await reviewer.send(TEXTS["answer"], task_id=asked.id)
    equal((done.id, done.context_id), (asked.id, asked.context_id))
    finished(done)


async def conversation_streaming(reviewer, puppet):
    events = [event async for event in reviewer.stream(TEXTS["vague"])]
    task = events[0][0]
    # The stream ends where the task waits.
    equal(events[-1][1].status.state.value, "input-required")
    equal(events[-1][1].final, True)
    ids = {"task_id": task.id, "context_id": task.context_id}
    events = [event async for event in reviewer.stream(TEXTS["answer"], **ids)]
    updates = [update for _, update in events if update]
    shapes = [
        update.status.state.value if update.kind == "status-update" else update.artifact.name
        for update in updates
    ]
    equal(shapes, ["working", TEXTS["artifact"], "completed"])
    equal(get_artifact_text(updates[1].artifact), FINDINGS)
    equal(updates[2].final, True)
    finished(await reviewer.get(task.id))


async def direct_message(reviewer, puppet):
    equal(get_message_text(await puppet.send("msg well met")), "well met")
    [event] = [event async for event in puppet.stream("msg well met")]
    equal(get_message_text(event), "well met")


async def files_and_data(reviewer, puppet):
    sent = [Part.model_validate(part) for part in PARTS]
    task = await puppet.send("parts", sent)
    equal(task.artifacts[0].parts, sent)
    equal(task.history[0].parts[1:], sent)


async def polling(reviewer, puppet):
    task = await puppet.send("ticks 2", polling=True)
    equal(task.status.state.value in ("submitted", "working"), True)
    while task.status.state.value != "completed":
        await asyncio.sleep(0.1)
        task = await puppet.get(task.id)


async def resubscribe(reviewer, puppet):
    task = await puppet.send("ticks 8", polling=True)
    async with aclosing(puppet.subscribe(task.id)) as leaves:
        async for _, update in leaves:
            if update and update.status.state.value == "working":
                break
    back = [event async for event in puppet.subscribe(task.id)]
    equal(back[-1][1].status.state.value, "completed")
    equal(back[-1][1].final, True)
    # Of a task that has ended there is the task, and the stream ends.
    [(task, update)] = [event async for event in puppet.subscribe(task.id)]
    equal((task.status.state.value, update), ("completed", None))


async def cancel(reviewer, puppet):
    task = await reviewer.send(TEXTS["vague"])
    equal((await reviewer.cancel(task.id)).status.state.value, "canceled")
    equal((await reviewer.get(task.id)).status.state.value, "canceled")


async def push_configs(reviewer, puppet):
    client = await puppet.client()
    task = await puppet.send("ask")
    config = webhook_at("http://127.0.0.1:9/hook")
    wanted = TaskPushNotificationConfig(task_id=task.id, push_notification_config=config)
    known = await client.set_task_callback(wanted)
    equal((known.task_id, known.push_notification_config.id), (task.id, "mine"))
    named = GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id="mine")
    found = await client.get_task_callback(named)
    equal(found.push_notification_config.url, config.url)
    equal(found.push_notification_config.authentication.schemes, ["Bearer"])


async def push_of_a_new_task(reviewer, puppet):
    with Receiver() as receiver:
        task = await puppet.send("ticks 3", webhook=webhook_at(receiver.url))
        await delivered(receiver, task.id)


async def push_of_a_waiting_task(reviewer, puppet):
    with Receiver() as receiver:
        task = await puppet.send("ask")
        config = webhook_at(receiver.url)
        config = TaskPushNotificationConfig(task_id=task.id, push_notification_config=config)
        await (await puppet.client()).set_task_callback(config)
        await puppet.send("ticks 3", task_id=task.id)
        await delivered(receiver, task.id)


async def errors(reviewer, puppet):
    unknown = str(uuid.uuid4())
    await refused(-32001, 404, grpc.StatusCode.NOT_FOUND, reviewer.get(unknown))
    await refused(-32001, 404, grpc.StatusCode.NOT_FOUND, reviewer.cancel(unknown))
    call = reviewer.send("hello", task_id=unknown)
    await refused(-32001, 404, grpc.StatusCode.NOT_FOUND, call)
    done = await reviewer.send(TEXTS["answer"])
    precondition = grpc.StatusCode.FAILED_PRECONDITION
    await refused(-32002, 400, precondition, reviewer.cancel(done.id))
    await refused(-32004, 400, precondition, reviewer.send("more", task_id=done.id))


CASES = {
    "card": card_is_understood,
    "conversation": conversation,
    "conversation, streaming": conversation_streaming,
    "direct message": direct_message,
    "files and data": files_and_data,
    "polling": polling,
    "resubscribe": resubscribe,
    "cancel": cancel,
    "push configs": push_configs,
    "push, new task": push_of_a_new_task,
    "push, waiting task": push_of_a_waiting_task,
    "errors": errors,
}


def equal(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r}, wanted {wanted!r}")


def webhook_at(url):
    authentication = PushNotificationAuthenticationInfo(
        schemes=["Bearer"], credentials="a credential"
    )
    return PushNotificationConfig(
        id="mine", url=url, token="a token", authentication=authentication
    )


async def delivered(receiver, task_id):
    deliveries = await asyncio.to_thread(receiver.until, "COMPLETED")
    check_ticks(deliveries, task_id, lambda body: Task.model_validate(body).id)


async def refused(code, status, grpc_code, call):
    """How this kit tells an error, by the binding."""
    try:
        found = await call
    except A2AClientJSONRPCError as error:
        equal(error.error.code, code)
    except A2AClientHTTPError as error:
        equal(error.status_code, status)
    except grpc.aio.AioRpcError as error:
        equal(error.code(), grpc_code)
    else:
        raise AssertionError(f"{found!r}, wanted {code}")


def finished(task):
    """The reviewer's task at the end of the conversation."""
    equal(task.status.state.value, "completed")
    equal(get_message_text(task.status.message), TEXTS["completed"])
    found = [(artifact.name, get_artifact_text(artifact)) for artifact in task.artifacts]
    equal(found, [(TEXTS["artifact"], FINDINGS)])
    said = [get_message_text(each) for each in task.history]
    wanted = [TEXTS["vague"], TEXTS["question"], TEXTS["answer"]]
    equal([text for text in said if text in wanted], wanted)


async def main():
    binding, reviewer, puppet = sys.argv[1:]
    agents = Agent(binding, reviewer), Agent(binding, puppet)
    for name, case in CASES.items():
        try:
            await asyncio.wait_for(case(*agents), CASE_SECONDS)
            print(f"ok {name}", flush=True)
        except Exception as error:
            traceback.print_exc()
            why = " ".join(f"{type(error).__name__}: {error}".split())
            print(f"FAIL {name}: {why}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
