/** The state of closed connections, which the server forgets, whoever closed them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { it, type TestContext } from "node:test";
import { type Connection, Connections } from "../../src/http/connections.ts";

const inTime = { timeout: 60_000 };

interface Desk {
  readonly connections: Connections;
  readonly opened: readonly Connection[];
  /** Resolves when the server has accepted `count` connections. */
  reached(count: number): Promise<void>;
  /** Resolves when `count` connections have been closed on the server's side. */
  closed(count: number): Promise<void>;
  connect(): Promise<Socket>;
}

async function openDesk(t: TestContext, most: number): Promise<Desk> {
  const server: Server = createServer((_, response) => void response.end("answered"));
  const opened: Connection[] = [];
  let closed = 0;
  let changed = () => {};
  const connections = new Connections(most, {
    opened: (connection) => {
      opened.push(connection);
      changed();
    },
    closed: () => {
      closed += 1;
      changed();
    },
  });
  connections.follow(server, false);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    connections.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    connections,
    opened,
    async reached(count) {
      while (opened.length < count) await new Promise<void>((resolve) => (changed = resolve));
    },
    async closed(count) {
      while (closed < count) await new Promise<void>((resolve) => (changed = resolve));
    },
    async connect() {
      const socket = connect(port, "127.0.0.1");
      t.after(() => socket.destroy());
      socket.on("error", () => {}).resume();
      await once(socket, "connect");
      return socket;
    },
  };
}

it("the server forgets a connection that its client closes", inTime, async (t) => {
  const desk = await openDesk(t, 100);
  const kept = await desk.connect();
  for (let count = 1; count <= 5; count += 1) {
    (await desk.connect()).destroy();
    await desk.closed(count);
  }
  assert.equal(kept.destroyed, false);
  assert.deepEqual([...desk.connections], desk.opened.slice(0, 1));
});

it(
  "the server does not count closed connections: an idle one stays while ten others come and go",
  inTime,
  async (t) => {
    const desk = await openDesk(t, 2);
    await desk.connect();
    for (let count = 1; count <= 10; count += 1) {
      (await desk.connect()).destroy();
      await desk.closed(count);
      assert.equal(desk.opened[0]?.socket.destroyed, false);
    }
  },
);

it("the server closes one idle connection for each one beyond the limit", inTime, async (t) => {
  const most = 3;
  const desk = await openDesk(t, most);
  for (let count = 1; count <= 10; count += 1) {
    await desk.connect();
    await desk.reached(count);
    const open = desk.opened.filter(({ socket }) => !socket.destroyed);
    assert.equal(open.length, Math.min(count, most));
    await desk.closed(count - open.length);
  }
});
