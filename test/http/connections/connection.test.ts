/** A connection: whether it is idle, and whether it is read from. */
import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { Connection } from "../../../src/http/connections.ts";

/** A response whose request is on a socket, and which is written or not. */
function responseOn(socket: Socket, isWritten: boolean): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket));
  return Object.defineProperty(response, "writableFinished", { value: isWritten });
}

describe("a connection", () => {
  for (const [waiting, latest, expected] of [
    [0, undefined, true],
    [0, "written", true],
    [0, "unwritten", false],
    [1, undefined, false],
    [1, "written", false],
    [1, "unwritten", false],
  ] as const) {
    it(`a connection with ${waiting} waiting requests and ${latest ?? "no"} response is ${expected ? "" : "not "}idle`, () => {
      const connection = new Connection(new Socket(), 0);
      const response = responseOn(connection.socket, latest === "written");
      if (latest !== undefined) connection.latest = response;
      if (waiting === 1) connection.waiting.push({ request: response.req, response });
      assert.equal(connection.isIdle, expected);
    });
  }

  /** Returns a connection, and counts the calls to its socket. */
  function counted(t: TestContext) {
    const socket = new Socket();
    const pause = t.mock.method(socket, "pause", () => socket).mock;
    const resume = t.mock.method(socket, "resume", () => socket).mock;
    const calls = async () => {
      await new Promise(process.nextTick);
      return [pause.callCount(), resume.callCount()];
    };
    return { connection: new Connection(socket, 0), calls };
  }

  it("a paused connection stops reading once, after the chunk that is being parsed", async (t) => {
    const { connection, calls } = counted(t);
    connection.pause();
    connection.pause();
    assert.equal(connection.isPaused, true);
    assert.deepEqual(await calls(), [1, 0]);
  });

  it("a paused connection stays paused when Node resumes it, until it is resumed itself", async () => {
    const socket = new Socket();
    const connection = new Connection(socket, 0);
    const settled = () => new Promise(setImmediate);
    connection.pause();
    await settled();
    socket.resume();
    await settled();
    assert.equal(socket.isPaused(), true);
    connection.resume();
    await settled();
    assert.equal(socket.isPaused(), false);
  });

  it("a connection that is resumed before it has stopped reading goes on", async (t) => {
    const { connection, calls } = counted(t);
    connection.pause();
    connection.resume();
    assert.equal(connection.isPaused, false);
    assert.deepEqual(await calls(), [0, 1]);
  });

  it("a connection that ends after a response is read from no more, and not kept alive", async (t) => {
    const { connection, calls } = counted(t);
    const response = responseOn(connection.socket, false);
    response.shouldKeepAlive = true;
    connection.endAfter(response);
    connection.resume();
    assert.deepEqual([connection.isPaused, response.shouldKeepAlive], [true, false]);
    assert.deepEqual(await calls(), [1, 0]);
  });
});
