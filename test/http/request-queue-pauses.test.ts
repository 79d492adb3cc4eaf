/** When the request queue pauses connections, and in which order it resumes them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { empty, pausedOf, QueueDesk } from "./_queue.ts";

describe("a new connection", () => {
  it("a new connection is paused until the next turn of the queue", (t) => {
    const desk = new QueueDesk(t);
    const connection = desk.open();
    assert.equal(connection.isPaused, true);
    desk.turn();
    assert.deepEqual([connection.isPaused, desk.isScheduled], [false, false]);
  });

  it("a new connection that closes before the next turn of the queue is not resumed", (t) => {
    const desk = new QueueDesk(t);
    const connection = desk.open();
    desk.queue.close(connection);
    desk.turn();
    assert.deepEqual([connection.isPaused, desk.isScheduled], [true, false]);
  });

  it("the queue resumes twice as many new connections in each turn", (t) => {
    const desk = new QueueDesk(t);
    const opened = Array.from({ length: 40 }, () => desk.open());
    for (const paused of [38, 34, 26, 10, 0]) {
      desk.now += 1_000;
      desk.turn();
      assert.equal(pausedOf(opened), paused);
      assert.ok(
        opened.slice(0, 40 - paused).every(({ isPaused }) => !isPaused),
        "the oldest first",
      );
    }
    assert.equal(desk.isScheduled, false);
  });

  for (const [parsing, handling, resumed] of [
    [5, 0, 2],
    [5.25, 0, 1],
    [0, 5, 2],
    [0, 5.25, 1],
    [2, 3, 2],
    [3, 3, 1],
  ] as const) {
    it(`the queue resumes ${resumed} after ${parsing} ms of parsing and ${handling} ms of handling`, (t) => {
      const desk = new QueueDesk(t);
      const opened = Array.from({ length: 10 }, () => desk.open());
      desk.handle = () => {
        desk.now += handling;
        return empty;
      };
      desk.send(desk.connect());
      desk.now += parsing;
      desk.turn();
      assert.equal(pausedOf(opened), 10 - resumed);
    });
  }

  it("the queue resumes one new connection in a turn after a slow one, and then more again", (t) => {
    const desk = new QueueDesk(t);
    const opened = Array.from({ length: 40 }, () => desk.open());
    const paused: number[] = [];
    for (const milliseconds of [0, 0, 6, 6, 0, 0]) {
      desk.send(desk.connect());
      desk.now += milliseconds;
      desk.turn();
      paused.push(pausedOf(opened));
    }
    assert.deepEqual(paused, [38, 34, 33, 32, 30, 26]);
  });
});

describe("parsing that takes long", () => {
  for (const [requests, milliseconds, expected] of [
    [31, 1_000, false],
    [32, 9.75, false],
    [32, 10, true],
    [33, 1_000, true],
  ] as const) {
    const what = expected ? "pauses all connections" : "pauses no connection";
    it(`the queue ${what} when ${requests} requests have taken ${milliseconds} ms to parse`, (t) => {
      const desk = new QueueDesk(t);
      const connections = Array.from({ length: requests }, () => desk.connect());
      const silent = desk.connect();
      connections.forEach((connection, number) => {
        if (number === 1) desk.now += milliseconds;
        desk.send(connection);
      });
      assert.equal(silent.isPaused, expected);
      assert.equal(pausedOf(connections), expected ? requests : 0);
      desk.settle();
      assert.deepEqual([silent.isPaused, pausedOf(connections)], [false, 0]);
    });
  }

  it("the queue resumes paused connections that have sent a request and new ones, one of each in a slow turn", (t) => {
    const desk = new QueueDesk(t);
    const known = Array.from({ length: 31 }, () => desk.connect());
    const fresh = Array.from({ length: 5 }, () => desk.connect());
    for (const connection of known) desk.send(connection);
    desk.now += 10;
    for (const connection of known.slice(0, 1)) desk.send(connection);
    desk.turn();
    assert.deepEqual([pausedOf(known), pausedOf(fresh)], [30, 4]);
    desk.turn();
    assert.deepEqual([pausedOf(known), pausedOf(fresh)], [28, 2]);
  });

  for (const headers of [{ "transfer-encoding": "chunked" }, { "content-length": "65537" }]) {
    const text = JSON.stringify(headers);
    it(`a long body pauses all connections when parsing has taken 10 ms: ${text}`, (t) => {
      const desk = new QueueDesk(t);
      const [first, second, silent] = [desk.connect(), desk.connect(), desk.connect()];
      desk.send(first);
      desk.now += 10;
      desk.send(second, headers);
      assert.equal(silent.isPaused, true);
    });

    it(`the connection of a long body is never read from again, and closes after the answer: ${text}`, (t) => {
      const desk = new QueueDesk(t);
      const connection = desk.connect();
      const response = desk.send(connection, headers);
      assert.deepEqual([connection.isPaused, response.shouldKeepAlive], [true, false]);
      desk.settle();
      assert.deepEqual([response.writableEnded, connection.isPaused], [true, true]);
    });
  }

  for (const headers of [{}, { "content-length": "0" }, { "content-length": "65536" }]) {
    it(`a body of at most 65,536 bytes is read: ${JSON.stringify(headers)}`, (t) => {
      const desk = new QueueDesk(t);
      const connection = desk.connect();
      const { shouldKeepAlive } = desk.send(desk.connect(), {});
      desk.now += 1_000;
      const response = desk.send(connection, headers);
      assert.deepEqual([connection.isPaused, response.shouldKeepAlive], [false, shouldKeepAlive]);
    });
  }
});

describe("a connection that pipelines", () => {
  it("the queue pauses a connection with 16 waiting requests until all are answered", (t) => {
    const desk = new QueueDesk(t);
    const connection = desk.connect();
    desk.sendAll(connection, 15);
    assert.deepEqual([connection.isPaused, connection.pipelines], [false, false]);
    const last = desk.send(connection);
    assert.deepEqual([connection.isPaused, connection.pipelines], [true, true]);
    desk.handle = () => {
      assert.equal(connection.isPaused, true);
      return empty;
    };
    desk.settle();
    assert.deepEqual([last.writableEnded, connection.isPaused, connection.pipelines], [true, false, true]);
  });

  it("the queue does not resume a connection that is cut off", (t) => {
    const desk = new QueueDesk(t);
    const connection = desk.connect();
    desk.sendAll(connection, 16);
    connection.socket.destroy();
    desk.settle();
    assert.equal(connection.isPaused, true);
  });

  it("the queue resumes connections that pipeline after all others, one in a turn", (t) => {
    const desk = new QueueDesk(t);
    const pipelining = [desk.openPipelining(), desk.openPipelining()];
    const others = [desk.open(), desk.open(), desk.open()];
    const paused: [number, number][] = [];
    for (let turns = 0; turns < 3; turns += 1) {
      desk.turn();
      paused.push([pausedOf(others), pausedOf(pipelining)]);
    }
    assert.deepEqual(paused, [
      [1, 2],
      [0, 1],
      [0, 0],
    ]);
    assert.equal(desk.isScheduled, false);
  });

  it("the queue resumes no connection that pipelines in a slow turn, but in the next", (t) => {
    const desk = new QueueDesk(t);
    const connection = desk.openPipelining();
    desk.send(desk.connect());
    desk.now += 6;
    desk.turn();
    assert.equal(connection.isPaused, true);
    desk.turn();
    assert.equal(connection.isPaused, false);
  });
});
