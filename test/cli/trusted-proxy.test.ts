/** `serve --trusted-proxy`: the client's address in the log, behind a proxy. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { serveProcess } from "./_process.ts";
import { type Desk, emptyDesk, linesOf, type Surroundings } from "./_setup.ts";

const warning = /X-Forwarded-For header.*trusted proxy.*--trusted-proxy/;

/** The log of a service. */
interface Log {
  /** The addresses of the requests. */
  readonly addresses: readonly (string | undefined)[];
  readonly warnings: readonly string[];
}

function toLog(stderr: string): Log {
  const lines = linesOf(stderr)
    .filter((line) => line.startsWith("{"))
    .map((line): { status?: number; address?: string; msg?: string } => JSON.parse(line));
  return {
    addresses: lines.filter(({ status }) => status !== undefined).map(({ address }) => address),
    warnings: lines.flatMap(({ msg = "" }) => (warning.test(msg) ? [msg] : [])),
  };
}

/** Sends bytes over a connection of its own, and waits until it is closed. */
async function sendRaw(url: string, bytes: string): Promise<void> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.resume().write(bytes);
  await once(socket, "close");
}

/** Runs `serve` and sends a request for each header. Returns the log. */
async function logOf(
  desk: Desk,
  args: readonly string[],
  env: Surroundings["env"],
  ...forwarded: readonly string[]
): Promise<Log> {
  const serving = desk.serve(["--log-address", ...args], { env: env ?? {} });
  const [open] = await serving.shows(/http:\S+\/player\/groups/);
  for (const each of forwarded) {
    const { status } = await fetch(open, { headers: { "X-Forwarded-For": each } });
    assert.equal(status, 200);
  }
  assert.equal(await serving.stop(), 0);
  return toLog(serving.stderr.text);
}

describe("serve", () => {
  for (const [network, isEvery] of [
    ["0.0.0.0/0", true],
    ["::/0", true],
    ["10.0.0.0/8", false],
  ] as const) {
    it(`${isEvery ? "warns" : "does not warn"} that ${network} trusts every address`, async (t) => {
      const serving = (await emptyDesk(t)).serve(["--trusted-proxy", network]);
      await serving.shows(/http:\S+\/player\/groups/);
      assert.equal(await serving.stop(), 0);
      assert.equal(/^warning: --trusted-proxy trusts every address/m.test(serving.stderr.text), isEvery);
    });
  }

  it("without a trusted proxy, ignores X-Forwarded-For and warns of it once", async (t) => {
    const { addresses, warnings } = await logOf(await emptyDesk(t), [], {}, "203.0.113.7", "203.0.113.8");
    assert.deepEqual(addresses, ["127.0.0.1", "127.0.0.1"]);
    assert.equal(warnings.length, 1);
  });

  for (const [how, args, env] of [
    ["by --trusted-proxy", ["--trusted-proxy", "127.0.0.0/8"], {}],
    ["by the second --trusted-proxy", ["--trusted-proxy", "fd00::/8", "--trusted-proxy", "127.0.0.1"], {}],
    ["by ADDON_TRUSTED_PROXIES", [], { ADDON_TRUSTED_PROXIES: "fd00::/8, 127.0.0.1," }],
    [
      "by a flag that contradicts the environment",
      ["--trusted-proxy", "127.0.0.1"],
      { ADDON_TRUSTED_PROXIES: "::1" },
    ],
  ] as const) {
    it(`with a proxy trusted ${how}, logs the address that it forwards`, async (t) => {
      const forwarded = ["203.0.113.7", "1.1.1.1, [2001:db8::7]:4711", "unknown"];
      const { addresses, warnings } = await logOf(await emptyDesk(t), args, env, ...forwarded);
      assert.deepEqual(addresses, ["203.0.113.7", "2001:db8::7", "127.0.0.1"]);
      assert.deepEqual(warnings, []);
    });
  }

  for (const [how, args, env] of [
    ["an empty variable", [], { ADDON_TRUSTED_PROXIES: "" }],
    ["a flag for another proxy", ["--trusted-proxy", "10.0.0.0/8"], { ADDON_TRUSTED_PROXIES: "127.0.0.1" }],
  ] as const) {
    it(`with ${how}, does not trust the peer`, async (t) => {
      const { addresses, warnings } = await logOf(await emptyDesk(t), args, env, "203.0.113.7");
      assert.deepEqual(addresses, ["127.0.0.1"]);
      assert.equal(warnings.length, 1);
    });
  }

  it("refuses what is no address and no network, naming what it expected", async (t) => {
    const desk = await emptyDesk(t);
    for (const text of ["10.0.0.0/33", "localhost", "10.0.0.1,10.0.0.2", "::1%lo"]) {
      const { exitCode, stderr } = await desk.run(["serve", "--trusted-proxy", text]);
      assert.equal(exitCode, 2, text);
      assert.ok(stderr.includes(text), stderr);
      assert.match(stderr, /--trusted-proxy.*Expected an IP address or a network such as 10\.0\.0\.0\/8/);
    }
    const env = { ADDON_TRUSTED_PROXIES: "127.0.0.1, proxy" };
    const { exitCode, stderr } = await desk.run(["serve"], { env });
    assert.equal(exitCode, 2);
    assert.match(
      stderr,
      /ADDON_TRUSTED_PROXIES is "127\.0\.0\.1, proxy"\. Expected an IP address or a network/,
    );
  });
});

describe("serve in a process, behind a trusted proxy", () => {
  it("logs the client's address for every kind of request, and the proxy's where it has no headers", async (t) => {
    const desk = await emptyDesk(t);
    const { child, open, base, token } = await serveProcess(desk, [
      "--log-address",
      "--trusted-proxy",
      "127.0.0.1",
    ]);
    const origin = new URL(base).origin;
    const headers = { "X-Forwarded-For": "1.1.1.1, 203.0.113.7", Authorization: `Bearer ${token}` };
    for (const url of [
      open,
      `${base}/-/player`,
      `${base}/-/statistic/%41da`,
      `${origin}/docs`,
      `${base}/x/%ZZ`,
    ]) {
      await (await fetch(url, { headers })).arrayBuffer();
    }
    const forwarded = "X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 203.0.113.8\r\n";
    await sendRaw(origin, `GET / HTTP/1.1\r\n${forwarded}\r\n`);
    await sendRaw(origin, `CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n${forwarded}\r\n`);
    await sendRaw(origin, "NONSENSE\r\n\r\n");
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
    const { addresses, warnings } = toLog(child.stderr);
    const [seven, eight] = ["203.0.113.7", "203.0.113.8"];
    assert.deepEqual(addresses, [seven, seven, seven, seven, seven, eight, eight, "127.0.0.1"]);
    assert.deepEqual(warnings, []);
    assert.ok(!child.stderr.includes(token));
  });
});
