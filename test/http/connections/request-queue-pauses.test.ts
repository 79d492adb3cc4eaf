/** From which connections the request queue reads, in which order it resumes those it has paused, and which it closes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Connection } from "../../../src/http/connections.ts";
import { empty, pausedOf, QueueDesk, refusal } from "./_queue.ts";

/** Runs turns, and returns how many connections are still paused after each. */
function pausedAfterTurns(desk: QueueDesk, connections: readonly Connection[], turns: number): number[] {
  return Array.from({ length: turns }, () => {
    desk.turn();
    return pausedOf(connections);
  });
}

describe("a new connection", () => {
  it("while new connections arrive in each turn, the queue resumes one in 15 turns, by turns the newest and the oldest", (t) => {
    const desk = new QueueDesk(t);
    const opened: Connection[] = [];
    for (let turns = 1; turns <= 30; turns += 1) {
      opened.push(desk.open(), desk.open());
      desk.turn();
      assert.equal(pausedOf(opened), 2 * turns - Math.floor(turns / 15));
    }
    assert.deepEqual([opened[0]?.isPaused, opened.at(-1)?.isPaused], [false, false]);
    desk.settle();
    assert.equal(pausedOf(opened), 0);
  });

  it("networks take turns, so that one that opens many connections delays no other", (t) => {
    const desk = new QueueDesk(t);
    const flood = () => Array.from({ length: 500 }, () => desk.open("192.0.2.1"));
    const flooding = flood();
    const others = [
      desk.open("198.51.100.1"),
      desk.open("2001:db8:0:100::1"),
      desk.open("2001:db8:0:1ff::2"),
    ];
    flooding.push(...flood());
    const busy = desk.connect();
    const paused: number[] = [];
    for (let turns = 0; turns < 6; turns += 1) {
      // Slow turns, each of which resumes one.
      desk.send(busy);
      desk.now += 9;
      desk.turn();
      paused.push(pausedOf(others));
    }
    // The last two are of one network, which waits for the flooding one in between.
    assert.deepEqual(paused, [3, 3, 2, 1, 1, 0]);
    assert.equal(pausedOf(flooding), 998);
  });

  it("a new connection that closes before its turn is not resumed", (t) => {
    const desk = new QueueDesk(t);
    const connection = desk.open();
    desk.queue.closed(connection);
    desk.turn();
    assert.deepEqual([connection.isPaused, desk.isScheduled], [true, false]);
  });

  it("the queue resumes one more new connection in each turn, by turns the newest and the oldest ones", (t) => {
    const desk = new QueueDesk(t);
    const opened = Array.from({ length: 30 }, () => desk.open());
    desk.turn();
    desk.turn();
    assert.deepEqual([pausedOf(opened), opened.at(-1)?.isPaused], [27, false]);
    desk.turn();
    assert.deepEqual([pausedOf(opened), opened[0]?.isPaused], [23, false]);
    desk.settle();
    assert.equal(pausedOf(opened), 0);
  });

  it("the newest of 1,000 new connections is resumed within three turns, even if all turns are slow", (t) => {
    const desk = new QueueDesk(t);
    const opened = Array.from({ length: 1000 }, () => desk.open());
    for (let turns = 0; turns < 3; turns += 1) {
      desk.send(desk.connect());
      desk.now += 9;
      desk.turn();
    }
    assert.deepEqual([opened.at(-1)?.isPaused, pausedOf(opened)], [false, 998]);
  });

  for (const [parsing, handling, resumed] of [
    [2, 0, 3],
    [2.25, 0, 1],
    [0, 2.25, 1],
    [1, 1.5, 1],
  ] as const) {
    it(`the queue resumes ${resumed} after ${parsing} ms of parsing and ${handling} ms of handling`, (t) => {
      const desk = new QueueDesk(t);
      const opened = Array.from({ length: 10 }, () => desk.open());
      desk.turn();
      desk.handle = () => {
        desk.now += handling;
        return empty;
      };
      desk.send(desk.connect());
      desk.now += parsing;
      desk.turn();
      // The first of them was resumed in the turn in which all arrived.
      assert.equal(pausedOf(opened), 10 - resumed);
    });
  }
});

describe("parsing that takes long, and many waiting requests", () => {
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

  it("with 4,096 waiting requests the queue resumes welcome connections, new ones in each 15th turn, and refused ones in each 32nd", (t) => {
    const desk = new QueueDesk(t);
    const [welcome, refused] = [desk.connect(), desk.connect()];
    for (const connection of [welcome, refused]) {
      desk.handle = () => (connection === refused ? refusal : empty);
      desk.send(connection);
      desk.settle();
    }
    desk.handle = () => {
      desk.now += 0.1;
      return empty;
    };
    desk.sendAll(desk.connect(), 6000);
    const fresh = desk.open();
    for (const connection of [welcome, refused]) desk.queue.opened(connection);
    const turns = pausedAfterTurns(desk, [welcome, refused, fresh], 31);
    // The refused one has already had its turn once.
    assert.deepEqual([turns.indexOf(2), turns.indexOf(1), turns.indexOf(0)], [0, 13, 30]);
  });

  it("requests behind answers on their way to the client count as waiting", (t) => {
    const desk = new QueueDesk(t);
    const refused = desk.connect();
    desk.handle = () => refusal;
    desk.send(refused);
    desk.settle();
    const busy = desk.connect();
    const responses = Array.from({ length: 4500 }, () => desk.send(busy, {}, false));
    desk.queue.opened(refused);
    // In each turn one answer is written, and read before the next turn.
    for (const response of responses.slice(0, 4)) {
      desk.turn();
      assert.equal(refused.isPaused, true);
      desk.read(response);
    }
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
      desk.send(connection);
      desk.settle();
      assert.deepEqual([response.writableEnded, connection.isPaused, desk.handled.length], [true, true, 1]);
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

  it("a connection that pipelines is not read from before all its requests are answered, even if all were paused", (t) => {
    const desk = new QueueDesk(t);
    const connection = desk.connect();
    for (let sent = 0; sent < 31; sent += 1) desk.send(desk.connect());
    desk.now += 10;
    const responses = desk.sendAll(connection, 100);
    desk.handle = () => {
      desk.now += 0.5;
      return empty;
    };
    while (responses.at(-1)?.writableEnded === false) {
      assert.equal(connection.isPaused, true);
      desk.turn();
    }
    desk.settle();
    assert.equal(connection.isPaused, false);
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
    assert.deepEqual(pausedAfterTurns(desk, [...others, ...pipelining], 4), [5, 2, 1, 0]);
    assert.equal(pausedOf(others), 0);
    assert.equal(desk.isScheduled, false);
  });

  it("while 64 requests wait, the queue resumes a connection that pipelines in every 32nd turn", (t) => {
    const desk = new QueueDesk(t);
    const pipelining = [desk.openPipelining(), desk.openPipelining()];
    desk.handle = () => {
      desk.now += 2;
      return empty;
    };
    desk.sendAll(desk.connect(), 2000);
    const paused = pausedAfterTurns(desk, pipelining, 70);
    assert.deepEqual([paused.indexOf(1), paused.indexOf(0)], [31, 63]);
  });

  it("a connection that pipelines does not wait for a client that does not read", (t) => {
    const desk = new QueueDesk(t);
    const reluctant = desk.connect();
    desk.send(reluctant, {}, false);
    desk.sendAll(reluctant, 64);
    const held = desk.openPipelining();
    desk.settle();
    assert.deepEqual([reluctant.waiting.length, held.isPaused], [64, false]);
  });

  it("the queue closes a connection that pipelines when more than 16,384 requests wait, and no other", (t) => {
    const desk = new QueueDesk(t);
    const [quiet, busy, latest] = [desk.connect(), desk.connect(), desk.connect()];
    desk.sendAll(quiet, 14);
    desk.flood(busy, 16_384 - 14);
    desk.send(quiet);
    desk.sendAll(latest, 15);
    assert.deepEqual(
      [quiet, busy, latest].map(({ socket }) => socket.destroyed),
      [false, false, false],
    );
    desk.send(latest);
    assert.deepEqual(
      [quiet, busy, latest].map(({ socket }) => socket.destroyed),
      [false, false, true],
    );
  });

  it("requests that are answered or whose connection is closed no longer count as waiting", (t) => {
    const desk = new QueueDesk(t);
    const gone = desk.connect();
    desk.flood(gone, 16_000);
    desk.queue.closed(gone);
    desk.sendAll(desk.connect(), 100);
    desk.settle();
    const latest = desk.connect();
    desk.flood(latest, 16_384);
    assert.equal(latest.socket.destroyed, false);
    desk.flood(latest, 1);
    assert.equal(latest.socket.destroyed, true);
  });
});
