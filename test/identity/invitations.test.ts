/** Invitations over HTTP: what a code gives, when it ends, and where it is refused. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { inspect } from "node:util";
import { HeldChanges } from "../_held-changes.ts";
import {
  type Answered,
  assertFailure,
  assertIncludes,
  assertLacks,
  describeOverTransports,
  openWorld,
  prefix,
  shippedRoutes,
  type World,
  type WorldOptions,
} from "../_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const hour = 60 * 60 * 1000;
const tokenForm = /^gat_[\w-]{43}$/;

/** Invites a player, and returns the code. */
async function invite({ service }: World, player = "Ada", expiresIn?: number): Promise<string> {
  const { invitations } = await service.administer("token.invite", { player, expiresIn });
  const [invited] = invitations;
  assert.ok(invited !== undefined);
  return invited.code;
}

/** Opens a service with Ada, who is invited. */
async function openInvited(t: TestContext, options?: WorldOptions) {
  const world = await openWorld(t, options);
  const { uuid } = await world.service.administer("player.add", { name: "Ada" });
  return { world, uuid, code: await invite(world) };
}

function claim(world: World, code: string, query: Record<string, string> = {}, init?: RequestInit) {
  return world.get(code, "/token/claim", query, init);
}

/** Claims a token, and returns it. */
async function claimed(world: World, code: string): Promise<string> {
  const { status, body } = await claim(world, code);
  assert.equal(status, 200, JSON.stringify(body));
  return body.token;
}

function assertRevoked(answer: Answered, info: string): void {
  assertFailure(answer, 401, "TOKEN_REVOKED");
  assert.equal(answer.body.info, info);
  assert.equal(answer.body.hint, "Ask an operator for a new invitation.");
}

describeOverTransports("the code of an invitation", (transport) => {
  it("gives a token of its player, in the path or in the header", async (t) => {
    const { world, uuid, code } = await openInvited(t, { transport });
    assert.match(code, /^gai(?:[_-][0-9A-HJKMNP-TV-Z]{4}){4}$/);
    const answer = await claim(world, code);
    assert.deepEqual(answer.body, { token: answer.body.token, name: "Ada", uuid });
    assert.match(answer.body.token, tokenForm);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    const inHeader = await claim(world, "-", {}, { headers: { Authorization: `Bearer ${code}` } });
    const { token } = inHeader.body;
    await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 1);
  });

  it("is read in any case, without dashes, and with letters that look like digits", async (t) => {
    const { world } = await openInvited(t, { transport });
    const forms: readonly ((code: string) => string)[] = [
      (code) => code.toLowerCase(),
      (code) => code.replaceAll("-", ""),
      (code) => code.replaceAll("-", "").toLowerCase(),
      (code) => code.replace(/(?<=_.*)0/g, "O").replace(/(?<=_.*)1/g, "I"),
      (code) =>
        code
          .toLowerCase()
          .replace(/(?<=_.*)0/g, "o")
          .replace(/(?<=_.*)1/g, "l"),
    ];
    for (const form of forms) await claimed(world, form(await invite(world)));
    // Nearly every code has neither digit.
    const { store } = world.service;
    let code = await invite(world);
    while (!/_.*0/.test(code) || !/_.*1/.test(code)) code = await invite(world);
    for (const form of forms) await claimed(world, form(code));
    assert.equal(store.data.invitations.size, 1);
  });

  const misuses: readonly {
    readonly name: string;
    readonly send: (world: World, code: string) => Promise<Answered>;
    readonly status: number;
    readonly code: string;
  }[] = [
    {
      name: "at another path",
      send: (world, code) => world.get(code, "/event"),
      status: 401,
      code: "TOKEN_UNKNOWN",
    },
    {
      name: "in the header of another path",
      send: (world, code) => world.get("-", "/event", {}, { headers: { Authorization: `Bearer ${code}` } }),
      status: 401,
      code: "TOKEN_UNKNOWN",
    },
    {
      name: "as a parameter",
      send: (world, code) => world.get(world.publicToken, "/statistic/top", { [code]: "1" }),
      status: 400,
      code: "PARAMETER_UNKNOWN",
    },
    {
      name: "as a player",
      send: (world, code) => world.get(world.publicToken, `/statistic/${code}`),
      status: 400,
      code: "PARAMETER_INVALID",
    },
    {
      name: "with a digit too few",
      send: (world, code) => claim(world, code.slice(0, -1)),
      status: 401,
      code: "TOKEN_UNKNOWN",
    },
    {
      name: "that nobody has issued",
      send: (world) => claim(world, "gai_0000-0000-0000-0000"),
      status: 401,
      code: "TOKEN_UNKNOWN",
    },
    {
      name: "in place of which there is a token",
      send: (world) => claim(world, world.publicToken),
      status: 401,
      code: "TOKEN_UNKNOWN",
    },
    { name: "that is missing", send: (world) => claim(world, "-"), status: 401, code: "TOKEN_UNKNOWN" },
    {
      name: "with HEAD",
      send: (world, code) => claim(world, code, {}, { method: "HEAD" }),
      status: 405,
      code: "METHOD_NOT_ALLOWED",
    },
    {
      name: "with POST",
      send: (world, code) => claim(world, code, {}, { method: "POST" }),
      status: 405,
      code: "METHOD_NOT_ALLOWED",
    },
    {
      name: "in a prefetch",
      send: (world, code) => claim(world, code, {}, { headers: { "Sec-Purpose": "prefetch" } }),
      status: 425,
      code: "SPECULATIVE",
    },
    {
      name: "with an unknown parameter",
      send: (world, code) => claim(world, code, { version: "2.5.1" }),
      status: 400,
      code: "PARAMETER_UNKNOWN",
    },
    {
      name: "with a malformed version",
      send: (world, code) => claim(world, code, { addonVersion: "latest" }),
      status: 400,
      code: "PARAMETER_INVALID",
    },
  ];
  for (const { name, send, status, code: failure } of misuses) {
    it(`${name} is refused, and changes nothing`, async (t) => {
      const { world, code } = await openInvited(t, { transport });
      const before = world.snapshot();
      const answer = await send(world, code);
      if (answer.body === undefined) assert.equal(answer.status, status);
      else assertFailure(answer, status, failure);
      assertLacks(JSON.stringify(answer.body ?? ""), code);
      assert.equal(world.log.at(-1)?.code, failure);
      assert.deepEqual(world.snapshot(), before);
      await claimed(world, code);
    });
  }

  it("answers a preflight as a change does", async (t) => {
    const { world, code } = await openInvited(t, { transport });
    const { status, headers } = await claim(world, code, {}, { method: "OPTIONS" });
    assert.equal(status, 204);
    assert.equal(headers.get("allow"), "GET, OPTIONS");
  });

  it("counts as a request without a valid token, before it is looked up", async (t) => {
    const { world, code } = await openInvited(t, { transport, limits: true });
    for (let number = 0; number < 20; number += 1) await claimed(world, code);
    const before = world.snapshot();
    for (const sent of [code, "gai_0000-0000-0000-0000"]) {
      const answer = await claim(world, sent);
      assertFailure(answer, 429, "RATE_LIMITED");
      assertIncludes(String(answer.headers.get("ratelimit")), '"unknown"');
    }
    assert.deepEqual(world.snapshot(), before);
    await world.ok(world.publicToken, "/event");
  });
});

describe("a claim", () => {
  it("has the version of the parameter, or else of the User-Agent", async (t) => {
    const { world, code } = await openInvited(t);
    const headers = { "User-Agent": "gameaddon/2.4.0 Java" };
    for (const [query, init, expected] of [
      [{ addonVersion: "2.5.1" }, { headers }, "2.5.1"],
      [{}, { headers }, "2.4.0"],
      [{}, { headers: { "User-Agent": "gameaddon/newest" } }, null],
      [{}, {}, null],
    ] as const) {
      await claim(world, code, query, init);
      const { tokens } = world.service.store.data;
      assert.equal([...tokens.values()].at(-1)?.addonVersion, expected);
    }
  });

  it("can be repeated until its token is used, and leaves at most two tokens", async (t) => {
    const { world, uuid, code } = await openInvited(t);
    const tokens: string[] = [];
    for (let number = 0; number < 5; number += 1) tokens.push(await claimed(world, code));
    assert.equal(world.service.store.data.tokens.find("player", uuid).length, 2);
    const answers = await Promise.all(tokens.map((token) => world.get(token, "/event")));
    assert.deepEqual(
      answers.map(({ body, status }) => body.code ?? status),
      ["TOKEN_UNKNOWN", "TOKEN_UNKNOWN", "TOKEN_UNKNOWN", "TOKEN_REVOKED", 200],
    );
    assertRevoked(await claim(world, code), "This invitation has been used.");
    await world.ok(tokens.at(-1) ?? "", "/event");
  });

  it("is the same after a restart, before the first use and after it", async (t) => {
    const { world: first, code } = await openInvited(t);
    const lost = await claimed(first, code);
    await first.service.close();
    const { folder, clock } = first;
    const second = await openWorld(t, { folder, clock });
    const token = await claimed(second, code);
    assertFailure(await second.get(lost, "/event"), 401, "TOKEN_REVOKED");
    await second.ok(token, "/event");
    await second.service.close();
    const third = await openWorld(t, { folder, clock });
    assertRevoked(await claim(third, code), "This invitation has been used.");
    await third.ok(token, "/event");
  });

  it("is invited again with all others if its token was not used before it expired", async (t) => {
    const { world, code } = await openInvited(t);
    const all = async () => (await world.service.administer("token.invite", {})).invitations;
    const lost = await claimed(world, code);
    assert.deepEqual(await all(), []);
    world.clock.advance(48 * hour);
    const [again] = await all();
    assertFailure(await world.get(lost, "/event"), 401, "TOKEN_REVOKED");
    await world.ok(await claimed(world, again?.code ?? ""), "/event");
    world.clock.advance(48 * hour);
    assert.deepEqual(await all(), []);
  });

  it("notes the first use at the next request, where the disk was full", async (t) => {
    const { world, code } = await openInvited(t);
    const token = await claimed(world, code);
    const { store } = world.service;
    const full = t.mock.method(store, "change", () => Promise.reject(new Error("the disk is full")));
    await world.ok(token, "/event");
    assert.equal(full.mock.callCount(), 1);
    full.mock.restore();
    await world.ok(token, "/event");
    assertRevoked(await claim(world, code), "This invitation has been used.");
  });

  for (const isOver of [true, false])
    it(`sees a first use that ${isOver ? "could not be" : "is not yet"} saved`, async (t) => {
      const { world, code } = await openInvited(t);
      const token = await claimed(world, code);
      const { store } = world.service;
      const refused = () => (isOver ? Promise.reject(new Error("the disk is full")) : new Promise(() => {}));
      const full = t.mock.method(store, "change", refused);
      await world.ok(token, "/event");
      full.mock.restore();
      assertRevoked(await claim(world, code), "This invitation has been used.");
      await world.ok(token, "/event");
    });

  const ends: readonly {
    readonly name: string;
    readonly end: (world: World, token: string) => unknown;
    readonly status: number;
    readonly code: string;
    readonly info: string;
    /** What then becomes of the token that was claimed before. */
    readonly token: string | number;
  }[] = [
    {
      name: "expired",
      end: ({ clock }) => clock.advance(48 * hour),
      ...{ status: 401, code: "TOKEN_EXPIRED", info: "This invitation has expired.", token: 200 },
    },
    {
      name: "been revoked",
      end: ({ service }) => service.administer("token.revoke", { invitation: "ada" }),
      ...{ status: 401, code: "TOKEN_REVOKED", info: "This invitation was revoked.", token: "TOKEN_REVOKED" },
    },
    {
      name: "been revoked with the player's tokens",
      end: ({ service }) => service.administer("token.revoke", { player: "Ada" }),
      ...{ status: 401, code: "TOKEN_REVOKED", info: "This invitation was revoked.", token: "TOKEN_REVOKED" },
    },
    {
      name: "been revoked with its token",
      end: ({ service }) => {
        const [last] = [...service.store.data.tokens.values()].slice(-1);
        return service.administer("token.revoke", { id: last?.id ?? "" });
      },
      ...{ status: 401, code: "TOKEN_REVOKED", info: "This invitation was revoked.", token: "TOKEN_REVOKED" },
    },
    {
      name: "been replaced by another one",
      end: (world) => invite(world),
      ...{ status: 401, code: "TOKEN_UNKNOWN", info: "This invitation is unknown.", token: "TOKEN_REVOKED" },
    },
    {
      name: "lost its player",
      end: ({ service }) => service.administer("player.remove", { player: "Ada" }),
      ...{ status: 401, code: "TOKEN_UNKNOWN", info: "This invitation is unknown.", token: "TOKEN_UNKNOWN" },
    },
    {
      name: "a player who is excluded",
      end: ({ service }) => service.administer("player.exclude", { player: "Ada" }),
      ...{ status: 403, code: "EXCLUDED", info: "You are excluded from this service.", token: "EXCLUDED" },
    },
  ];
  for (const { name, end, status, code: failure, info, token: after } of ends) {
    it(`is refused if the invitation has ${name}`, async (t) => {
      const { world, code } = await openInvited(t);
      const token = await claimed(world, code);
      await end(world, token);
      const before = world.snapshot();
      const answer = await claim(world, code);
      assertFailure(answer, status, failure);
      assert.equal(answer.body.info, info);
      if (status === 401) assert.match(answer.body.hint, /Ask an operator for a new invitation\.$/);
      assert.deepEqual(world.snapshot(), before);
      const { body, status: got } = await world.get(token, "/event");
      assert.equal(body.code ?? got, after);
    });
  }

  it("is valid until the instant at which it expires", async (t) => {
    const { world } = await openInvited(t);
    const code = await invite(world, "Ada", 5000);
    world.clock.advance(4999);
    await claimed(world, code);
    world.clock.advance(1);
    assertFailure(await claim(world, code), 401, "TOKEN_EXPIRED");
  });

  it("is decided with what was decided before it in the same batch", async (t) => {
    const { world, uuid, code } = await openInvited(t);
    const { service } = world;
    const races: readonly (readonly [first: () => Promise<unknown>, code: string | undefined])[] = [
      [() => claim(world, code), undefined],
      [() => service.administer("token.revoke", { invitation: "Ada" }), "TOKEN_REVOKED"],
      [() => service.administer("player.exclude", { player: "Ada" }), "EXCLUDED"],
      [() => service.administer("player.remove", { player: "Ada" }), "TOKEN_UNKNOWN"],
    ];
    for (const [first, failure] of races) {
      const held = new HeldChanges(t, service);
      const { outcome: before } = await held.submit(first);
      const { outcome: claiming } = await held.submit(() => claim(world, code));
      await held.release();
      await before;
      assert.equal((await claiming).body.code, failure);
      // So that the next one begins as this one did.
      if (failure !== undefined) await service.administer("undo", { sequence: service.store.sequence });
    }
    assert.equal(service.store.data.tokens.find("player", uuid).length, 2);
  });

  it("beside the first use of its token: whichever is decided first counts", async (t) => {
    const { world, code } = await openInvited(t);
    const early = await claimed(world, code);
    const held = new HeldChanges(t, world.service);
    const { outcome: again } = await held.submit(() => claim(world, code));
    // Its note is decided after the claim, which has revoked the token.
    const { outcome: use } = await held.submit(() =>
      world.get(early, "/statistic/Ada/add", { type: "KILL" }),
    );
    await held.release();
    assertFailure(await use, 401, "TOKEN_REVOKED");
    const { token } = (await again).body;
    const other = new HeldChanges(t, world.service);
    const { outcome: note } = await other.submit(() =>
      world.get(token, "/statistic/Ada/add", { type: "KILL" }),
    );
    const { outcome: late } = await other.submit(() => claim(world, code));
    await other.release();
    assert.equal((await note).status, 200);
    assertRevoked(await late, "This invitation has been used.");
    await world.ok(token, "/event");
  });
});

describe("the code and the token of an invitation", () => {
  it("are in no file, log or audit, and the audit names the player", async (t) => {
    const { world, uuid, code } = await openInvited(t);
    const token = await claimed(world, code);
    await world.ok(token, "/event");
    await claim(world, code);
    await world.service.close({ snapshot: true });
    const { folder } = world.service.store;
    const files = (await readdir(folder)).filter((name) => /^(journal|snapshot)-/.test(name));
    const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
    const all = [...texts, inspect(world.log, { depth: 5 })].join("\n");
    for (const secret of [token, code, code.replaceAll("-", "")])
      assertLacks(all.toLowerCase(), secret.toLowerCase());
    const made = all.match(/"who":"[^"]*","operation":"token\.(?:invite|claim|use)"/g);
    assert.deepEqual(made, [
      '"who":"operator","operation":"token.invite"',
      `"who":"${uuid}","operation":"token.claim"`,
      '"who":"system","operation":"token.use"',
    ]);
    const [record] = world.log.filter(({ route }) => route === "/token/claim");
    assert.deepEqual([record?.caller, record?.code], [uuid, null]);
  });
});

describe("a table", () => {
  it("without invitations has no such path", async (t) => {
    const routes = shipped.replace(/^invitations:.*\n/m, "");
    const world = await openWorld(t, { routes });
    await world.service.administer("player.add", { name: "Ada" });
    assertFailure(await claim(world, "gai_0000-0000-0000-0000"), 404, "UNKNOWN_PATH");
    await assert.rejects(invite(world), {
      code: "CONFLICT",
      hint: "Add `invitations: { valid: 48h }` to it.",
    });
    assert.equal(world.service.store.data.invitations.size, 0);
  });

  it("describes the path of invitations, beside which its own routes read no codes", async (t) => {
    const route = "/token/{factionString}";
    const own = `  ${route}:\n    summary: Lists.\n    parameters: { factionString: faction }\n    restriction: open\n`;
    const routes = `${shipped}${own}    handler: blacklistreason.list\n`;
    const world = await openWorld(t, { routes });
    await world.service.administer("player.add", { name: "Ada" });
    const code = await invite(world);
    assertFailure(await world.get(code, "/token/GROVE"), 401, "TOKEN_UNKNOWN");
    assert.match(await claimed(world, code), tokenForm);
    const { paths } = (await world.request(`${prefix}/openapi.json`)).body;
    const { parameters } = paths[`${prefix}/{tokenString}/token/claim`].get;
    assert.deepEqual(
      parameters.map(({ name, $ref }: { name?: string; $ref?: string }) => name ?? $ref),
      ["#/components/parameters/tokenString2", "addonVersion", "#/components/parameters/IdempotencyKey"],
    );
  });
});
