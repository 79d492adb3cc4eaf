/** Random requests: answers are as documented, and failures change nothing. */
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../_depth.ts";
import { anyCaller, anyPath, anyText, assertContract, goodPath, openCallers } from "../_operations.ts";
import { type Answered, openWorld, prefix, type World } from "../_setup.ts";

/** The runs share a world: a smaller case would see other data, so shrinking is off. */
const withoutShrinking = { endOnFailure: true } as const;

/** Returns all data as one text. */
function dataOf(world: World): string {
  return JSON.stringify(world.snapshot());
}

/** Sends a request with exactly this target. */
function askRaw(world: World, agent: Agent, path: string): Promise<Answered> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, agent, method: "GET" }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const headers = new Headers();
        for (const [key, value] of Object.entries(response.headers)) headers.set(key, String(value));
        const text = Buffer.concat(pieces).toString("utf8");
        resolve({
          status: response.statusCode ?? 0,
          headers,
          body: text === "" ? undefined : JSON.parse(text),
        });
      });
    });
    asked.on("error", reject);
    asked.end();
  });
}

/** Returns whether a request target, or the path of a whole URL, is that of the start page, which is not in the table. */
function isStartPage(target: string): boolean {
  return /^(?:\/|https?:\/\/[^/?#]*\/?)(?:[?#]|$)/i.test(target);
}

describe("random requests", () => {
  it("a random request is answered as documented, and changes nothing if it fails", async (t) => {
    const world = await openWorld(t);
    const callers = await openCallers(world);
    let before = dataOf(world);
    await fc.assert(
      fc.asyncProperty(anyCaller(callers), anyPath, async (caller, path) => {
        const answer = await world.request(`${prefix}/${callers.get(caller)}${path}`);
        const after = dataOf(world);
        if (assertContract(answer) === "failure") assert.equal(after, before, "the data has not changed");
        before = after;
      }),
      { numRuns: runs(2000), ...withoutShrinking },
    );
  });

  it("a request with a random token is unauthorized", async (t) => {
    const world = await openWorld(t);
    const before = dataOf(world);
    await fc.assert(
      fc.asyncProperty(anyText, fc.oneof(goodPath(true), goodPath(false)), async (token, path) => {
        const answer = await world.request(`${prefix}/${token}${path}`);
        assert.equal(assertContract(answer), "failure");
        assert.equal(dataOf(world), before);
      }),
      { numRuns: runs(500), ...withoutShrinking },
    );
  });

  it("a request to a random path is unknown or malformed", async (t) => {
    const world = await openWorld(t);
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { maxLength: 6 }), async (segments) => {
        const path = `/${segments.map((segment) => segment.replaceAll("gameaddon", "")).join("/")}`;
        // A `Request` normalises its URL itself, such as `/..` to `/`.
        fc.pre(new URL(world.url + path).pathname !== "/");
        const answer = await world.request(path);
        assert.equal(assertContract(answer), "failure");
        assert.ok(["UNKNOWN_PATH", "PARAMETER_INVALID"].includes(answer.body.code), answer.body.code);
      }),
      { numRuns: runs(300), ...withoutShrinking },
    );
  });

  it("a random read changes nothing", async (t) => {
    const world = await openWorld(t);
    const callers = await openCallers(world);
    const before = dataOf(world);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...callers.keys()), goodPath(false), async (caller, path) => {
        assertContract(await world.request(`${prefix}/${callers.get(caller)}${path}`));
        assert.equal(dataOf(world), before);
      }),
      { numRuns: runs(300), ...withoutShrinking },
    );
  });

  it("a random well-formed request is never refused for its parameters", async (t) => {
    const world = await openWorld(t);
    const callers = await openCallers(world);
    await fc.assert(
      fc.asyncProperty(fc.oneof(goodPath(true), goodPath(false)), async (path) => {
        const { body, status } = await world.request(
          `${prefix}/${callers.get("a player with every right")}${path}`,
        );
        assert.ok(status === 200 || !String(body.code).startsWith("PARAMETER_"), JSON.stringify(body));
      }),
      { numRuns: runs(300), ...withoutShrinking },
    );
  });
});

describe("random requests over a socket", () => {
  /** The characters that a request target can have: visible ones, and bytes beyond ASCII. */
  const visible = fc.string({
    unit: fc
      .integer({ min: 0x21, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 30,
  });
  /** Replaces the characters that a request line cannot have. */
  const sendable = (text: string) => text.replace(/[^\u0021-\u007e\u0080-\u00ff]/g, "_");

  it("a random request over a socket is answered as documented", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const callers = await openCallers(world);
    let before = dataOf(world);
    const raw = fc.oneof(
      { weight: 3, arbitrary: anyPath.map(sendable) },
      visible.map((text) => `/${text}`),
    );
    await fc.assert(
      fc.asyncProperty(anyCaller(callers), raw, async (caller, path) => {
        const answer = await askRaw(world, agent, `${prefix}/${callers.get(caller)}${path}`);
        const after = dataOf(world);
        if (assertContract(answer) === "failure") assert.equal(after, before, "the data has not changed");
        before = after;
      }),
      { numRuns: runs(500), ...withoutShrinking },
    );
  });

  it("a random target over a socket is answered as documented", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const start = fc.constantFrom(
      "",
      "/",
      "//",
      "*",
      "?",
      "http://",
      "http://[",
      "http://a:99999/",
      "https://b/",
      prefix,
    );
    await fc.assert(
      fc.asyncProperty(start, visible, async (beginning, text) => {
        fc.pre(beginning + text !== "" && !isStartPage(beginning + text));
        assert.equal(assertContract(await askRaw(world, agent, beginning + text)), "failure");
      }),
      { numRuns: runs(500), ...withoutShrinking },
    );
  });
});
