// The client of npm's @a2a-js/sdk 0.3 against an agent that serves A2A 0.3, on one binding.
//
//     client.mjs BINDING REVIEWER PUPPET
//
// BINDING is JSONRPC, HTTP+JSON or GRPC; the rest is as in py03/client.py, which has the same cases.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientFactory, ClientFactoryOptions } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { delivered, withReceiver } from '../receiver.mjs';

const texts = JSON.parse(readFileSync(new URL('../reviewer.json', import.meta.url)));
const parts = JSON.parse(readFileSync(new URL('../parts.json', import.meta.url)))['0.3'];
const [binding, ...urls] = process.argv.slice(2);
// What the kit loses.
if (binding !== 'JSONRPC') delete parts[0].file.name;
if (binding === 'GRPC') parts[2].data = { zero: 0, list: [1, ['a', 2], {}] };
const FINDINGS = texts.findings.join('\n');
const CASE_MS = 30_000;
const { equal, deepEqual } = assert;

/** One agent, called on one binding. */
class Agent {
  static async at(binding, url) {
    const transports = [new GrpcTransportFactory()];
    const options = { preferredTransports: [binding], transports };
    const factory = new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options),
    );
    const agent = new Agent();
    agent.client = await factory.createFromUrl(url);
    return agent;
  }

  params(text, members, configuration) {
    const parts = [{ kind: 'text', text }];
    const messageId = crypto.randomUUID();
    const message = { kind: 'message', messageId, role: 'user', parts, ...members };
    return { message, configuration };
  }

  send(text, members, configuration) {
    return this.client.sendMessage(this.params(text, members, configuration));
  }

  stream(text, ids) {
    return all(this.client.sendMessageStream(this.params(text, ids)));
  }

  subscribe(id) {
    return all(this.client.resubscribeTask({ id }));
  }

  get(id) {
    return this.client.getTask({ id });
  }

  cancel(id) {
    return this.client.cancelTask({ id });
  }
}

async function all(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

const text = (message) => message.parts.map((part) => part.text).join('\n');

function finished(task) {
  equal(task.status.state, 'completed');
  equal(text(task.status.message), texts.completed);
  deepEqual(task.artifacts.map((each) => [each.name, text(each)]), [[texts.artifact, FINDINGS]]);
}

function webhookAt(url) {
  const authentication = { schemes: ['Bearer'], credentials: 'a credential' };
  return { id: 'mine', url, token: 'a token', authentication };
}

/** The id of the task that a delivery is. */
function taskOf(task) {
  equal(task.kind, 'task');
  return task.id;
}

async function refused(call) {
  await assert.rejects(call);
}

const CASES = {
  async conversation(reviewer) {
    const asked = await reviewer.send(texts.vague);
    equal(asked.status.state, 'input-required');
    equal(text(asked.status.message), texts.question);
    finished(await reviewer.send(texts.answer, { taskId: asked.id }));
  },

  async 'conversation, streaming'(reviewer) {
    const events = await reviewer.stream(texts.vague);
    equal(events[0].kind, 'task');
    const last = events.at(-1);
    deepEqual([last.status.state, last.final], ['input-required', true]);
    const answered = await reviewer.stream(texts.answer, { taskId: events[0].id });
    const updates = answered.filter((event) => event.kind !== 'task');
    const shapes = updates.map((event) => event.status?.state ?? event.artifact.name);
    deepEqual(shapes, ['working', texts.artifact, 'completed']);
    finished(await reviewer.get(events[0].id));
  },

  async 'direct message'(reviewer, puppet) {
    equal(text(await puppet.send('msg well met')), 'well met');
    const [message] = await puppet.stream('msg well met');
    equal(text(message), 'well met');
  },

  async 'files and data'(reviewer, puppet) {
    const task = await puppet.send('parts', { parts: [{ kind: 'text', text: 'parts' }, ...parts] });
    deepEqual(task.artifacts[0].parts, parts);
    deepEqual(task.history[0].parts.slice(1), parts);
  },

  async polling(reviewer, puppet) {
    let task = await puppet.send('ticks 2', {}, { blocking: false });
    assert(['submitted', 'working'].includes(task.status.state));
    while (task.status.state !== 'completed') {
      await sleep(100);
      task = await puppet.get(task.id);
    }
  },

  async resubscribe(reviewer, puppet) {
    const task = await puppet.send('ticks 6', {}, { blocking: false });
    const last = (await puppet.subscribe(task.id)).at(-1);
    deepEqual([last.status.state, last.final], ['completed', true]);
    const [ended, ...rest] = await puppet.subscribe(task.id);
    deepEqual([ended.status.state, rest], ['completed', []]);
  },

  async cancel(reviewer) {
    const task = await reviewer.send(texts.vague);
    equal((await reviewer.cancel(task.id)).status.state, 'canceled');
    equal((await reviewer.get(task.id)).status.state, 'canceled');
  },

  async 'push configs'(reviewer, puppet) {
    const { client } = puppet;
    const { id } = await puppet.send('ask');
    const url = 'http://127.0.0.1:9/hook';
    const pushNotificationConfig = webhookAt(url);
    await client.setTaskPushNotificationConfig({ taskId: id, pushNotificationConfig });
    const params = { id, pushNotificationConfigId: 'mine' };
    const found = await client.getTaskPushNotificationConfig(params);
    equal(found.pushNotificationConfig.url, url);
    equal((await client.listTaskPushNotificationConfig({ id })).length, 1);
    await client.deleteTaskPushNotificationConfig(params);
    equal((await client.listTaskPushNotificationConfig({ id })).length, 0);
  },

  'push, new task': (_, puppet) => withReceiver(async (receiver) => {
    const pushNotificationConfig = webhookAt(receiver.url);
    const { id } = await puppet.send('ticks 3', {}, { pushNotificationConfig });
    await delivered(receiver, id, taskOf);
  }),

  'push, waiting task': (_, puppet) => withReceiver(async (receiver) => {
    const { id: taskId } = await puppet.send('ask');
    const pushNotificationConfig = webhookAt(receiver.url);
    await puppet.client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig });
    await puppet.send('ticks 3', { taskId });
    await delivered(receiver, taskId, taskOf);
  }),

  async errors(reviewer) {
    const unknown = crypto.randomUUID();
    await refused(reviewer.get(unknown));
    await refused(reviewer.cancel(unknown));
    await refused(reviewer.subscribe(unknown));
    const { id } = await reviewer.send(texts.answer);
    await refused(reviewer.cancel(id));
    await refused(reviewer.send('more', { taskId: id }));
  },
};

const agents = await Promise.all(urls.map((url) => Agent.at(binding, url)));
for (const [name, test] of Object.entries(CASES)) {
  try {
    const late = sleep(CASE_MS, null, { ref: false }).then(() => assert.fail('not in time'));
    await Promise.race([test(...agents), late]);
    console.log(`ok ${name}`);
  } catch (error) {
    console.error(error);
    console.log(`FAIL ${name}: ${String(error).replace(/\s+/g, ' ')}`);
  }
}
process.exit();
