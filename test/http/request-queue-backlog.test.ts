/** From which connections the request queue reads while many requests wait, and which ones it closes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Connection } from "../../src/http/connections.ts";
import { empty, pausedOf, QueueDesk } from "./_queue.ts";

describe("many waiting requests", () => {
  it("with 64 waiting requests the queue resumes a new connection in each turn, and the newest in every 32nd", (t) => {
    const desk = new QueueDesk(t);
    desk.fill(64);
    const opened = Array.from({ length: 100 }, () => desk.open());
    for (let turn = 2; turn <= 31; turn += 1) desk.turn();
    assert.ok(opened.every(({ isPaused }, number) => isPaused === number >= 30));
    desk.turn();
    assert.ok(opened.every(({ isPaused }, number) => isPaused === (number >= 31 && number < 99)));
    desk.turn();
    assert.ok(opened.every(({ isPaused }, number) => isPaused === (number >= 32 && number < 99)));
  });

  it("with 64 waiting requests the queue resumes a connection that pipelines in every 32nd turn", (t) => {
    const desk = new QueueDesk(t);
    desk.fill(64);
    const pipelining = [desk.openPipelining(), desk.openPipelining()];
    desk.turn();
    assert.equal(desk.isScheduled, false);
    const resumed: number[] = [];
    for (let turn = 3; turn <= 70; turn += 1) {
      const before = pausedOf(pipelining);
      desk.send(desk.connect());
      desk.turn();
      if (pausedOf(pipelining) < before) resumed.push(turn);
    }
    assert.deepEqual(resumed, [32, 64]);
  });

  for (const [waiting, paused] of [
    [4095, 9],
    [4096, 10],
  ] as const) {
    const what = paused === 9 ? "a new connection and" : "no new connection, but";
    it(`with ${waiting} waiting requests the queue resumes ${what} a known one in a turn`, (t) => {
      const desk = new QueueDesk(t);
      desk.fill(waiting);
      const known = Array.from({ length: 10 }, () => desk.connect());
      for (const connection of known) desk.send(connection);
      desk.settle();
      for (const connection of known) desk.queue.open(connection);
      const fresh = Array.from({ length: 10 }, () => desk.open());
      desk.turn();
      assert.deepEqual([pausedOf(fresh), pausedOf(known)], [paused, 9]);
      assert.equal(desk.isScheduled, true);
    });
  }

  it("a connection that pipelines does not wait for a client that does not read", (t) => {
    const desk = new QueueDesk(t);
    const reluctant = desk.connect();
    desk.send(reluctant, {}, false);
    desk.sendAll(reluctant, 64);
    const held = desk.openPipelining();
    desk.settle();
    assert.deepEqual([reluctant.waiting.length, held.isPaused], [64, false]);
  });

  it("with 4,096 waiting requests the queue resumes the newest connection in every 32nd turn, and none that pipelines", (t) => {
    const desk = new QueueDesk(t);
    desk.fill(4096);
    const pipelining = desk.openPipelining();
    const [older, newest] = [desk.open(), desk.open()];
    for (let turn = 2; turn <= 31; turn += 1) desk.turn();
    assert.deepEqual([older.isPaused, newest.isPaused], [true, true]);
    desk.turn();
    assert.deepEqual([older.isPaused, newest.isPaused, pipelining.isPaused], [true, false, true]);
  });
});

/** Returns whether so many requests wait that connections that pipeline are rarely read from. */
function isBehind(desk: QueueDesk): boolean {
  const connection = desk.openPipelining();
  desk.turn();
  const { isPaused } = connection;
  desk.queue.close(connection);
  return isPaused;
}

describe("the requests that count as waiting", () => {
  const cases: Record<string, (desk: QueueDesk) => void> = {
    "at first": () => {},
    "after 100 requests are answered": (desk) => {
      desk.sendAll(desk.connect(), 100);
      desk.settle();
    },
    "while 100 requests wait for a client that does not read": (desk) => {
      const stuck = desk.connect();
      desk.send(stuck, {}, false);
      desk.sendAll(stuck, 100);
      desk.settle();
      desk.send(desk.connect());
      desk.settle();
      desk.send(desk.connect());
      desk.settle();
    },
    "while a client that does not read sends 100 more": (desk) => {
      const stuck = desk.connect();
      desk.send(stuck, {}, false);
      desk.send(stuck);
      desk.turn();
      desk.send(desk.connect());
      desk.turn();
      desk.sendAll(stuck, 100);
    },
    "after a client has read late": (desk) => {
      const late = desk.connect();
      const first = desk.send(late, {}, false);
      desk.sendAll(late, 100);
      desk.turn();
      desk.send(desk.connect());
      desk.turn();
      desk.read(first);
      desk.settle();
    },
    "after a client has read before the next turn": (desk) => {
      const late = desk.connect();
      const first = desk.send(late, {}, false);
      desk.sendAll(late, 100);
      desk.turn();
      desk.read(first);
      desk.settle();
    },
    "after a client that did not read has disconnected": (desk) => {
      const stuck = desk.connect();
      desk.send(stuck, {}, false);
      desk.sendAll(stuck, 100);
      desk.turn();
      desk.send(desk.connect());
      desk.turn();
      stuck.socket.destroy();
      desk.queue.close(stuck);
    },
    "after a client with 100 waiting requests has disconnected": (desk) => {
      const gone = desk.connect();
      desk.sendAll(gone, 100);
      gone.socket.destroy();
      desk.queue.close(gone);
      desk.settle();
    },
    "after an answer that closes its connection before 100 requests": (desk) => {
      const ending = desk.connect();
      desk.handle = () => {
        ending.isEnding = true;
        return empty;
      };
      desk.sendAll(ending, 101);
      desk.turn();
    },
  };
  for (const [when, prepare] of Object.entries(cases)) {
    it(`the queue pauses connections that pipeline when 64 requests can begin, ${when}`, (t) => {
      const desk = new QueueDesk(t);
      prepare(desk);
      const busy = desk.fill(63);
      assert.equal(isBehind(desk), false);
      desk.send(busy);
      assert.equal(isBehind(desk), true);
    });
  }
});

describe("too many waiting requests", () => {
  const most = 65_536;

  /** Returns a connection whose client does not read, with waiting requests. */
  function addStuck(desk: QueueDesk, waiting: number): Connection {
    const connection = desk.connect();
    desk.send(connection, {}, false);
    desk.sendAll(connection, waiting);
    desk.turn();
    desk.send(desk.connect());
    desk.settle();
    assert.equal(connection.waiting.length, waiting);
    return connection;
  }

  it("the queue closes a connection that pipelines when more than 65,536 requests wait", (t) => {
    const desk = new QueueDesk(t);
    const [quiet, latest] = [desk.connect(), desk.connect()];
    desk.sendAll(quiet, 15);
    desk.flood(latest, most - 15);
    assert.equal(latest.socket.destroyed, false);
    desk.flood(latest, 1);
    assert.deepEqual([latest.socket.destroyed, latest.waiting.length], [true, 0]);
    assert.deepEqual([quiet.socket.destroyed, quiet.waiting.length], [false, 15]);
  });

  it("the queue closes no connection with few requests, however many wait", (t) => {
    const desk = new QueueDesk(t);
    const [quiet, busy] = [desk.connect(), desk.connect()];
    desk.flood(busy, most);
    desk.sendAll(quiet, 15);
    assert.deepEqual([busy.socket.destroyed, quiet.socket.destroyed], [false, false]);
  });

  it("the queue first closes connections whose clients do not read, those that are stuck longest first", (t) => {
    const desk = new QueueDesk(t);
    const stuck = [addStuck(desk, 20), addStuck(desk, 20)];
    const latest = desk.connect();
    const destroyed = () => [...stuck, latest].map(({ socket }) => socket.destroyed);
    desk.flood(latest, most - 40);
    assert.deepEqual(destroyed(), [false, false, false]);
    desk.flood(latest, 1);
    assert.deepEqual(destroyed(), [true, false, false]);
    desk.flood(latest, 20);
    assert.deepEqual(destroyed(), [true, true, false]);
    desk.flood(latest, 20);
    assert.deepEqual(destroyed(), [true, true, true]);
  });

  it("the queue closes no client in vain that has read or disconnected before the next turn", (t) => {
    const desk = new QueueDesk(t);
    const [gone, late] = [desk.connect(), desk.connect()];
    const first = desk.send(late, {}, false);
    desk.send(gone, {}, false);
    for (const connection of [gone, late]) desk.send(connection);
    desk.turn();
    gone.socket.destroy();
    desk.queue.close(gone);
    desk.read(first);
    desk.settle();
    const latest = desk.connect();
    desk.flood(latest, most + 1);
    assert.deepEqual([late.socket.destroyed, latest.socket.destroyed], [false, true]);
  });

  it("the queue closes no client in vain that has not read its last answer, and has sent nothing since", (t) => {
    const desk = new QueueDesk(t);
    const [idle, latest] = [desk.connect(), desk.connect()];
    desk.send(idle, {}, false);
    desk.turn();
    desk.send(desk.connect());
    desk.turn();
    desk.flood(latest, most + 1);
    assert.deepEqual([idle.socket.destroyed, latest.socket.destroyed], [false, true]);
  });
});
