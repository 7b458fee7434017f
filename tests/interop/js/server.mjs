// The contract reviewer on npm's @a2a-js/sdk, for our client to talk to.
//
// It says what ../reviewer.json holds. As our puppet does, it also knows three words for what the
// conversation does not show: `ticks K` (K numbered statuses), `msg X` (the bare message X) and
// `parts` (an artifact with the other parts of the message).
//
//     server.mjs [PORT]     prints "Listening on URL" once it can be called

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  AgentCard,
  Message,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server';
import {
  UserBuilder,
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
} from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { createLegacyAwarePushNotificationSender } from '@a2a-js/sdk/compat/v0_3/server';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import express from 'express';

const texts = JSON.parse(readFileSync(new URL('../reviewer.json', import.meta.url)));
const GAP_MS = 150;

/** What one turn publishes, written as the protocol's JSON. */
class Turn {
  constructor(bus, taskId, contextId) {
    Object.assign(this, { bus, ids: { taskId, contextId } });
  }

  message(text) {
    return { messageId: crypto.randomUUID(), role: 'ROLE_AGENT', parts: [{ text }], ...this.ids };
  }

  reply(text) {
    const { taskId, ...message } = this.message(text);
    this.bus.publish(AgentEvent.message(Message.fromJSON(message)));
  }

  task(existing, message) {
    const { taskId: id, contextId } = this.ids;
    const status = { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() };
    const task = Task.fromJSON({ id, contextId, status });
    this.bus.publish(AgentEvent.task(existing ?? { ...task, history: [message] }));
  }

  status(state, text) {
    const message = text && this.message(text);
    const status = { state, message, timestamp: new Date().toISOString() };
    const event = { ...this.ids, status };
    this.bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(event)));
  }

  artifact(name, parts) {
    const artifact = { artifactId: crypto.randomUUID(), name };
    const event = { ...this.ids, artifact, lastChunk: true };
    const update = TaskArtifactUpdateEvent.fromJSON(event);
    update.artifact.parts = parts;
    this.bus.publish(AgentEvent.artifactUpdate(update));
  }
}

class Reviewer {
  canceled = new Set();
  contexts = new Map();

  async execute({ userMessage, task, taskId, contextId }, bus) {
    const turn = new Turn(bus, taskId, contextId);
    const written = userMessage.parts.filter((part) => part.content?.$case === 'text');
    const text = written.map((part) => part.content.value).join('\n');
    const said = /^msg (.*)$/.exec(text);
    if (said) return turn.reply(said[1]);
    this.contexts.set(taskId, contextId);
    turn.task(task, userMessage);
    const ticks = /^ticks (\d+)$/.exec(text);
    const contract = /HD-\d{4}-\d{3}/.exec(text);
    if (text === 'parts') this.giveBack(turn, userMessage.parts.slice(1));
    else if (ticks) await this.tick(turn, taskId, Number(ticks[1]));
    else if (contract) this.review(turn, contract[0]);
    else turn.status('TASK_STATE_INPUT_REQUIRED', texts.question);
  }

  giveBack(turn, parts) {
    turn.artifact('parts', parts);
    turn.status('TASK_STATE_COMPLETED');
  }

  review(turn, contract) {
    turn.status('TASK_STATE_WORKING', texts.working);
    const text = [contract, ...texts.findings.slice(1)].join('\n');
    turn.artifact(texts.artifact, [Part.fromJSON({ text, mediaType: 'text/plain' })]);
    turn.status('TASK_STATE_COMPLETED', texts.completed);
  }

  async tick(turn, taskId, count) {
    for (let number = 1; number <= count; number++) {
      await sleep(GAP_MS);
      if (this.canceled.has(taskId)) return;
      turn.status('TASK_STATE_WORKING', `${number}/${count}`);
    }
    turn.status('TASK_STATE_COMPLETED');
  }

  async cancelTask(taskId, bus) {
    this.canceled.add(taskId);
    new Turn(bus, taskId, this.contexts.get(taskId)).status('TASK_STATE_CANCELED');
  }
}

function card(url, grpcTarget) {
  const version = { protocolVersion: '1.0' };
  const older = { protocolVersion: '0.3' };
  const skill = { id: 'risk-review', name: 'Contract risk review', description: 'Lists risks.' };
  return AgentCard.fromJSON({
    name: texts.name,
    description: 'Reviews contracts.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${url}/rpc`, protocolBinding: 'JSONRPC', ...version },
      { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', ...version },
      { url: grpcTarget, protocolBinding: 'GRPC', ...version },
      { url: `${url}/rpc`, protocolBinding: 'JSONRPC', ...older },
      { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', ...older },
      { url: grpcTarget, protocolBinding: 'GRPC', ...older },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ ...skill, tags: ['legal'] }],
  });
}

const app = express();
const server = createServer(app);
const rpc = new Server();
const insecure = ServerCredentials.createInsecure();
const rpcPort = await promisify(rpc.bindAsync.bind(rpc))('127.0.0.1:0', insecure);
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const stores = [new InMemoryTaskStore(), new InMemoryPushNotificationStore()];
  const requestHandler = new DefaultRequestHandler(
    card(url, `127.0.0.1:${rpcPort}`), stores[0], new Reviewer(), undefined, stores[1],
    createLegacyAwarePushNotificationSender(stores[1]),
  );
  const legacyCompat = { enabled: true };
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat };
  app.use(
    '/.well-known/agent-card.json',
    agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }),
  );
  app.use('/rpc', jsonRpcHandler(options));
  app.use('/rest', restHandler(options));
  rpc.addService(A2AService, grpcService(options));
  rpc.addService(LegacyA2AService, legacyGrpcService(options));
  console.log(`Listening on ${url}`);
});
