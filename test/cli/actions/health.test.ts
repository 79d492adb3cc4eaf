/** Tests of `health`: of the service of the data folder, and of one at an origin. */
import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createRawServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryFolder } from "../../_setup.ts";
import { unavailable } from "../../_strace.ts";
import { freePort } from "../../docs/_page.ts";
import { makeCertificate } from "../../http/_certificate.ts";
import { serveProcess } from "../_process.ts";
import { type Desk, emptyDesk, seededDesk, toDocument } from "../_setup.ts";

/** Listens on a free port until the end of the test. Returns the host with the port. */
async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise((resolve) => void server.close(resolve)));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `127.0.0.1:${address.port}`;
}

/** Serves something else than the service. Returns its origin. */
async function serveInstead(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  t.after(() => server.closeAllConnections());
  return `http://${await listen(t, server)}`;
}

/** Serves a document at every path. Returns the origin. */
function serveDocument(t: TestContext, status: number, document: unknown): Promise<string> {
  return serveInstead(t, (_request, response) => response.writeHead(status).end(JSON.stringify(document)));
}

/** Starts `serve`. Returns its URL. */
async function urlOf(desk: Desk, ...args: string[]): Promise<string> {
  const [, url = ""] = await desk.serve(args).shows(/Listening on (https?:\/\/[^/\s]+)/);
  return url;
}

const small = ["unshare", "-Urm", "sh", "-c", 'mount -t tmpfs -o size=1m t "$0" && exec "$@"'];
const noMount = unavailable("unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=64k t /mnt");

describe("on a full disk", { skip: noMount }, () => {
  it("the service is ready but accepts no changes, until there is room again", async (t) => {
    const desk = await emptyDesk(t);
    const disk = join(desk.folder, "disk");
    await mkdir(disk);
    const { child, base } = await serveProcess(desk, ["--data", "disk/data"], [], [...small, disk]);
    const { origin } = new URL(base);
    const seen = join("/proc", String(child.pid), "root", disk, "ballast");
    assert.match(await desk.ok("health", "--url", origin), /accepts changes/);
    await writeFile(seen, Buffer.alloc(1024 * 1024)).catch((error) => assert.equal(error.code, "ENOSPC"));
    const { exitCode, stdout } = await desk.run(["health", "--url", origin]);
    assert.equal(exitCode, 1);
    assert.match(stdout, /is ready, but accepts no changes\. The disk is full: \d+ bytes are free\.$/m);
    assert.equal((await fetch(`${origin}/health`)).status, 200);
    await rm(seen);
    assert.match(await desk.ok("health", "--url", origin), /accepts changes/);
  });
});

describe("health of an origin", () => {
  it("asks the service there, whatever the data folder", async (t) => {
    const url = await urlOf(await seededDesk(t));
    const other = await emptyDesk(t);
    for (const given of [url, `${url}/`, url.toUpperCase()]) {
      assert.match(await other.ok("health", "--url", given), / is ready and accepts changes\.$/m);
    }
    assert.deepEqual(await other.json("health", "--url", url), {
      url,
      status: "ready",
      changes: true,
      reason: null,
    });
  });

  it("exits 1 if the service accepts no changes or stops, and prints the reason", async (t) => {
    const desk = await emptyDesk(t);
    const reason = "The disk is full: 0 bytes are free.";
    const full = await serveDocument(t, 200, { status: "ready", changes: false, reason });
    const ran = await desk.run(["health", "--url", full]);
    assert.deepEqual([ran.exitCode, ran.stderr], [1, ""]);
    assert.equal(ran.stdout, `The service at ${full} is ready, but accepts no changes. ${reason}\n`);
    const { exitCode, stdout } = await desk.run(["--json", "health", "--url", full]);
    assert.equal(exitCode, 1);
    assert.deepEqual(toDocument(stdout), { url: full, status: "ready", changes: false, reason });
    const clock = { status: "unfit", changes: false, reason: "The clock is 70 seconds off." };
    const unfit = await desk.run(["health", "--url", await serveDocument(t, 503, clock)]);
    assert.equal(unfit.exitCode, 1);
    assert.match(unfit.stdout, /answers nothing\. The clock is 70 seconds off\.$/m);
    const leaving = { status: "stopping", changes: false, reason: "The service is stopping." };
    const stopping = await desk.run(["health", "--url", await serveDocument(t, 503, leaving)]);
    assert.equal(stopping.exitCode, 1);
    assert.match(stopping.stdout, /is stopping\.$/m);
  });

  it("names what it got instead of an answer of the service", async (t) => {
    const desk = await emptyDesk(t);
    const other = createRawServer((socket) => {
      socket.on("error", () => {}).resume();
      socket.end("SSH-2.0-OpenSSH\r\n");
    });
    for (const [expected, origin] of [
      [/got another answer, with the status 404/, await serveDocument(t, 404, { error: "no" })],
      [/got another answer, with the status 200/, await serveDocument(t, 200, { status: "ok" })],
      [
        /got another answer, with the status 500/,
        await serveDocument(t, 500, { status: "ready", changes: true, reason: null }),
      ],
      [
        /got another answer/,
        await serveInstead(t, (_request, response) => {
          // Endless: only the beginning is read.
          const write = () => void response.write("x".repeat(1024), () => setImmediate(write));
          response.writeHead(200);
          write();
        }),
      ],
      [
        /got another answer, with the status 301/,
        await serveInstead(t, (_request, response) =>
          response.writeHead(301, { Location: "https://elsewhere.example/ready" }).end(),
        ),
      ],
      [/Cannot reach the service/, `http://${await listen(t, other)}`],
      [/Cannot reach the service at http:\S+: connect ECONNREFUSED/, `http://127.0.0.1:${await freePort()}`],
    ] as const) {
      assert.match(await desk.fails("health", "--url", origin), expected);
    }
  });

  it("refuses a certificate that is not trusted, and a port without TLS", async (t) => {
    const desk = await emptyDesk(t);
    const folder = await temporaryFolder(t);
    const cert = await makeCertificate(folder);
    const key = await readFile(join(folder, "key.pem"), "utf8");
    const secure = await listen(t, createSecureServer({ cert, key }));
    assert.match(
      await desk.fails("health", "--url", `https://${secure}`),
      /Cannot reach the service at https:\S+: self-signed certificate.*\.\n.*NODE_EXTRA_CA_CERTS/,
    );
    const plain = await serveDocument(t, 200, {});
    assert.match(
      await desk.fails("health", "--url", plain.replace("http:", "https:")),
      /Cannot reach the service at https:\S+: the TLS handshake failed \(\w+\)\.\n.*scheme/,
    );
  });

  it("waits 5 seconds for an answer", async (t) => {
    const desk = await emptyDesk(t);
    const silent = await serveInstead(t, () => {});
    assert.match(await desk.fails("health", "--url", silent), /did not answer within 5 s/);
  });
});
