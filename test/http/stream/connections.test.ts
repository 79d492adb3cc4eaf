/** The connections of streams: they are bounded, are cut off when they are not read, and close first. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { EventStream } from "../../../src/http/stream/event-stream.ts";
import { HeldChanges } from "../../_held-changes.ts";
import { openWorld, prefix, shippedRoutes } from "../../_setup.ts";
import { inTime, openServer, requestFor } from "../_server.ts";
import { type Listening, listen, listenAt } from "./_listening.ts";

/** Opens a server of which one path is a stream of the public token. */
async function open(t: TestContext, secure: boolean, options: { readonly maxConnections?: number } = {}) {
  const world = await openWorld(t);
  const { fetch, answerPlain } = world.service;
  const server = await openServer(t, { fetch, answerPlain, ...options }, secure);
  const path = `${prefix}/${world.publicToken}`;
  return {
    ...server,
    world,
    path,
    /** Connects, and opens a stream. */
    async listen() {
      const client = await server.connect();
      client.socket.write(requestFor(`${path}/stream`));
      while (!client.received().includes("event: event")) await once(client.socket, "data");
      return client;
    },
    async sizeIs(size: number) {
      while (world.service.streams.size !== size) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

for (const secure of [false, true]) {
  describe(`the connection of a stream${secure ? ", with TLS" : ""}`, inTime, () => {
    it("is no longer counted when its client has closed it", async (t) => {
      const opened = await open(t, secure);
      const [closing, ending] = [await opened.listen(), await opened.listen()];
      assert.equal(opened.world.service.streams.size, 2);
      closing.socket.destroy();
      ending.socket.end();
      await opened.sizeIs(0);
      await ending.closed;
      const early = await opened.connect();
      early.socket.end(requestFor(`${opened.path}/stream`));
      await early.closed;
      assert.equal(opened.world.service.streams.size, 0);
    });

    it("is cut off when its client sends another request", async (t) => {
      const opened = await open(t, secure);
      const { socket, closed } = await opened.listen();
      socket.write(requestFor(`${opened.path}/event`));
      assert.doesNotMatch(await closed, /"bankRob".*"bankRob"/s);
      const pipelining = await opened.connect();
      pipelining.socket.write(requestFor(`${opened.path}/stream`) + requestFor(`${opened.path}/event`));
      await pipelining.closed;
      // Behind a body of which the rest never comes, its end could not be noticed.
      const { socket: sending, closed: refused } = await opened.connect();
      const head = `GET ${opened.path}/stream HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n`;
      sending.write(head);
      await refused;
      await opened.sizeIs(0);
    });

    it("begins behind another answer", async (t) => {
      const opened = await open(t, secure);
      const { socket, received } = await opened.connect();
      socket.write(requestFor(`${opened.path}/event`) + requestFor(`${opened.path}/stream`));
      while (!received().includes("event: event\n")) await once(socket, "data");
      assert.equal(opened.world.service.streams.size, 1);
    });

    it("is not closed to make room for others", async (t) => {
      const opened = await open(t, secure, { maxConnections: 8 });
      const { received } = await opened.listen();
      for (let index = 0; index < 30; index += 1) await opened.connect();
      await opened.world.service.administer("group.add", { player: "Bob", group: "VIP" });
      while (!received().includes("changed")) await new Promise((resolve) => setTimeout(resolve, 5));
    });

    it("closes first when the server does", async (t) => {
      const opened = await open(t, secure);
      const { closed } = await opened.listen();
      const held = new HeldChanges(t, opened.world.service);
      const changing = await opened.connect();
      const { outcome } = await held.submit(() => {
        changing.socket.write(requestFor(`${opened.path}/event/gangwar?attacker=1&defender=0`));
        return changing.closed;
      });
      const all = opened.server.close();
      assert.match(await closed, /\r\n0\r\n\r\n$/, "it ends as a whole answer does");
      await held.release();
      assert.match(await outcome, /^HTTP\/1\.1 200 /);
      await all;
    });
  });
}

it("a client that does not read is cut off, and little is held for it", inTime, async (t) => {
  let cut = false;
  let unread = 0;
  const ended = new Promise<void>((resolve) => {
    const server = createServer((_, response) => {
      const stream = new EventStream(() => {}, resolve);
      stream.begin(response, () => {
        cut = true;
        unread = response.writableLength;
        response.destroy();
      });
      const event = Buffer.alloc(1024, ":");
      const writing = setInterval(() => {
        for (let index = 0; index < 1000; index += 1) stream.write(event);
      });
      t.after(() => clearInterval(writing));
    }).listen(0, "127.0.0.1", () => {
      const address = server.address();
      const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1").pause();
      socket.on("error", () => {}).write(requestFor("/"));
      t.after(() => socket.destroy());
    });
    t.after(() => server.close());
  });
  await ended;
  assert.equal(cut, true);
  assert.ok(unread < 64 * 1024 + 2048, `${unread} bytes are unread`);
});

it("one network cannot take the streams of all visitors, nor those of all players", inTime, async (t) => {
  const world = await openWorld(t, { transport: "socket" });
  const { token } = await world.player("Ada");
  const { streams } = world.service;
  const paths = { visitor: "/overlay/gangwar/stream", publicToken: `${prefix}/${world.publicToken}/stream` };
  for (const path of Object.values(paths)) {
    const opened: Listening[] = [];
    while (opened.at(-1)?.response.statusCode !== 503) opened.push(await listenAt(t, `${world.url}${path}`));
    assert.equal(opened.length - 1, 100, path);
    opened[0]?.close();
    while (streams.size % 100 === 0) await new Promise(setImmediate);
    assert.equal((await listenAt(t, `${world.url}${path}`)).response.statusCode, 200, "after one has ended");
  }
  assert.throws(() => streams.open(undefined, "127.0.0.1", "gangwar"), { code: "STORE_UNAVAILABLE" });
  streams.open(undefined, "192.0.2.1", "gangwar").end();
  assert.equal((await listen(t, world, token)).response.statusCode, 200);
});

it("opening a stream asks for no report of the process, which lists every connection", inTime, async (t) => {
  const world = await openWorld(t, { transport: "socket" });
  await listen(t, world, world.publicToken);
  const report = t.mock.method(process.report, "getReport");
  await listen(t, world, world.publicToken);
  assert.equal(report.mock.callCount(), 0);
});

it(
  "a stream that its own beginning ends, as the oldest of a player, ends without an error",
  inTime,
  async (t) => {
    const errors: Error[] = [];
    const server = createServer((_, response) => {
      const stream: EventStream = new EventStream(
        () => stream.end(),
        () => {},
      );
      stream.push(Buffer.from("event: event\n\n"));
      response.on("error", (error) => errors.push(error));
      stream.begin(response, () => {});
    });
    t.after(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    assert.equal(await answer.text(), "retry: 2000\n\nevent: event\n\n");
    assert.deepEqual(errors, []);
  },
);

it("a stream that ends before it begins is over at once", inTime, async (t) => {
  let ended = 0;
  const server = createServer((_, response) => {
    const stream = new EventStream(
      () => {},
      () => (ended += 1),
    );
    stream.end();
    stream.begin(response, () => response.destroy());
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const address = server.address();
  const { port } = typeof address === "object" && address !== null ? address : { port: 0 };
  assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), "");
  assert.equal(ended, 1);
});

it("visitors have a stream of the score while there is an overlay", inTime, async (t) => {
  const world = await openWorld(t);
  const { streams, routes } = world.service;
  const { server } = await openServer(t, world.service);
  const stream = await listenAt(t, `${server.url}/overlay/gangwar/stream`);
  assert.deepEqual(await stream.next(), { event: "score", data: { attacker: 0, defender: 0 } });
  const { token } = await world.player("Ada");
  await world.ok(token, "/event/bomb", { startTime: world.clock.time });
  await world.ok(token, "/event/gangwar", { attacker: 3, defender: 2 });
  assert.deepEqual(await stream.next(), { event: "score", data: { attacker: 3, defender: 2 } });
  streams.use({ ...routes.table, pages: routes.table.pages.filter(({ name }) => name !== "overlay") });
  await stream.ended;
  assert.deepEqual(stream.waiting, []);
});

it("a visitor's stream ends when its score leaves the table", inTime, async (t) => {
  const shipped = await readFile(shippedRoutes, "utf8");
  const routes = shipped.replace(/^scores:\n/m, "scores:\n  final: [red, blue]\n");
  const world = await openWorld(t, { transport: "socket", routes });
  const [leaving, staying] = await Promise.all(
    ["final", "gangwar"].map((score) => listenAt(t, `${world.url}/overlay/${score}/stream`)),
  );
  await leaving?.next();
  await writeFile(world.service.routes.file, shipped);
  await world.service.reloadRoutes();
  await leaving?.ended;
  await world.service.call("/event/gangwar", [
    ["attacker", "1"],
    ["defender", "0"],
  ]);
  while ((await staying?.next())?.data.attacker !== 1);
});
