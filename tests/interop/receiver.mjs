// A webhook that keeps what it is told, for the clients in JavaScript.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

class Receiver {
  deliveries = [];

  /** Listens on a loopback port until it is closed. */
  static async start() {
    const receiver = new Receiver();
    receiver.server = createServer(async (request, response) => {
      const body = await json(request);
      // Kept before it is answered: the next delivery may begin with the answer.
      receiver.deliveries.push([request.headers, body]);
      receiver.server.emit('delivery');
      response.writeHead(204).end();
    });
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    receiver.url = `http://127.0.0.1:${receiver.server.address().port}/hook`;
    return receiver;
  }

  /** All deliveries up to the first that says this state, as pairs of headers and body. */
  async until(lastState) {
    for (;;) {
      const last = this.deliveries.findIndex(([, body]) => state(body) === lastState);
      if (last >= 0) return this.deliveries.slice(0, last + 1);
      await once(this.server, 'delivery');
    }
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

const told = (body) => body.statusUpdate ?? body.task ?? body;

/**
 * The state that a delivery tells, in the words of 1.0: its body is a StreamResponse there, and a
 * Task in 0.3.
 */
function state(body) {
  const name = told(body).status?.state ?? '';
  return name.replace('TASK_STATE_', '').toUpperCase().replaceAll('-', '_');
}

/** The text of the status that a delivery tells. */
function said(body) {
  return (told(body).status?.message?.parts ?? []).map((part) => part.text ?? '').join('');
}

/** What a webhook is given to prove itself by, in the headers that carry it. */
const SECRETS = {
  'x-a2a-notification-token': 'a token',
  authorization: 'Bearer a credential',
};

/**
 * That what comes is what `ticks 3` tells of this task: each status once, in their order, and all
 * with the secrets. `taskOf` reads the id of a body's task as the kit does.
 */
export async function delivered(receiver, taskId, taskOf) {
  const deliveries = await receiver.until('COMPLETED');
  for (const [headers, body] of deliveries) {
    const found = Object.keys(SECRETS).map((name) => headers[name]);
    assert.deepEqual([...found, taskOf(body)], [...Object.values(SECRETS), taskId]);
  }
  const numbers = deliveries.map(([, body]) => said(body)).filter((text) => text.includes('/'));
  assert.deepEqual(numbers, ['1/3', '2/3', '3/3']);
}

export async function withReceiver(work) {
  const receiver = await Receiver.start();
  await work(receiver).finally(() => receiver.close());
}
