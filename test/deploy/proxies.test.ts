/** Tests of deploy/Caddyfile and deploy/nginx.conf with the real programs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { assertIncludes, assertLacks, type Cleanup, prefix } from "../_setup.ts";
import { type Serving, serveProcess } from "../cli/_process.ts";
import { emptyDesk } from "../cli/_setup.ts";
import { freePort } from "../docs/_page.ts";
import { Listening } from "../http/stream/_listening.ts";
import { type Received, secure, send, sendRaw } from "./_exchange.ts";
import { proxies, type RunningProxy, startProxy } from "./_proxy.ts";

/** A token that does not exist. */
const unknown = `gat_${"x".repeat(43)}`;
/** Headers with a token, such as a browser or a client might send. */
const headers = {
  Authorization: `Bearer ${unknown}`,
  Referer: `https://127.0.0.1${prefix}/${unknown}/event`,
  Cookie: `token=${unknown}`,
  "X-Token": unknown,
};
/** The address from which the requests of these tests come: another one than that of the proxy. */
const localAddress = "127.0.0.2";

const portOf = (url: string) => Number(new URL(url).port);

for (const kind of proxies) {
  describe(`the shipped configuration of ${kind.name}`, { skip: kind.skip }, () => {
    const endings: (() => unknown)[] = [];
    const whole: Cleanup = { after: (work: () => unknown) => void endings.push(work) };
    let serving: Serving;
    let proxy: RunningProxy;
    let port = 0;

    before(async () => {
      serving = await serveProcess(await emptyDesk(whole), ["--log-address", "--trusted-proxy", "127.0.0.1"]);
      port = portOf(serving.base);
      proxy = await startProxy(whole, kind, port);
    });
    after(async () => {
      for (const end of endings.reverse()) await end();
    });

    /** Calls an operation with the public token through the proxy. */
    const call = (path: string, options?: Parameters<typeof send>[2]) =>
      send(secure(proxy), `${prefix}/${serving.token}${path}`, options);

    it("redirects http to https", async () => {
      const path = `${prefix}/-/wantedreason?x=1`;
      const answer = await send({ port: proxy.ports.http }, path);
      assert.equal(answer.status, 308);
      assert.match(
        answer.headers.location ?? "",
        /^https:\/\/127\.0\.0\.1(?::\d+)?\/gameaddon\/v1\/-\/wantedreason\?x=1$/,
      );
    });

    it("passes reads, changes, preflights and failures on", async () => {
      const read = await call("/player/groups");
      assert.equal(read.status, 200);
      assertIncludes(read.text, "TARGETLIST");
      assert.equal(read.headers["cache-control"], "private, no-cache");
      const again = await call("/player/groups", { headers: { "If-None-Match": String(read.headers.etag) } });
      assert.equal(again.status, 304);
      const changed = await call("/event/gangwar?attacker=3&defender=5");
      assert.deepEqual([changed.status, changed.headers["cache-control"]], [200, "no-store"]);
      assertIncludes((await call("/event")).text, '"gangwar":{"attacker":3,"defender":5}');
      assert.equal((await call("/player/groups", { method: "HEAD" })).status, 200);
      assert.equal((await call("/player/groups", { method: "OPTIONS" })).status, 204);
      const failure = await call("/wantedreason/add?reason=Theft&points=1");
      assert.deepEqual([failure.status, JSON.parse(failure.text).code], [403, "RESTRICTED"]);
    });

    it("passes a stream on as it comes, uncompressed", async (t) => {
      const { certificate: ca, ports } = proxy;
      const url = `https://127.0.0.1:${ports.https}${prefix}/-/stream`;
      const bearer = { Authorization: `Bearer ${serving.token}`, "Accept-Encoding": "gzip" };
      const asked = request(url, { ca, agent: false, headers: bearer }).end();
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      t.after(() => response.destroy());
      const stream = new Listening(response);
      assert.equal((await stream.next()).event, "event");
      assert.equal(response.headers["content-encoding"], undefined);
      for (const attacker of [7, 8]) {
        const changed = await call(`/event/gangwar?attacker=${attacker}&defender=0`);
        assert.equal(changed.status, 200);
        const began = performance.now();
        assert.equal((await stream.next()).data.gangwar.attacker, attacker);
        assert.ok(performance.now() - began < 1000, "it is not held back");
      }
    });

    it("passes a token in the Authorization header on", async () => {
      const bearer = { Authorization: `Bearer ${serving.token}` };
      const { status } = await send(secure(proxy), `${prefix}/-/player/groups`, { headers: bearer });
      assert.equal(status, 200);
    });

    it("shows the documentation, but no metrics", async () => {
      const pages = ["/", "/docs", `${prefix}/openapi.json`, "/health", "/ready", "/metrics"];
      const answers = await Promise.all(pages.map((page) => send(secure(proxy), page)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 200, 404],
      );
    });

    it("tells browsers to use https only", async () => {
      assert.equal((await call("/event")).headers["strict-transport-security"], "max-age=31536000");
    });

    it("passes a path and a query on as they are", async () => {
      const api = `${prefix}/${serving.token}`;
      for (const path of [
        `${api}/player/groups/`,
        `${api}//player/groups`,
        `/${api}/player/groups`,
        `${api}/event/../player/groups`,
        `${api}/event/%2e%2e/player/groups`,
        `${api}/./player/groups`,
        `${api}/player%2Fgroups`,
        `${api}/%70layer/groups`,
        `${api}/statistic/Zo%C3%AB`,
        `${api}/statistic/a%20b`,
        `${api}/statistic/a%2Fb`,
        `${api}/player/groups?a;b`,
        `${api}/player/groups?a=%zz`,
        `${api}/player/groups?`,
        `${api}/houseban?advanced=%74rue`,
        `${api}/houseban?advanced=false&advanced=false`,
        `${api}/event/gangwar?attacker=+1&defender=1%20`,
        `${api}/houseban?${"x".repeat(7800)}`,
        `${api}/houseban?${"x".repeat(8200)}`,
      ]) {
        const direct = await send({ port }, path);
        const passed = await send(secure(proxy), path);
        assert.deepEqual(
          outcome(passed),
          outcome(direct),
          path.replace(serving.token, "<token>").slice(0, 80),
        );
      }
    });

    it("leaves long headers to the service", async () => {
      const long = (length: number) => call("/event", { headers: { "X-Long": "x".repeat(length) } });
      assert.equal((await long(15_000)).status, 200);
      assertIncludes((await long(20_000)).text, '"code":"REQUEST_TOO_LARGE"');
    });

    it("states the client's address, whatever the client claims", async () => {
      const forged = {
        "X-Forwarded-For": "203.0.113.9",
        Forwarded: "for=203.0.113.9",
        "X-Real-IP": "203.0.113.9",
      };
      const answer = await call("/event", { headers: forged, localAddress });
      const line = new RegExp(`.*"requestId":"${answer.headers["x-request-id"]}".*`);
      const [logged] = await serving.child.shows("stderr", line);
      assert.equal(JSON.parse(logged).address, localAddress);
    });

    it("writes no token to a log, whatever goes wrong", async (t) => {
      const own = await startProxy(t, kind, port);
      const paths = [`${prefix}/${serving.token}/event`, `${prefix}/${unknown}/event`, `/${unknown}`];
      for (const path of paths) {
        await send({ port: own.ports.http }, path, { headers });
        await send(secure(own), path, { headers });
        await send(secure(own), path, { headers: { ...headers, "User-Agent": unknown }, method: "DELETE" });
        for (const bytes of malformed(path)) {
          await sendRaw(secure(own), bytes);
          await sendRaw({ port: own.ports.http }, bytes);
          // Without TLS, at the port for TLS.
          await sendRaw({ port: own.ports.https }, bytes);
        }
      }
      const log = await own.logs();
      assertLacks(log, "gat_");
      assertLacks(log, "xxxxxxxx");
      assert.doesNotMatch(log, /status=[234]/, "no caller can fill the disk");
      assertLacks(serving.child.stderr, "gat_");
    });

    it("writes no token to a log while the service is down or breaks off, but reports it", async (t) => {
      const broken = createServer((socket) => {
        socket
          .on("error", () => {})
          .once("data", (bytes) => {
            const text = String(bytes);
            if (text.includes("/half")) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
            else if (text.includes("/noise")) socket.write("noise\r\n\r\n");
            else if (text.includes("/header"))
              socket.write(`HTTP/1.1 200 OK\r\nX Y: ${"y".repeat(70_000)}\r\n\r\n`);
            socket.end();
          });
      });
      await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
      t.after(() => broken.close());
      const address = broken.address();
      assert.ok(typeof address === "object" && address !== null);
      const breaking = await startProxy(t, kind, address.port);
      for (const end of ["half", "noise", "header", "nothing"])
        await send(secure(breaking), `${prefix}/${unknown}/${end}`, { headers }).catch(() => {});
      const down = await startProxy(t, kind, await freePort());
      assert.equal((await send(secure(down), `${prefix}/${unknown}/event`, { headers })).status, 502);
      for (const proxy of [breaking, down]) {
        const log = await proxy.logs();
        assertLacks(log, "gat_");
        assertLacks(log, "xxxxxxxx");
        assert.match(log, /\b502\b/, "the log reports the failure");
      }
    });
  });
}

/** Returns what an answer says, without what differs from request to request. */
function outcome({ status, text }: Received) {
  const body: { requestId?: string } = text.startsWith("{") ? JSON.parse(text) : { requestId: text };
  return { status, body: { ...body, requestId: undefined } };
}

/** Returns requests to a path that a server refuses. */
function malformed(path: string): string[] {
  const host = "Host: 127.0.0.1\r\n";
  return [
    `GET ${path} HTTP/1.1\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\n${host}${host}\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: ${path}\r\n\r\n`,
    `GET ${path} HTTP/9.9\r\n${host}\r\n`,
    `GET ${path}\0 HTTP/1.1\r\n${host}\r\n`,
    `GET ${path}%00 HTTP/1.1\r\n${host}\r\n`,
    `GET /../..${path} HTTP/1.1\r\n${host}\r\n`,
    `GET ${path} with space HTTP/1.1\r\n${host}\r\n`,
    `${path} GET HTTP/1.1\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\n${host}No-colon ${unknown}\r\n\r\n`,
    `GET ${path}?${"y".repeat(40_000)} HTTP/1.1\r\n${host}\r\n`,
    `GET ${path} HTTP/1.1\r\n${host}X-Long: ${unknown}${"y".repeat(100_000)}\r\n\r\n`,
    `POST ${path} HTTP/1.1\r\n${host}Content-Length: 10000000\r\n\r\n`,
    `POST ${path} HTTP/1.1\r\n${host}Transfer-Encoding: nonsense\r\n\r\n`,
    `POST ${path} HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `CONNECT ${path} HTTP/1.1\r\n${host}\r\n`,
  ];
}
