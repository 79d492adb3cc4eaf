/** Which connections a server tracks, pauses and closes, and when, on sockets without a peer and a clock of the test. */
import assert from "node:assert/strict";
import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { type Connection, Connections } from "../../../src/http/connections.ts";

/** A response whose request is on a socket, and which is written or not. */
function responseOn(socket: Socket, isWritten: boolean): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket));
  return Object.defineProperty(response, "writableFinished", { value: isWritten });
}

/** Connections of a server that accepts what a test gives it. */
class Desk {
  now = 100_000;
  readonly server: Server;
  readonly connections: Connections;
  readonly opened: Connection[] = [];
  readonly #t: TestContext;
  #port = 1024;

  constructor(t: TestContext, max: number, secure = false) {
    this.#t = t;
    t.mock.method(performance, "now", () => this.now);
    t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
    this.server = createServer().removeAllListeners("connection");
    this.connections = new Connections(max, {
      opened: (connection) => void this.opened.push(connection),
      closed: () => {},
    });
    this.connections.follow(this.server, secure);
  }

  /** Lets a client connect. */
  accept(prepare: (socket: Socket) => void = () => {}): Socket {
    this.#port += 1;
    const socket = this.socketOf(this.#port);
    prepare(socket);
    this.server.emit("connection", socket);
    return socket;
  }

  /** Completes the TLS handshake of a client. Returns the decrypted socket. */
  secure({ remotePort = 0 }: Socket): Socket {
    const socket = this.socketOf(remotePort);
    this.server.emit("secureConnection", socket);
    return socket;
  }

  socketOf(port: number): Socket {
    const socket = new Socket();
    const values = { remoteAddress: "192.0.2.1", remotePort: port, bytesRead: 0 };
    for (const [name, value] of Object.entries(values))
      Object.defineProperty(socket, name, { value, configurable: true });
    return socket;
  }

  /** Lets bytes arrive. */
  receive(socket: Socket, bytes: number): void {
    Object.defineProperty(socket, "bytesRead", { value: socket.bytesRead + bytes, configurable: true });
  }

  /** Advances the clock. */
  pass(milliseconds: number): void {
    this.now += milliseconds;
    this.#t.mock.timers.tick(milliseconds);
  }
}

/** Resolves when sockets that were destroyed are closed. */
const closing = () => new Promise(setImmediate);

describe("the connections of a server", () => {
  for (const secure of [false, true]) {
    it(`an error of a connection${secure ? " with TLS" : ""} does not end the process`, (t) => {
      const desk = new Desk(t, 10, secure);
      const socket = desk.accept();
      assert.equal(socket.emit("error", new Error("reset")), true);
      if (secure) assert.equal(desk.secure(socket).emit("error", new Error("reset")), true);
    });
  }

  for (const secure of [false, true]) {
    it(`cutting off all connections includes those without a request${secure ? " or handshake" : ""}`, (t) => {
      const desk = new Desk(t, 10, secure);
      const sockets = [desk.accept(), desk.accept()];
      desk.connections.destroy();
      assert.deepEqual(
        sockets.map(({ destroyed }) => destroyed),
        [true, true],
      );
    });
  }
});

describe("room for new connections", () => {
  const destroyed = (sockets: readonly Socket[]) => sockets.map((socket) => socket.destroyed);

  it("the server closes a 64th of its limit at once, those that have been idle longest", async (t) => {
    const desk = new Desk(t, 65);
    const sockets = Array.from({ length: 65 }, () => {
      desk.now += 1;
      return desk.accept();
    });
    assert.ok(!destroyed(sockets).includes(true), "up to the limit all stay");
    desk.connections.of(sockets[0] ?? desk.accept()).lastUsed = desk.now;
    const fresh = desk.accept();
    const expected = sockets.map((_, number) => number === 1 || number === 2);
    assert.deepEqual([destroyed(sockets), fresh.destroyed], [expected, false]);
    // One place is free now, even before the two are closed.
    const next = desk.accept();
    assert.deepEqual([destroyed(sockets), next.destroyed], [expected, false]);
    desk.accept();
    assert.equal(destroyed(sockets).filter(Boolean).length, 4);
    await closing();
    assert.equal(desk.connections.size, 64);
    desk.accept();
    assert.equal(destroyed(sockets).filter(Boolean).length, 4);
    desk.accept();
    assert.equal(destroyed(sockets).filter(Boolean).length, 6);
  });

  it("the server closes a new connection if all others are busy, unless a client has not read its answer for 10 s", async (t) => {
    const desk = new Desk(t, 2);
    const sockets = [desk.accept(), desk.accept()];
    for (const connection of desk.opened) connection.latest = responseOn(connection.socket, false);
    desk.pass(10_000);
    assert.equal(desk.accept().destroyed, true);
    assert.deepEqual(destroyed(sockets), [false, false]);
    assert.equal(desk.opened.length, 2);
    await closing();
    desk.connections.of(sockets[0] ?? desk.accept()).lastUsed = desk.now;
    desk.pass(1);
    assert.equal(desk.accept().destroyed, false);
    assert.deepEqual(destroyed(sockets), [false, true]);
  });
});

describe("TLS handshakes", () => {
  it("the server cuts off a connection whose handshake takes 10 s", (t) => {
    const desk = new Desk(t, 10, true);
    const socket = desk.accept();
    assert.equal(desk.opened.length, 0);
    desk.pass(9_999);
    assert.equal(socket.destroyed, false);
    desk.pass(1);
    assert.equal(socket.destroyed, true);
  });

  it("the server opens a connection after its handshake, which no longer has a deadline", (t) => {
    const desk = new Desk(t, 10, true);
    const socket = desk.accept();
    const decrypted = desk.secure(socket);
    assert.deepEqual(
      desk.opened.map((connection) => connection.socket),
      [decrypted],
    );
    desk.pass(20_000);
    assert.deepEqual([socket.destroyed, decrypted.destroyed], [false, false]);
  });

  it("the server closes slow handshakes before idle connections, the oldest first, and none twice", async (t) => {
    const desk = new Desk(t, 3, true);
    const idle = desk.accept();
    const decrypted = desk.secure(idle);
    const [older, newer] = [desk.accept(), desk.accept()];
    const state = () => [idle, decrypted, older, newer].map((socket) => socket.destroyed);
    desk.pass(2_000);
    desk.accept();
    assert.deepEqual(state(), [false, false, true, false]);
    desk.accept();
    assert.deepEqual(state(), [false, false, true, true]);
    await closing();
    assert.equal(desk.connections.size, 3);
    const others = [desk.accept(), desk.accept()];
    assert.equal(decrypted.destroyed, true);
    assert.deepEqual(
      [older, newer, ...others].map((socket) => socket.destroyed),
      [true, true, false, false],
    );
  });

  it("the server closes idle connections before the handshakes of newcomers", (t) => {
    const desk = new Desk(t, 2, true);
    const decrypted = desk.secure(desk.accept());
    const newcomer = desk.accept();
    desk.pass(1_999);
    desk.accept();
    assert.deepEqual([decrypted.destroyed, newcomer.destroyed], [true, false]);
  });

  it("the server forgets a handshake whose client disconnects", async (t) => {
    const desk = new Desk(t, 1, true);
    desk.accept().destroy();
    await closing();
    const idle = desk.accept();
    const decrypted = desk.secure(idle);
    desk.accept();
    assert.equal(decrypted.destroyed, true);
  });
});

describe("bytes without a request", () => {
  const most = 256 * 1024;

  for (const [bytes, expected] of [
    [most, false],
    [most + 1, true],
  ] as const) {
    it(`the server ${expected ? "cuts off" : "keeps"} a connection on which ${bytes} bytes arrive in a second`, (t) => {
      const desk = new Desk(t, 10);
      const socket = desk.accept();
      for (let second = 1; second <= 3; second += 1) {
        desk.pass(1_000);
        assert.equal(socket.destroyed, false);
        if (second < 3) desk.receive(socket, most);
      }
      desk.receive(socket, bytes);
      desk.pass(1_000);
      assert.equal(socket.destroyed, expected);
    });
  }

  it("the server keeps a connection with a request in the last second", (t) => {
    const desk = new Desk(t, 10);
    const socket = desk.accept();
    const connection = desk.connections.of(socket);
    connection.lastUsed = desk.now + 1;
    desk.receive(socket, 2 * most);
    desk.pass(1_000);
    assert.equal(socket.destroyed, false);
    connection.lastUsed = desk.now;
    desk.receive(socket, 2 * most);
    desk.pass(1_000);
    assert.equal(socket.destroyed, true);
  });

  it("the server keeps a connection whose request is in progress", (t) => {
    const desk = new Desk(t, 10);
    const socket = desk.accept();
    desk.pass(5_000);
    desk.connections.of(socket).isBusy = true;
    desk.receive(socket, 2 * most);
    desk.pass(1_000);
    assert.equal(socket.destroyed, false);
  });
});

describe("the deadline of silence", () => {
  const silence = 60_000;

  it("a connection has one within a second, also after a request has ended it", (t) => {
    const desk = new Desk(t, 10);
    const socket = desk.accept();
    desk.pass(999);
    assert.equal(socket.timeout, undefined);
    desk.pass(1);
    assert.equal(socket.timeout, silence);
    // As Node does when a request begins.
    socket.setTimeout(0);
    desk.pass(1_000);
    assert.equal(socket.timeout, silence);
    socket.destroy();
  });

  it("a connection with TLS has one on its decrypted side", (t) => {
    const desk = new Desk(t, 10, true);
    const socket = desk.accept();
    const decrypted = desk.secure(socket);
    desk.pass(1_000);
    assert.deepEqual([socket.timeout, decrypted.timeout], [undefined, silence]);
    decrypted.destroy();
  });
});
