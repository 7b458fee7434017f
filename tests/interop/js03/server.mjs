// The contract reviewer on npm's @a2a-js/sdk 0.3, for our client to talk to in A2A 0.3.
//
//     server.mjs [PORT]     prints "Listening on URL" once it can be called
//
// It says what ../reviewer.json holds, and knows the words `ticks K`, `msg X` and `parts`, as
// py03/server.py does.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import express from 'express';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import {
  UserBuilder,
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
} from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';

const texts = JSON.parse(readFileSync(new URL('../reviewer.json', import.meta.url)));
const GAP_MS = 150;

class Reviewer {
  canceled = new Set();

  async execute(context, bus) {
    const { taskId, contextId, userMessage, task } = context;
    const written = userMessage.parts.filter((part) => part.kind === 'text');
    const ask = written.map((part) => part.text).join('\n');
    const message = (text) => ({
      kind: 'message',
      messageId: crypto.randomUUID(),
      role: 'agent',
      parts: [{ kind: 'text', text }],
      taskId,
      contextId,
    });
    const status = (state, text, final = false) => {
      const timestamp = new Date().toISOString();
      const said = text === undefined ? undefined : message(text);
      const now = { state, message: said, timestamp };
      bus.publish({ kind: 'status-update', taskId, contextId, status: now, final });
    };
    const artifact = (name, parts) => {
      const artifact = { artifactId: crypto.randomUUID(), name, parts };
      bus.publish({ kind: 'artifact-update', taskId, contextId, artifact, lastChunk: true });
    };
    const said = /^msg (.*)$/.exec(ask);
    if (said) {
      bus.publish({ ...message(said[1]), taskId: undefined });
      bus.finished();
      return;
    }
    if (!task) {
      const now = { state: 'submitted', timestamp: new Date().toISOString() };
      const history = [userMessage];
      bus.publish({ kind: 'task', id: taskId, contextId, status: now, history, artifacts: [] });
    }
    const ticks = /^ticks (\d+)$/.exec(ask);
    const contract = /HD-\d{4}-\d{3}/.exec(ask);
    if (ticks) {
      for (let tick = 1; tick <= Number(ticks[1]); tick += 1) {
        await sleep(GAP_MS);
        if (this.canceled.has(taskId)) {
          status('canceled', undefined, true);
          bus.finished();
          return;
        }
        status('working', `${tick}/${ticks[1]}`);
      }
      status('completed', undefined, true);
    } else if (ask === 'parts') {
      artifact('parts', userMessage.parts.slice(1));
      status('completed', undefined, true);
    } else if (contract) {
      status('working', texts.working);
      const findings = [contract[0], ...texts.findings.slice(1)].join('\n');
      artifact(texts.artifact, [{ kind: 'text', text: findings }]);
      status('completed', texts.completed, true);
    } else {
      status('input-required', texts.question, true);
    }
    bus.finished();
  }

  async cancelTask(taskId, bus) {
    this.canceled.add(taskId);
    const status = { state: 'canceled', timestamp: new Date().toISOString() };
    bus.publish({ kind: 'status-update', taskId, contextId: '', status, final: true });
    bus.finished();
  }
}

const app = express();
const rpc = new Server();
const insecure = ServerCredentials.createInsecure();
const rpcPort = await promisify(rpc.bindAsync.bind(rpc))('127.0.0.1:0', insecure);
const listener = app.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${listener.address().port}`;
  const card = {
    protocolVersion: '0.3.0',
    name: texts.name,
    description: 'Reviews contracts.',
    version: '1.0.0',
    url: `${url}/rpc`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [
      { url: `${url}/rpc`, transport: 'JSONRPC' },
      { url, transport: 'HTTP+JSON' },
      { url: `127.0.0.1:${rpcPort}`, transport: 'GRPC' },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'risk-review', name: 'Review', description: 'Lists risks.', tags: ['legal'] }],
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Reviewer());
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/', restHandler({ requestHandler, userBuilder }));
  rpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
  console.log(`Listening on ${url}`);
});
