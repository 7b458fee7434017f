"""The contract reviewer on the a2a-sdk of PyPI, for our client to talk to.

It says what ../reviewer.json holds. As our puppet does, it also knows three words for what the
conversation does not show: `ticks K` (K numbered statuses), `msg X` (the bare message X) and `parts`
(an artifact with the other parts of the message). The kit's modules for A2A 0.3 serve it as well.

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
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import (
    create_agent_card_routes,
    create_jsonrpc_routes,
    create_rest_routes,
)
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from a2a.types.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from starlette.applications import Starlette

TEXTS = json.loads((Path(__file__).parent.parent / "reviewer.json").read_text())
GAP_SECONDS = 0.15


class Reviewer(AgentExecutor):
    async def execute(self, context, event_queue):
        text = context.get_user_input()
        if said := re.fullmatch(r"msg (.*)", text):
            await event_queue.enqueue_event(
                new_text_message(said[1], context_id=context.context_id)
            )
            return
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        task = TaskUpdater(event_queue, context.task_id, context.context_id)
        if text == "parts":
            await task.add_artifact(list(context.message.parts)[1:], name="parts")
            await task.complete()
        elif ticks := re.fullmatch(r"ticks (\d+)", text):
            await tick(task, int(ticks[1]))
        elif contract := re.search(r"HD-\d{4}-\d{3}", text):
            await review(task, contract[0])
        else:
            await task.requires_input(say(task, TEXTS["question"]))

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def review(task, contract):
    findings = "\n".join([contract, *TEXTS["findings"][1:]])
    await task.start_work(say(task, TEXTS["working"]))
    await task.add_artifact(
        [new_text_part(findings, media_type="text/plain")], name=TEXTS["artifact"]
    )
    await task.complete(say(task, TEXTS["completed"]))


async def tick(task, count):
    for number in range(1, count + 1):
        await asyncio.sleep(GAP_SECONDS)
        await task.start_work(say(task, f"{number}/{count}"))
    await task.complete()


def say(task, text):
    return task.new_agent_message([new_text_part(text)])


def card(url, grpc_target):
    skill = AgentSkill(
        id="risk-review", name="Contract risk review", description="Lists risks.", tags=["legal"]
    )
    return AgentCard(
        name=TEXTS["name"],
        description="Reviews contracts.",
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=f"{url}/", protocol_binding="JSONRPC", protocol_version="1.0"),
            AgentInterface(url=url, protocol_binding="HTTP+JSON", protocol_version="1.0"),
            AgentInterface(url=grpc_target, protocol_binding="GRPC", protocol_version="1.0"),
            AgentInterface(url=f"{url}/", protocol_binding="JSONRPC", protocol_version="0.3"),
            AgentInterface(url=url, protocol_binding="HTTP+JSON", protocol_version="0.3"),
            AgentInterface(url=grpc_target, protocol_binding="GRPC", protocol_version="0.3"),
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[skill],
    )


def request_handler(agent_card):
    webhooks = InMemoryPushNotificationConfigStore()
    return DefaultRequestHandler(
        agent_executor=Reviewer(),
        task_store=InMemoryTaskStore(),
        agent_card=agent_card,
        push_config_store=webhooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), webhooks),
    )


def app(agent_card, handler):
    return Starlette(
        routes=[
            *create_agent_card_routes(agent_card),
            *create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True),
            *create_rest_routes(handler, enable_v0_3_compat=True),
        ]
    )


async def serve(listener):
    rpc = grpc.aio.server()
    port = rpc.add_insecure_port("127.0.0.1:0")
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    agent_card = card(url, f"127.0.0.1:{port}")
    handler = request_handler(agent_card)
    add_A2AServiceServicer_to_server(GrpcHandler(handler), rpc)
    a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), rpc)
    await rpc.start()
    server = uvicorn.Server(uvicorn.Config(app(agent_card, handler), log_level="warning"))
    # The socket listens already: who calls now is answered as soon as the server runs.
    print(f"Listening on {url}", flush=True)
    await server.serve(sockets=[listener])


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    asyncio.run(serve(socket.create_server(("127.0.0.1", port))))


if __name__ == "__main__":
    main()
