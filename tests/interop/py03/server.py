"""The contract reviewer on the a2a-sdk 0.3 of PyPI, for our client to talk to in A2A 0.3.

It says what ../reviewer.json holds, and knows the words `ticks K`, `msg X` and `parts`, as
py/server.py does.

    server.py [PORT]      prints "Listening on URL" once it can be called
"""

import asyncio
import json
import re
import socket
import sys
from pathlib import Path

import grpc
import httpx
import uvicorn
from a2a.grpc.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Part,
    TextPart,
)
from a2a.utils import new_agent_text_message, new_task

TEXTS = json.loads((Path(__file__).parent.parent / "reviewer.json").read_text())
GAP_SECONDS = 0.15


class Reviewer(AgentExecutor):
    async def execute(self, context, event_queue):
        text = context.get_user_input()
        if said := re.fullmatch(r"msg (.*)", text):
            message = new_agent_text_message(said[1], context_id=context.context_id)
            await event_queue.enqueue_event(message)
            return
        if context.current_task is None:
            await event_queue.enqueue_event(new_task(context.message))
        task = TaskUpdater(event_queue, context.task_id, context.context_id)
        if text == "parts":
            await task.add_artifact(context.message.parts[1:], name="parts")
            await task.complete()
        elif ticks := re.fullmatch(r"ticks (\d+)", text):
            await tick(task, int(ticks[1]))
        elif contract := re.search(r"HD-\d{4}-\d{3}", text):
            await review(task, contract[0])
        else:
            await task.requires_input(say(task, TEXTS["question"]), final=True)

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def review(task, contract):
    findings = "\n".join([contract, *TEXTS["findings"][1:]])
    await task.start_work(say(task, TEXTS["working"]))
    await task.add_artifact([Part(root=TextPart(text=findings))], name=TEXTS["artifact"])
    await task.complete(say(task, TEXTS["completed"]))


async def tick(task, count):
    for number in range(1, count + 1):
        await asyncio.sleep(GAP_SECONDS)
        await task.start_work(say(task, f"{number}/{count}"))
    await task.complete()


def say(task, text):
    return task.new_agent_message([Part(root=TextPart(text=text))])


def card(url, grpc_target):
    skill = AgentSkill(
        id="risk-review", name="Contract risk review", description="Lists risks.", tags=["legal"]
    )
    return AgentCard(
        name=TEXTS["name"],
        description="Reviews contracts.",
        version="1.0.0",
        url=f"{url}/",
        preferred_transport="JSONRPC",
        additional_interfaces=[
            AgentInterface(url=url, transport="HTTP+JSON"),
            AgentInterface(url=grpc_target, transport="GRPC"),
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[skill],
    )


async def serve(listener, url):
    grpc_server = grpc.aio.server()
    agent_card = card(url, f"127.0.0.1:{grpc_server.add_insecure_port('127.0.0.1:0')}")
    webhooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Reviewer(),
        task_store=InMemoryTaskStore(),
        push_config_store=webhooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), webhooks),
    )
    add_A2AServiceServicer_to_server(GrpcHandler(agent_card, handler), grpc_server)
    await grpc_server.start()
    app = A2ARESTFastAPIApplication(agent_card, handler).build()
    A2AStarletteApplication(agent_card, handler).add_routes_to_app(app)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    # The socket listens already: who calls now is answered as soon as the server runs.
    print(f"Listening on {url}", flush=True)
    await server.serve(sockets=[listener])


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    listener = socket.create_server(("127.0.0.1", port))
    asyncio.run(serve(listener, f"http://127.0.0.1:{listener.getsockname()[1]}"))


if __name__ == "__main__":
    main()
