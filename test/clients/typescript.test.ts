/** Tests of the TypeScript client against a service: answers, cache and failures. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { assertLacks, everyRight, openAs, openWorld, projectFolder } from "../_setup.ts";
import {
  clientOf,
  GameAddonClient,
  GameAddonError,
  GameAddonNetworkError,
  StillTiming,
  withoutSpaces,
  withSpaces,
} from "./_client.ts";
import { failureOf, openProxy } from "./_setup.ts";

const unknownToken = `gat_${"x".repeat(43)}`;

describe("the TypeScript client", () => {
  it("returns lists and makes changes", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
    const client = clientOf(world, token);
    const reason = withoutSpaces("  Bank robbery ");
    const { info } = await client.get("/wantedreason/add", { query: { reason, points: 60 } });
    assert.equal(info, "Added the wanted reason Bank-robbery.");
    const [entry] = await client.get("/wantedreason");
    assert.deepEqual(entry, { reason: "Bank-robbery", points: 60 });
    assert.equal(withSpaces(entry?.reason ?? ""), "Bank robbery");
    await client.get("/statistic/{player}/add", { path: { player: "Ada" }, query: { type: "KILL" } });
    const { gameplay } = await client.get("/statistic/{player}", { path: { player: "Ada" } });
    assert.equal(gameplay.kills, 1);
    const bundle = await client.get("/bundle");
    assert.deepEqual(bundle.wantedreason, [entry]);
    assert.deepEqual(await client.get("/houseban", { query: { advanced: true } }), []);
  });

  it("counts each call, since each has its own key", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport: "socket" });
    const client = clientOf(world, token);
    const kill = { path: { player: "Ada" }, query: { type: "KILL" } } as const;
    for (let times = 0; times < 3; times += 1) await client.get("/statistic/{player}/add", kill);
    const keyed = { ...kill, idempotencyKey: "the-fourth" };
    for (let times = 0; times < 3; times += 1) await client.get("/statistic/{player}/add", keyed);
    const { gameplay } = await client.get("/statistic/{player}", { path: { player: "Ada" } });
    assert.equal(gameplay.kills, 4);
  });

  it("returns the cached body if nothing has changed", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
    const client = clientOf(world, token);
    await client.get("/wantedreason/add", { query: { reason: "Theft", points: 10 } });
    const first = await client.get("/wantedreason");
    const second = await client.get("/wantedreason");
    assert.deepEqual(second, first);
    assert.notEqual(second, first, "nobody can change what another one gets");
    await client.get("/wantedreason/add", { query: { reason: "Arson", points: 20 } });
    assert.equal((await client.get("/wantedreason")).length, 2);
    const statuses = world.log.filter(({ route }) => route === "/wantedreason").map(({ status }) => status);
    assert.deepEqual(statuses, [200, 304, 200]);
  });

  it("caches answers by their parameters", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    for (const name of ["Ada", "Bob"]) await world.player(name);
    const client = clientOf(world, world.publicToken);
    for (const player of ["Ada", "Bob", "Ada"]) {
      assert.equal((await client.get("/statistic/{player}", { path: { player } })).name, player);
    }
  });

  it("throws the refusal of the service", async (t) => {
    const { world, token } = await openAs(t, "Bob", { members: { GROVE: 1 } }, { transport: "socket" });
    const client = clientOf(world, token);
    const path = { factionString: "GROVE" } as const;
    const refused = await failureOf(
      client.get("/blacklistreason/{factionString}/remove", { path, query: { reason: "Betrayal" } }),
    );
    assert.ok(refused instanceof GameAddonError);
    assert.equal(refused.code, "RESTRICTED");
    assert.equal(refused.status, 403);
    assert.match(refused.info, /members of the faction GROVE with rank 4 or higher/);
    assert.equal(refused.message, refused.info);
    assert.ok(world.log.some(({ requestId }) => requestId === refused.requestId));
    const add = { path: { player: "Bob" }, query: { type: "KILLS" as "KILL" } };
    const invalid = await failureOf(client.get("/statistic/{player}/add", add));
    assert.ok(invalid instanceof GameAddonError);
    assert.equal(invalid.code, "PARAMETER_INVALID");
    assert.equal(invalid.parameter, "type");
    const unknown = await failureOf(client.get("/wantedreason", { query: { reason: "Theft" } as never }));
    assert.ok(unknown instanceof GameAddonError);
    assert.equal(unknown.code, "PARAMETER_UNKNOWN");
    assert.equal(typeof unknown.hint, "string");
  });

  it("sends the addon's version", async (t) => {
    const { world, token, uuid } = await openAs(t, "Ada", {}, { transport: "socket" });
    const client = clientOf(world, token, { addonVersion: "2.5.1" });
    await client.get("/event");
    const users = await client.get("/mgmt/users");
    assert.equal(users.find((user) => user.uuid === uuid)?.version, "2.5.1");
  });

  it("sends values with any characters unchanged", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
    const client = clientOf(world, token);
    const reason = "A/B?c=d&e#f%2F+ä";
    await client.get("/wantedreason/add", { query: { reason, points: 1 } });
    assert.deepEqual(await client.get("/wantedreason"), [{ reason, points: 1 }]);
    const odd = await failureOf(client.get("/statistic/{player}", { path: { player: "a/b?c#d" } }));
    assert.ok(odd instanceof GameAddonError);
    assert.equal(odd.code, "PARAMETER_INVALID");
    for (const player of [".", "..", "", "\ud800"]) {
      const failure = await failureOf(client.get("/statistic/{player}", { path: { player } }));
      assert.ok(failure instanceof TypeError, `"${player}" would be another operation's path`);
    }
  });

  it("treats an unknown operation as a change", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const keys: (string | null)[] = [];
    const spy: typeof fetch = async (_input, init) => {
      keys.push(new Headers(init?.headers).get("idempotency-key"));
      return Response.json({ info: "Done." });
    };
    const client = clientOf(world, world.publicToken, { fetch: spy });
    await client.get("/wantedreason");
    await client.get("/of-a-newer-table" as "/wantedreason");
    const [forRead, forUnknown] = keys;
    assert.equal(forRead, null);
    assert.match(forUnknown ?? "", /^[0-9a-f]{32}$/);
  });

  it("never shows the token", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const client = clientOf(world, unknownToken);
    const gone = new GameAddonClient({ baseUrl: "http://127.0.0.1:9", token: unknownToken, retries: 0 });
    const leak: typeof fetch = (_input, init) => {
      const { authorization } = Object.fromEntries(new Headers(init?.headers));
      throw new TypeError(`Failed to send ${authorization}`, {
        cause: Object.assign(new Error(), { authorization }),
      });
    };
    const leaking = clientOf(world, unknownToken, { fetch: leak, retries: 0 });
    const failures = [
      await failureOf(client.get("/wantedreason")),
      await failureOf(client.get("/nothing" as "/wantedreason")),
      await failureOf(gone.get("/wantedreason")),
      await failureOf(leaking.get("/event/bankrob", { query: { startTime: 1 } })),
    ];
    const [first, , third, fourth] = failures;
    assert.ok(first instanceof GameAddonError);
    assert.equal(first.code, "TOKEN_UNKNOWN");
    assert.ok(third instanceof GameAddonNetworkError);
    assert.equal(third.trouble, "connection");
    assert.ok(fourth instanceof GameAddonNetworkError);
    assert.equal(fourth.cause, undefined);
    for (const shown of [client, gone, ...failures]) {
      assertLacks(inspect(shown, { depth: 10, showHidden: true }), unknownToken);
      assertLacks(`${shown} ${JSON.stringify(shown)}`, unknownToken);
      if (shown instanceof Error) assertLacks(shown.stack ?? "", unknownToken);
    }
  });
});

it("invalid options are refused before anything is sent, and a base URL is not repeated in the error", async () => {
  const token = unknownToken;
  for (const baseUrl of [
    "",
    "127.0.0.1:8888",
    `ftp://host/${token}`,
    `http://${token}@host`,
    `http://host?${token}`,
  ]) {
    const make = () => new GameAddonClient({ baseUrl, token });
    assert.throws(
      make,
      (error: Error) => error instanceof TypeError && !inspect(error).includes(token),
      baseUrl,
    );
  }
  const options = { baseUrl: "http://host", token: "gat_token" };
  for (const wrong of [
    { addonVersion: "2.5\n1" },
    { timeoutMilliseconds: 1.5 },
    { timeoutMilliseconds: 2 ** 31 },
    { retries: Number.NaN },
  ])
    assert.throws(() => new GameAddonClient({ ...options, ...wrong }), TypeError);
  const fetch = () => assert.fail("nothing must be sent");
  const client = new GameAddonClient({ ...options, fetch });
  const keyed = client.get("/event/bankrob", { query: { startTime: 1 }, idempotencyKey: "€" });
  await assert.rejects(keyed, TypeError);
  for (const missing of ["", " "]) {
    assert.throws(() => new GameAddonClient({ baseUrl: "http://host", token: missing }), TypeError);
  }
});

it("claims a token with a code, stores it, and takes it from the store from then on", async (t) => {
  const { world, uuid } = await openAs(t, "Ada", {}, { transport: "socket" });
  const { invitations } = await world.service.administer("token.invite", { player: "Ada" });
  const code = invitations[0]?.code.replace("-", " ").replace("-", "–") ?? "";
  const { url, seen } = await openProxy(t, world.url, ["lose"]);
  let stored = "";
  const store = {
    get: () => stored,
    set: async (token: string) => {
      stored = token;
    },
  };
  const options = { baseUrl: url, code, store, addonVersion: "2.5.1", timing: new StillTiming() };
  const client = await GameAddonClient.claim(options);
  assert.equal((await client.get("/statistic/{player}", { path: { player: "Ada" } })).uuid, uuid);
  assert.match(String(stored), /^gat_[\w-]{43}$/);
  assert.equal((await client.get("/mgmt/users"))[0]?.version, "2.5.1");
  await (await GameAddonClient.claim({ ...options, code: "" })).get("/wantedreason");
  const claims = seen.filter((request) => request.url.includes("/token/claim"));
  assert.deepEqual(
    claims.map((claim) => claim.url),
    Array(2).fill("/gameaddon/v1/-/token/claim?addonVersion=2.5.1"),
  );
  const other = { ...options, store: { get: () => undefined, set: () => assert.fail("there is no token") } };
  const used = await failureOf(GameAddonClient.claim(other));
  assert.ok(used instanceof GameAddonError);
  assert.deepEqual([used.code, used.hint], ["TOKEN_REVOKED", "Ask an operator for a new invitation."]);
  const stranger = { ...other, fetch: async () => Response.json({ token: "" }) };
  const fake = await failureOf(GameAddonClient.claim(stranger));
  assert.ok(fake instanceof GameAddonNetworkError && fake.trouble === "answer");
});

it("the base URL can have a path", async () => {
  const addresses: string[] = [];
  const spy: typeof fetch = async (input) => {
    addresses.push(String(input));
    return Response.json([]);
  };
  for (const baseUrl of ["https://host/addon/", "https://host/addon", "https://host"]) {
    await new GameAddonClient({ baseUrl, token: "gat_a", fetch: spy }).get("/wantedreason");
  }
  const path = "/gameaddon/v1/-/wantedreason";
  assert.deepEqual(addresses, [
    `https://host/addon${path}`,
    `https://host/addon${path}`,
    `https://host${path}`,
  ]);
});

it("the token is sent in a header, and in no address", async () => {
  const sent: [address: string, authorization: string | null][] = [];
  const spy: typeof fetch = async (input, init) => {
    sent.push([String(input), new Headers(init?.headers).get("authorization")]);
    return Response.json([]);
  };
  const client = new GameAddonClient({ baseUrl: "https://host", token: ` ${unknownToken}\n`, fetch: spy });
  await client.get("/wantedreason");
  await client.get("/statistic/{player}/add", { path: { player: "Ada" }, query: { type: "KILL" } });
  assert.deepEqual(sent, [
    ["https://host/gameaddon/v1/-/wantedreason", `Bearer ${unknownToken}`],
    ["https://host/gameaddon/v1/-/statistic/Ada/add?type=KILL", `Bearer ${unknownToken}`],
  ]);
});

it("a token that no header can contain is refused before anything is sent, and not repeated", () => {
  for (const token of [`${unknownToken}\r\nX: y`, `${unknownToken} x`, `${unknownToken}ä`, "gat_…"]) {
    const make = () => new GameAddonClient({ baseUrl: "https://host", token });
    assert.throws(make, (error: Error) => error instanceof TypeError && !inspect(error).includes(token));
  }
});

it("the client has the version of the service", async () => {
  const [service, client] = await Promise.all(
    ["package.json", join("client", "typescript", "package.json")].map(
      async (file): Promise<{ version: string }> => {
        return JSON.parse(await readFile(join(projectFolder, file), "utf8"));
      },
    ),
  );
  assert.equal(client?.version, service?.version);
});
