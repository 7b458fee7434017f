// The client of npm's @a2a-js/sdk against an agent, on one binding.
//
//     client.mjs BINDING REVIEWER PUPPET [0.3]
//
// With 0.3 the kit's module for A2A 0.3 does it, by the interfaces that the cards list for that. BINDING is JSONRPC, HTTP+JSON or GRPC; REVIEWER and PUPPET are the base URLs of the contract reviewer
// and of an agent that knows the puppet's words `ticks`, `msg`, `ask` and `parts` (both may be the
// same agent). Prints `ok NAME` or `FAIL NAME: why` for each case; py/client.py has the same cases.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CancelTaskRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  Part,
  Role,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
  taskStateToJSON,
} from '@a2a-js/sdk';
import {
  AgentCardResolver,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import {
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { delivered, withReceiver } from '../receiver.mjs';

const texts = JSON.parse(readFileSync(new URL('../reviewer.json', import.meta.url)));
const [binding, reviewer, puppet, version = '1.0'] = process.argv.slice(2);
// The kit loses a null that is all of a part.
let parts = JSON.parse(readFileSync(new URL('../parts.json', import.meta.url)))['1.0']
  .filter((part) => part.data !== null);
if (version === '0.3' && binding !== 'JSONRPC') {
  // And here the names of files, and what marks data that is no object.
  parts = parts.slice(0, 3);
  delete parts[0].filename;
}
const FINDINGS = texts.findings.join('\n');
const CASE_MS = 30_000;
const { equal, deepEqual } = assert;

/** One agent, called on one binding. Requests are written as the protocol's JSON. */
class Agent {
  static async at(binding, version, url) {
    const legacyCompat = { enabled: version === '0.3' };
    const transports = [JsonRpcTransportFactory, RestTransportFactory, GrpcTransportFactory]
      .map((Factory) => new Factory({ legacyCompat }));
    const factory = new ClientFactory({ preferredTransports: [binding], transports });
    const card = await AgentCardResolver.default.resolve(url);
    card.supportedInterfaces = card.supportedInterfaces.filter(
      (each) => each.protocolBinding === binding && each.protocolVersion === version,
    );
    const agent = new Agent();
    agent.client = await factory.createFromAgentCard(card);
    const { protocolName, protocolVersion } = agent.client.transport;
    deepEqual([protocolName, protocolVersion], [binding, version]);
    return agent;
  }

  request(text, members, configuration) {
    const messageId = crypto.randomUUID();
    const message = { messageId, role: 'ROLE_USER', parts: [{ text }], ...members };
    return SendMessageRequest.fromJSON({ message, configuration });
  }

  send(text, members, configuration) {
    return this.client.sendMessage(this.request(text, members, configuration));
  }

  stream(text, ids) {
    return this.client.sendMessageStream(this.request(text, ids));
  }

  subscribe(id) {
    return this.client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }));
  }

  get(id, options) {
    return this.client.getTask(GetTaskRequest.fromJSON({ id, ...options }));
  }

  cancel(id) {
    return this.client.cancelTask(CancelTaskRequest.fromJSON({ id }));
  }

  list(filters) {
    return this.client.listTasks(ListTasksRequest.fromJSON(filters));
  }
}

const cases = {
  async 'card'(reviewer) {
    const card = await reviewer.client.getAgentCard();
    equal(card.name, texts.name);
    equal(card.capabilities.streaming, true);
    deepEqual(card.skills.map((skill) => skill.id), ['risk-review']);
  },

  async 'conversation'(reviewer) {
    const asked = await reviewer.send(texts.vague);
    equal(state(asked), 'INPUT_REQUIRED');
    equal(text(asked.status.message), texts.question);
    const done = await reviewer.send(texts.answer, { taskId: asked.id });
    deepEqual([done.id, done.contextId], [asked.id, asked.contextId]);
    finished(done);
  },

  async 'conversation, streaming'(reviewer) {
    let events = await all(reviewer.stream(texts.vague));
    deepEqual(events.map(shape), ['task', 'INPUT_REQUIRED']);
    equal(text(events.at(-1).payload.value.status.message), texts.question);
    const { id: taskId, contextId } = events[0].payload.value;
    events = await all(reviewer.stream(texts.answer, { taskId, contextId }));
    // A stream that goes on with a task may begin with it.
    const updates = events.filter((event) => event.payload.$case !== 'task');
    deepEqual(updates.map(shape), ['WORKING', texts.artifact, 'COMPLETED']);
    equal(text(updates[1].payload.value.artifact), FINDINGS);
    finished(await reviewer.get(taskId));
  },

  async 'direct message'(_, puppet) {
    equal(text(await puppet.send('msg well met')), 'well met');
    const events = await all(puppet.stream('msg well met'));
    deepEqual(events.map(shape), ['message']);
    equal(text(events[0].payload.value), 'well met');
  },

  async 'files and data'(_, puppet) {
    const task = await puppet.send('parts', { parts: [{ text: 'parts' }, ...parts] });
    deepEqual(task.artifacts[0].parts.map(Part.toJSON), parts);
    deepEqual(task.history[0].parts.slice(1).map(Part.toJSON), parts);
  },

  async 'get and list'(reviewer) {
    const { id, contextId } = await reviewer.send(texts.vague);
    deepEqual((await reviewer.get(id, { historyLength: 0 })).history, []);
    // In the same context, another task.
    const done = await reviewer.send(texts.answer, { contextId });
    const listed = await reviewer.list({ contextId, includeArtifacts: true });
    equal(listed.totalSize, 2);
    deepEqual(ids(listed.tasks), ids([done, { id }]));
    const completed = await reviewer.list({
      contextId, status: 'TASK_STATE_COMPLETED', includeArtifacts: true,
    });
    deepEqual(completed.tasks.map((task) => text(task.artifacts[0])), [FINDINGS]);
    const page = await reviewer.list({ contextId, pageSize: 1 });
    const rest = await reviewer.list({ contextId, pageSize: 1, pageToken: page.nextPageToken });
    deepEqual(ids([...page.tasks, ...rest.tasks]), ids([done, { id }]));
  },

  async 'return immediately, then poll'(_, puppet) {
    let task = await puppet.send('ticks 2', {}, { returnImmediately: true });
    assert(['SUBMITTED', 'WORKING'].includes(state(task)), state(task));
    while (state(task) !== 'COMPLETED') {
      await sleep(100);
      task = await puppet.get(task.id);
    }
  },

  /** Leaves a stream and comes back, while another reader stays: both see every tick. */
  async 'resubscribe'(_, puppet) {
    const stream = puppet.stream('ticks 8');
    const first = (await stream.next()).value;
    const staying = all(stream);
    const taskId = first.payload.value.id;
    for await (const event of puppet.subscribe(taskId)) {
      if (shape(event) === 'WORKING') break;
    }
    const back = await all(puppet.subscribe(taskId));
    const stays = [first, ...(await staying)];
    const every = Array.from({ length: 8 }, (_, index) => `${index + 1}/8`);
    deepEqual(ticks(stays), every);
    equal(shape(stays.at(-1)), 'COMPLETED');
    equal(shape(back[0]), 'task');
    deepEqual(ticks(back), every);
    equal(shape(back.at(-1)), 'COMPLETED');
  },

  async 'cancel a waiting task'(reviewer) {
    const { id } = await reviewer.send(texts.vague);
    equal(state(await reviewer.cancel(id)), 'CANCELED');
    equal(state(await reviewer.get(id)), 'CANCELED');
  },

  async 'cancel a running task'(_, puppet) {
    const states = [];
    let taskId;
    for await (const event of puppet.stream('ticks 100')) {
      taskId ??= event.payload.value.id;
      if (event.payload.$case !== 'statusUpdate') continue;
      states.push(shape(event));
      if (states.length === 1) equal(state(await puppet.cancel(taskId)), 'CANCELED');
    }
    equal(states.at(-1), 'CANCELED');
    equal(state(await puppet.get(taskId)), 'CANCELED');
  },

  async 'push configs'(_, puppet) {
    const { client } = puppet;
    const { id: taskId } = await puppet.send('ask');
    const wanted = TaskPushNotificationConfig.fromJSON({
      ...webhookAt('http://127.0.0.1:9/hook'), taskId, id: 'mine',
    });
    const named = GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id: 'mine' });
    const every = ListTaskPushNotificationConfigsRequest.fromJSON({ taskId });
    const listed = async () => (await client.listTaskPushNotificationConfig(every)).configs;
    deepEqual(webhook(await client.createTaskPushNotificationConfig(wanted)), webhook(wanted));
    deepEqual(webhook(await client.getTaskPushNotificationConfig(named)), webhook(wanted));
    deepEqual(ids(await listed()), ['mine']);
    await client.deleteTaskPushNotificationConfig(named);
    deepEqual(await listed(), []);
  },

  'push, new task': (_, puppet) => withReceiver(async (receiver) => {
    const taskPushNotificationConfig = webhookAt(receiver.url);
    const { id } = await puppet.send('ticks 3', {}, { taskPushNotificationConfig });
    await delivered(receiver, id, taskOf);
  }),

  'push, waiting task': (_, puppet) => withReceiver(async (receiver) => {
    const { id: taskId } = await puppet.send('ask');
    const config = TaskPushNotificationConfig.fromJSON({ ...webhookAt(receiver.url), taskId });
    await puppet.client.createTaskPushNotificationConfig(config);
    await puppet.send('ticks 3', { taskId });
    await delivered(receiver, taskId, taskOf);
  }),

  async 'errors, unknown task'(reviewer) {
    const taskId = crypto.randomUUID();
    await assert.rejects(reviewer.get(taskId), TaskNotFoundError);
    await assert.rejects(reviewer.cancel(taskId), TaskNotFoundError);
    await assert.rejects(all(reviewer.subscribe(taskId)), TaskNotFoundError);
    await assert.rejects(reviewer.send('hello', { taskId }), TaskNotFoundError);
    await assert.rejects(all(reviewer.stream('hello', { taskId })), TaskNotFoundError);
  },

  async 'errors, finished task'(reviewer) {
    const { id: taskId } = await reviewer.send(texts.answer);
    await assert.rejects(reviewer.send('more', { taskId }), UnsupportedOperationError);
    await assert.rejects(all(reviewer.stream('more', { taskId })), UnsupportedOperationError);
    await assert.rejects(all(reviewer.subscribe(taskId)), UnsupportedOperationError);
    await assert.rejects(reviewer.cancel(taskId), TaskNotCancelableError);
  },
};

/** What is otherwise in 0.3. */
const casesOf0_3 = {
  'get and list': undefined,

  async 'errors, unknown task'(reviewer) {
    const taskId = crypto.randomUUID();
    await assert.rejects(reviewer.get(taskId), TaskNotFoundError);
    await assert.rejects(reviewer.cancel(taskId), TaskNotFoundError);
    await assert.rejects(all(reviewer.subscribe(taskId)), refused(TaskNotFoundError, -32001));
    await assert.rejects(reviewer.send('hello', { taskId }), TaskNotFoundError);
    const stream = all(reviewer.stream('hello', { taskId }));
    await assert.rejects(stream, refused(TaskNotFoundError, -32001));
  },

  async 'errors, finished task'(reviewer) {
    const { id: taskId } = await reviewer.send(texts.answer);
    await assert.rejects(reviewer.send('more', { taskId }), UnsupportedOperationError);
    const stream = all(reviewer.stream('more', { taskId }));
    await assert.rejects(stream, refused(UnsupportedOperationError, -32004));
    deepEqual((await all(reviewer.subscribe(taskId))).map(shape), ['task']);
    await assert.rejects(reviewer.cancel(taskId), TaskNotCancelableError);
  },
};

/** In JSON-RPC the kit tells an error that is an event only in words. */
function refused(type, code) {
  return (error) => error instanceof type || error.message.includes(`(Code: ${code})`);
}

async function all(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

function state(task) {
  return taskStateToJSON(task.status.state).replace('TASK_STATE_', '');
}

function text(message) {
  return message.parts.map((part) => part.content.value).join('\n');
}

function ids(tasks) {
  return tasks.map((task) => task.id).sort();
}

function webhookAt(url) {
  const authentication = { scheme: 'Bearer', credentials: 'a credential' };
  return { url, token: 'a token', authentication };
}

/** The id of the task that a delivery is about. */
function taskOf(body) {
  if (body.kind === 'task') return body.id;
  const { value } = StreamResponse.fromJSON(body).payload;
  return value.taskId ?? value.id;
}

/** What an agent tells of a push config; it may keep the credentials to itself. */
function webhook({ taskId, id, url, authentication }) {
  return [taskId, id, url, authentication.scheme];
}

/** What kind of event this is: the state of a status, the name of an artifact. */
function shape({ payload: { $case, value } }) {
  if ($case === 'statusUpdate') return state(value);
  return $case === 'artifactUpdate' ? value.artifact.name : $case;
}

/** The numbered statuses of a stream, with those that its first event, the task, holds. */
function ticks([first, ...updates]) {
  const { history, status } = first.payload.value;
  // Some agents put a status into the history at once, others when the next one comes.
  const isNew = history.every((message) => message.messageId !== status.message?.messageId);
  const now = isNew ? [status.message] : [];
  const then = updates.map((event) => event.payload.value.status.message);
  const said = [...history, ...now, ...then].filter((each) => each?.role === Role.ROLE_AGENT);
  return said.map(text).filter((each) => each.includes('/'));
}

/** The reviewer's task at the end of the conversation. */
function finished(task) {
  equal(state(task), 'COMPLETED');
  equal(text(task.status.message), texts.completed);
  const found = task.artifacts.map((artifact) => [artifact.name, text(artifact)]);
  deepEqual(found, [[texts.artifact, FINDINGS]]);
  const wanted = [texts.vague, texts.question, texts.answer];
  deepEqual(task.history.map(text).filter((said) => wanted.includes(said)), wanted);
}

async function within(milliseconds, work) {
  const timer = new AbortController();
  const late = sleep(milliseconds, null, { signal: timer.signal }).then(() => {
    throw new Error(`not done within ${milliseconds} ms`);
  });
  await Promise.race([work, late]).finally(() => timer.abort());
}

const agents = [
  await Agent.at(binding, version, reviewer),
  await Agent.at(binding, version, puppet),
];
for (const [name, run] of Object.entries({ ...cases, ...(version === '0.3' && casesOf0_3) })) {
  if (!run) continue;
  try {
    await within(CASE_MS, run(...agents));
    console.log(`ok ${name}`);
  } catch (error) {
    console.error(error);
    console.log(`FAIL ${name}: ${String(error).replace(/\s+/g, ' ')}`);
  }
}
process.exit();
