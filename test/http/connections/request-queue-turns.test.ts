/** The turns and batches of the request queue, and the order of the requests on a connection. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Connection } from "../../../src/http/connections.ts";
import type { Answered } from "../../../src/http/send.ts";
import { empty, QueueDesk } from "./_queue.ts";

it("the queue handles 64 requests before it writes their answers", (t) => {
  const desk = new QueueDesk(t);
  const responses = Array.from({ length: 100 }, () => desk.send(desk.connect()));
  const written: number[] = [];
  desk.handle = () => {
    written.push(responses.filter(({ writableEnded }) => writableEnded).length);
    return empty;
  };
  desk.turn();
  assert.deepEqual(written, [...Array(64).fill(0), ...Array(36).fill(64)]);
  assert.ok(responses.every(({ writableEnded }) => writableEnded));
  assert.equal(desk.isScheduled, false);
});

for (const [milliseconds, turns] of [
  [0.25, [8, 16, 20]],
  [0.24, [16, 20]],
] as const) {
  it(`a turn of the queue begins no requests after 2 ms: each takes ${milliseconds} ms`, (t) => {
    const desk = new QueueDesk(t);
    const responses = Array.from({ length: 20 }, () => desk.send(desk.connect()));
    desk.handle = () => {
      desk.now += milliseconds;
      return empty;
    };
    for (const handled of turns) {
      desk.turn();
      assert.equal(desk.handled.length, handled);
      assert.equal(responses.filter(({ writableEnded }) => writableEnded).length, handled);
      assert.equal(desk.isScheduled, handled < 20);
    }
  });
}

it("the queue begins a request of a connection when the previous answer is written", (t) => {
  const desk = new QueueDesk(t);
  const connection = desk.connect();
  const responses = desk.sendAll(connection, 3);
  const written: boolean[][] = [];
  desk.handle = () => {
    written.push(responses.map(({ writableEnded }) => writableEnded));
    return empty;
  };
  desk.turn();
  assert.deepEqual(written, [
    [false, false, false],
    [true, false, false],
    [true, true, false],
  ]);
  assert.deepEqual([connection.isBusy, connection.isPaused, desk.isScheduled], [false, false, false]);
  desk.send(connection);
  assert.deepEqual([connection.isBusy, desk.isScheduled], [true, true]);
  desk.turn();
  assert.equal(desk.handled.length, 4);
});

it("the queue begins no request before a late answer to the one before it, and writes each answer once", async (t) => {
  const desk = new QueueDesk(t);
  const answers: ((answer: Answered) => void)[] = [];
  desk.handle = () => new Promise((resolve) => answers.push(resolve));
  const connection = desk.connect();
  const [first, second] = desk.sendAll(connection, 2);
  desk.turn();
  desk.send(desk.connect());
  desk.turn();
  assert.deepEqual(
    [desk.handled.filter((other) => other === connection).length, first?.writableEnded],
    [1, false],
  );
  answers[0]?.(empty);
  await Promise.resolve();
  desk.turn();
  assert.equal(first?.writableEnded, true);
  assert.equal(desk.handled.filter((other) => other === connection).length, 2);
  answers[2]?.(empty);
  await Promise.resolve();
  desk.settle();
  assert.deepEqual([first?.destroyed, second?.writableEnded, second?.destroyed], [false, true, false]);
});

it("the queue cuts off a response whose answer fails, and goes on with other connections", async (t) => {
  const desk = new QueueDesk(t);
  desk.handle = () => Promise.reject(new Error("a fault"));
  const failed = desk.send(desk.connect());
  desk.turn();
  await new Promise(process.nextTick);
  assert.deepEqual([failed.destroyed, failed.writableEnded], [true, false]);
  desk.handle = () => empty;
  const response = desk.send(desk.connect());
  desk.turn();
  assert.equal(response.writableEnded, true);
});

it("the queue begins no request while the client does not read the answer before it", (t) => {
  const desk = new QueueDesk(t);
  const connection = desk.connect();
  const first = desk.send(connection, {}, false);
  const second = desk.send(connection);
  desk.turn();
  assert.deepEqual([first.writableEnded, second.writableEnded, desk.isScheduled], [true, false, false]);
  desk.send(desk.connect());
  desk.settle();
  assert.equal(second.writableEnded, false);
  desk.read(first);
  desk.turn();
  assert.equal(second.writableEnded, true);
  assert.equal(desk.handled.length, 3);
});

it("the queue runs no request behind one whose answer closes the connection", (t) => {
  const desk = new QueueDesk(t);
  const [ending, other] = [desk.connect(), desk.connect()];
  desk.handle = (connection) => {
    if (connection === ending) connection.isEnding = true;
    return empty;
  };
  desk.sendAll(ending, 3);
  desk.sendAll(other, 3);
  desk.settle();
  desk.send(ending);
  assert.equal(desk.isScheduled, false);
  assert.equal(desk.handled.filter((handled) => handled === ending).length, 1);
  assert.equal(desk.handled.filter((handled) => handled === other).length, 3);
  assert.deepEqual([ending.waiting.length, ending.isPaused, other.isPaused], [0, true, false]);
});

it("the queue ignores requests of a connection that is cut off", (t) => {
  const desk = new QueueDesk(t);
  const connection = desk.connect();
  connection.socket.destroy();
  desk.send(connection);
  assert.deepEqual([connection.waiting.length, connection.isBusy, desk.isScheduled], [0, false, false]);
});

it("the queue forgets the requests of a connection that closes before their turn", (t) => {
  const desk = new QueueDesk(t);
  const [gone, other] = [desk.connect(), desk.connect()];
  desk.sendAll(gone, 2);
  desk.send(other);
  desk.queue.closed(gone);
  assert.equal(gone.waiting.length, 0);
  desk.settle();
  assert.deepEqual(desk.handled, [other]);
});

it("the queue alternates between eight requests of welcome connections and eight of others", (t) => {
  const desk = new QueueDesk(t);
  const welcome = Array.from({ length: 12 }, () => desk.connect());
  for (const connection of welcome) desk.send(connection);
  desk.settle();
  desk.handled.length = 0;
  const others = Array.from({ length: 20 }, () => desk.connect());
  for (const connection of [...others, ...welcome]) desk.send(connection);
  desk.turn();
  const expected: Connection[] = [
    ...welcome.slice(0, 8),
    ...others.slice(0, 8),
    ...welcome.slice(8),
    ...others.slice(8),
  ];
  assert.ok(expected.every((connection, place) => desk.handled[place] === connection));
  assert.equal(desk.handled.length, expected.length);
});
