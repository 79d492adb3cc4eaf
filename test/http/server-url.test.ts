/** The URL of a server. */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { it } from "node:test";
import { startServer } from "../../src/http/server.ts";
import { answerTo } from "./_server.ts";

const host = "127.0.0.80";

/** Why the default port of HTTP cannot be tried here; undefined if it can. */
const obstacle = await new Promise<string | undefined>((resolve) => {
  const server = createServer()
    .once("error", ({ message }) => resolve(message))
    .listen(80, host, () => server.close(() => resolve(undefined)));
});

it("the URL of the default port has neither a port nor a colon", { skip: obstacle }, async (t) => {
  const server = await startServer({
    host,
    port: 80,
    fetch: () => new Response("not asked", { status: 500 }),
    answerPlain: answerTo,
  });
  t.after(() => server.close());
  assert.equal(server.url, `http://${host}`);
  assert.equal(await (await fetch(`${server.url}/here`)).text(), "for /here");
});
