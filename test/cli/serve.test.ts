/** `serve` in-process: the banner, the log, stopping and failures (contract, sections 2 and 4). */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { colourBegins, type Desk, emptyDesk, linesOf, seededDesk, toDocument, tokenForm } from "./_setup.ts";

const openable = /(http:\/\/127\.0\.0\.1:\d+\/gameaddon\/v1)\/(gat_[A-Za-z0-9_-]{43})\/\S+/;

/** Returns a port on which something else listens, until it is released. */
async function occupyPort(t: TestContext): Promise<{ port: number; free(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const free = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  t.after(free);
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return { port: address.port, free };
}

/** Starts and stops `serve`. Returns its standard output. */
async function serveOnce(desk: Desk): Promise<string> {
  const serving = desk.serve();
  await serving.shows(/http:\S+/);
  assert.equal(await serving.stop(), 0);
  return serving.stdout.text;
}

describe("serve", () => {
  it("when it starts for the first time, the address that it prints answers 200 with JSON", async (t) => {
    const desk = await emptyDesk(t);
    const serving = desk.serve();
    const [url] = await serving.shows(openable);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.equal(typeof (await response.json()), "object");
  });

  it("when it starts for the first time, the data is seeded, and one public token is issued", async (t) => {
    const desk = await emptyDesk(t);
    const [, , token = ""] = openable.exec(await serveOnce(desk)) ?? [];
    assert.equal((await desk.json<unknown[]>("group", "list")).length, 8);
    const tokens = await desk.json<{ player: string | null }[]>("token", "list");
    assert.deepEqual(
      tokens.map(({ player }) => player),
      [null],
    );
    assert.deepEqual(await desk.answerTo(token, "/player/groups"), [200, undefined]);
    assert.deepEqual(await desk.answerTo(token, "/event/bomb?startTime=1"), [403, "RESTRICTED"]);
  });

  for (const [what, args, env, expected] of [
    ["by --log-address", ["--log-address"], {}, "127.0.0.1"],
    ["by ADDON_LOG_ADDRESS", [], { ADDON_LOG_ADDRESS: "1" }, "127.0.0.1"],
    ["not where the flag says otherwise", ["--no-log-address"], { ADDON_LOG_ADDRESS: "1" }, undefined],
    ["not by default", [], { ADDON_LOG_ADDRESS: "0" }, undefined],
    ["not by ADDON_LOG_ADDRESS=off", [], { ADDON_LOG_ADDRESS: "off" }, undefined],
  ] as const) {
    it(`when a request is logged, with the client's address ${what}`, async (t) => {
      const desk = await emptyDesk(t);
      const serving = desk.serve(args, { env });
      const [url] = await serving.shows(openable);
      assert.equal((await fetch(url)).status, 200);
      assert.equal(await serving.stop(), 0);
      const line = linesOf(serving.stderr.text).find((each) => each.includes("/player/groups"));
      assert.equal(JSON.parse(line ?? "{}").status, 200);
      assert.equal(JSON.parse(line ?? "{}").address, expected);
    });
  }

  it("refuses a value of ADDON_LOG_ADDRESS that is neither on nor off", async (t) => {
    const desk = await emptyDesk(t);
    const { exitCode, stderr } = await desk.run(["serve"], { env: { ADDON_LOG_ADDRESS: "never" } });
    assert.equal(exitCode, 2);
    assert.match(stderr, /ADDON_LOG_ADDRESS is "never".*Expected 1 or 0/);
  });

  it("warns of a misspelled setting in the environment, without its value", async (t) => {
    const desk = await emptyDesk(t);
    const env = { ADDON_TRUSTED_PROXY: "10.0.0.7", ADDON_TOKEN: "gat_x", ADDON_LIMITS: "off" };
    const serving = desk.serve([], { env });
    await serving.shows(openable);
    assert.equal(await serving.stop(), 0);
    const warnings = linesOf(serving.stderr.text).filter((line) => line.includes("is not a setting"));
    assert.deepEqual(warnings, [
      "warning: ADDON_TRUSTED_PROXY is not a setting, and is ignored. Did you mean ADDON_TRUSTED_PROXIES?",
    ]);
  });

  for (const [what, args, env, logged] of [
    ["by default", [], {}, [200, 401]],
    ["with --log-requests failures", ["--log-requests", "failures"], {}, [401]],
    ["with --log-requests none", ["--log-requests", "none"], {}, []],
    ["with ADDON_LOG_REQUESTS=failures", [], { ADDON_LOG_REQUESTS: "failures" }, [401]],
    ["with --log-level warn", ["--log-level", "warn"], {}, []],
    ["with ADDON_LOG_LEVEL=error", [], { ADDON_LOG_LEVEL: "error" }, []],
    [
      "where a flag contradicts the environment",
      ["--log-requests", "all", "--log-level", "info"],
      { ADDON_LOG_REQUESTS: "none", ADDON_LOG_LEVEL: "error" },
      [200, 401],
    ],
  ] as const) {
    it(`logs of an answer and a refusal ${logged.join(" and ") || "neither"} ${what}`, async (t) => {
      const desk = await emptyDesk(t);
      const serving = desk.serve(args, { env });
      const [url] = await serving.shows(openable);
      assert.equal((await fetch(url)).status, 200);
      assert.equal((await fetch(url.replace(/gat_[\w-]{8}/, "gat_unknown0"))).status, 401);
      assert.equal(await serving.stop(), 0);
      const lines = linesOf(serving.stderr.text).filter((line) => line.startsWith("{"));
      const statuses = lines.flatMap((line) => JSON.parse(line).status ?? []);
      assert.deepEqual(statuses, logged);
    });
  }

  for (const [variable, expected] of [
    ["ADDON_LOG_REQUESTS", /ADDON_LOG_REQUESTS is "loud".*all, failures, none/],
    ["ADDON_LOG_LEVEL", /ADDON_LOG_LEVEL is "loud".*info, warn, error/],
  ] as const) {
    it(`refuses a value of ${variable} that it does not know`, async (t) => {
      const desk = await emptyDesk(t);
      const { exitCode, stderr } = await desk.run(["serve"], { env: { [variable]: "loud" } });
      assert.equal(exitCode, 2);
      assert.match(stderr, expected);
    });
  }

  it("when it starts again, it prints its address and no token, and the first one is good", async (t) => {
    const desk = await emptyDesk(t);
    const [, , token = ""] = openable.exec(await serveOnce(desk)) ?? [];
    const serving = desk.serve();
    const [address] = await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
    assert.equal((await fetch(`${address}/gameaddon/v1/${token}/player/groups`)).status, 200);
    assert.equal(await serving.stop(), 0);
    assert.doesNotMatch(serving.stdout.text + serving.stderr.text, tokenForm);
  });

  it("when the first start ended before it showed its token, the next says how to issue another", async (t) => {
    const desk = await emptyDesk(t);
    // Such a start leaves a token that nobody has seen.
    await desk.ok("token", "issue", "--public", "--label", "first start");
    const serving = desk.serve();
    const [command = ""] = await serving.shows(/(?<=`addon-cli ).*token issue --public(?=`)/);
    assert.match(await desk.ok(...command.split(" ")), tokenForm);
  });

  it("when a command has created the data, the first start of serve still prints a token", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    assert.match(await serveOnce(desk), openable);
  });

  it("when --json is given, the first start prints one document with the address", async (t) => {
    const desk = await emptyDesk(t);
    const serving = desk.serve(["--json"]);
    await serving.shows(/\n/);
    assert.equal(await serving.stop(), 0);
    const document = toDocument<Record<string, string>>(serving.stdout.text);
    assert.match(document.url ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.ok(Object.values(document).some((value) => openable.test(value)));
  });

  it("when it is stopped, the exit code is 0 and a snapshot is in the folder", async (t) => {
    const desk = await emptyDesk(t);
    await serveOnce(desk);
    const names = [...(await desk.files()).keys()];
    assert.ok(names.some((name) => name.includes("snapshot")));
  });

  it("when it is stopped, the folder is free and commands work on it", async (t) => {
    const desk = await emptyDesk(t);
    await serveOnce(desk);
    await desk.ok("player", "add", "Ada");
  });
});

describe("serve's log", () => {
  /** Sends requests that might leak the token to the log. Returns the log and the token. */
  async function logOf(desk: Desk, terminal: boolean): Promise<{ log: string; token: string }> {
    const serving = desk.serve([], { terminal });
    const [, base = "", token = ""] = await serving.shows(openable);
    for (const path of [
      `/${token}/player/groups`,
      `/${token}/nowhere`,
      `/${token}/navipoint/add?name=x`,
      `/${token}`,
      `/${token}/statistic/${token}`,
      `/${token}/player/groups?token=${token}`,
      `/${token}/%ZZ`,
      `/${token}x/player/groups`,
      `/%67${token.slice(1)}/player/groups`,
    ]) {
      const response = await fetch(base + path, {
        headers: { referer: base + path, "user-agent": `gameaddon/${token}` },
      });
      const text = await response.text();
      assert.ok(!text.includes(token), `${path} answers with the token`);
    }
    await fetch(`${base}/${token}/player/groups`, { method: "POST", body: token });
    assert.equal(await serving.stop(), 0);
    return { log: serving.stderr.text, token };
  }

  it("when requests are answered, a line of JSON is logged for each, on standard error", async (t) => {
    const desk = await seededDesk(t);
    const { log } = await logOf(desk, false);
    const records = linesOf(log)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { route?: string | null; status?: number });
    assert.ok(records.some(({ route, status }) => route === "/player/groups" && status === 200));
    assert.ok(records.filter(({ status }) => status !== undefined).length >= 10);
  });

  it("when requests are answered, the token is in no line of the log", async (t) => {
    const desk = await seededDesk(t);
    const { log, token } = await logOf(desk, false);
    assert.ok(!log.includes(token.slice(0, 24)), log);
    assert.ok(!log.includes(token.slice(-24)), log);
  });

  it("when standard error is a terminal, the log is readable, and has no token either", async (t) => {
    const desk = await seededDesk(t);
    const { log, token } = await logOf(desk, true);
    assert.match(log, /GET \/player\/groups 200/);
    assert.ok(!log.includes(token.slice(0, 24)), log);
    assert.ok(!log.includes(token.slice(-24)), log);
  });

  it("when standard error is a terminal and NO_COLOR is set, the log has no colours", async (t) => {
    const desk = await seededDesk(t);
    const serving = desk.serve([], { terminal: true, env: { NO_COLOR: "1" } });
    const [url] = await serving.shows(openable);
    await fetch(url);
    assert.equal(await serving.stop(), 0);
    assert.match(serving.stderr.text, /GET \/player\/groups 200/);
    assert.ok(!`${serving.stdout.text}${serving.stderr.text}`.includes(colourBegins));
  });

  it("when it has served, the token is in no file of the data folder", async (t) => {
    const desk = await seededDesk(t);
    const { token } = await logOf(desk, false);
    for (const [name, bytes] of await desk.files()) assert.ok(!bytes.includes(token.slice(4)), name);
  });
});

describe("serve that cannot start", () => {
  it("when the port is busy, the exit code is 1, the error names it, and no public token is issued", async (t) => {
    const desk = await emptyDesk(t);
    const { port, free } = await occupyPort(t);
    const stderr = await desk.fails("serve", "--port", String(port));
    assert.ok(stderr.includes(`127.0.0.1:${port}`), stderr);
    assert.match(stderr, /--port/);
    assert.doesNotMatch(stderr, tokenForm);
    await free();
    assert.match(await serveOnce(desk), openable);
  });

  it("when the table has faults, the error has line and column, and no public token is issued", async (t) => {
    const desk = await emptyDesk(t);
    await desk.write("routes.yaml", "prefix: /gameaddon/v1/{tokenString}\nrouts: {}\n");
    const stderr = await desk.fails("serve", "--port", "0");
    assert.match(stderr, /routes\.yaml:2:1: .*routs.*routes/);
    assert.doesNotMatch(stderr, tokenForm);
    await desk.ok("routes", "check", "--routes", new URL("../../routes.yaml", import.meta.url).pathname);
    await desk.write(
      "routes.yaml",
      `prefix: /gameaddon/v1/{tokenString}
routes:
  /player/groups: { summary: Returns all groups., restriction: open, handler: player.groups }
`,
    );
    assert.match(await serveOnce(desk), openable);
  });

  it("when a file of --cert or --key is missing, the exit code is 1 and the error names it", async (t) => {
    const desk = await seededDesk(t);
    const stderr = await desk.fails(
      "serve",
      "--port",
      "0",
      "--https",
      "--cert",
      "cert.pem",
      "--key",
      "key.pem",
    );
    assert.match(stderr, /(cert|key)\.pem/);
  });

  it("when the certificate is invalid, the exit code is 1 and the error names it, not the port", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("cert.pem", "not a certificate");
    await desk.write("key.pem", "not a key");
    const stderr = await desk.fails(
      "serve",
      "--port",
      "0",
      "--https",
      "--cert",
      "cert.pem",
      "--key",
      "key.pem",
    );
    assert.match(stderr, /certificate|cert\.pem|key\.pem/i);
    assert.doesNotMatch(stderr, /another port/);
  });

  it("when it cannot start, it releases the folder", async (t) => {
    const desk = await seededDesk(t);
    const { port } = await occupyPort(t);
    await desk.fails("serve", "--port", String(port));
    await desk.ok("player", "list");
  });
});
