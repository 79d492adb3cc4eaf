/** Whom the request queue serves first: clients that were not refused, before those that were. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { empty, pausedOf, QueueDesk, refusal } from "./_queue.ts";

describe("a refused client", () => {
  it("a connection whose answer is a refusal is paused until its turn, and another is not", (t) => {
    const desk = new QueueDesk(t);
    const [refused, welcome] = [desk.connect(), desk.connect()];
    desk.handle = (connection) => (connection === refused ? refusal : empty);
    for (const connection of [refused, welcome]) desk.send(connection);
    const hostile = Array.from({ length: 9 }, () => desk.connect());
    desk.handle = (connection) => (connection === welcome ? empty : refusal);
    for (const connection of hostile) desk.send(connection);
    desk.turn();
    assert.deepEqual([pausedOf([refused, ...hostile]), welcome.isPaused], [8, false]);
    desk.settle();
    assert.equal(pausedOf([refused, ...hostile]), 0);
  });

  it("refused connections of different networks take turns, so that one with many delays no other", (t) => {
    const desk = new QueueDesk(t);
    desk.handle = () => refusal;
    const hostile = Array.from({ length: 500 }, () => desk.connect("192.0.2.1"));
    const other = desk.connect("198.51.100.1");
    for (const connection of [...hostile, other]) desk.send(connection);
    while (desk.handled.length < 501) desk.turn();
    for (let turns = 0; turns < 2 && other.isPaused; turns += 1) desk.turn();
    assert.equal(other.isPaused, false);
    assert.ok(pausedOf(hostile) > 450);
  });

  it("a welcome client waits for at most a turn while 1,000 refused ones repeat their requests at once", (t) => {
    const desk = new QueueDesk(t);
    const polite = desk.connect();
    desk.send(polite);
    desk.settle();
    desk.handle = (connection) => {
      desk.now += 0.25;
      return connection === polite ? empty : refusal;
    };
    const hostile = Array.from({ length: 1000 }, () => desk.connect());
    for (const connection of hostile) desk.send(connection);
    for (let round = 0; round < 100; round += 1) {
      for (const connection of hostile) if (!connection.isPaused && !connection.isBusy) desk.send(connection);
      const response = desk.send(polite);
      desk.turn();
      assert.equal(response.writableEnded, true);
    }
    assert.ok(desk.handled.length < 100 * 20, "turns are short");
  });
});

describe("a welcome client", () => {
  it("stays welcome after an ordinary failure that a limit has counted, but not after a refusal", (t) => {
    const desk = new QueueDesk(t);
    const welcome = [200, 400, 401, 403, 404, 405, 409, 425, 429, 503].filter((status) => {
      const connection = desk.connect();
      desk.handle = () => ({ ...empty, status });
      desk.send(connection);
      desk.turn();
      return connection.isWelcome;
    });
    assert.deepEqual(welcome, [200, 403, 404, 409]);
  });

  it("a connection whose last answer was good is not paused, unless it was for health, which has no limit", (t) => {
    const desk = new QueueDesk(t);
    const connections = ["/wantedreason", "/health", "/ready/?x"].map((url) => {
      const connection = desk.connect();
      desk.send(connection, {}, true, url);
      return connection;
    });
    desk.turn();
    assert.deepEqual(
      connections.map(({ isWelcome }) => isWelcome),
      [true, false, false],
    );
    for (const connection of connections) desk.send(connection);
    desk.settle();
    assert.ok(connections.every(({ isWelcome }) => isWelcome));
  });

  /** Returns a connection that has had so many good answers. */
  function welcomed(desk: QueueDesk, count: number) {
    const connection = desk.connect();
    for (let sent = 0; sent < count; sent += 1) {
      desk.send(connection);
      desk.settle();
    }
    return connection;
  }

  it("of paused welcome connections, the queue resumes by turns that with the most good answers in a row and that which waits longest", (t) => {
    const desk = new QueueDesk(t);
    const connections = [1, 3, 2, 4].map((count) => welcomed(desk, count));
    const order: number[] = [];
    const slowTurn = () => {
      desk.send(desk.connect());
      desk.now += 3;
      desk.turn();
    };
    for (let turns = 0; turns < 10; turns += 1) slowTurn();
    for (const connection of connections) desk.queue.opened(connection);
    while (desk.isScheduled) {
      slowTurn();
      connections.forEach((connection, place) => {
        if (!connection.isPaused && !order.includes(place)) order.push(place);
      });
    }
    assert.deepEqual(order, [3, 0, 1, 2]);
  });

  it("a busy connection makes way after 16 answers while others wait", (t) => {
    const desk = new QueueDesk(t);
    const busy = desk.connect();
    const others = Array.from({ length: 100 }, () => welcomed(desk, 1));
    for (const other of others) desk.queue.opened(other);
    let answers = 0;
    for (; answers < 99 && !busy.isPaused; answers += 1) {
      desk.send(busy);
      desk.now += 3;
      desk.turn();
    }
    assert.equal(answers, 16);
  });
});
