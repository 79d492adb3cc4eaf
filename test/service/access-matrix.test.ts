/**
 * Access: every operation for every kind of caller.
 * `_access-matrix.ts` has the expected results, written by hand.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operations } from "../_operations.ts";
import {
  assertFailure,
  assertIncludes,
  everyRight,
  openWorld,
  type PlayerDetails,
  shared,
  type World,
} from "../_setup.ts";
import { type Column, columns, matrix, type Row } from "./_access-matrix.ts";

/** The columns of the matrix. */
const details: Readonly<Record<Column, PlayerDetails | undefined>> = {
  "the holder of a public token": undefined,
  "a player without memberships": {},
  "a member of the group TARGETLIST": { groups: ["TARGETLIST"] },
  "a GROVE member of rank 3": { members: { GROVE: 3 } },
  "a GROVE member of rank 4": { members: { GROVE: 4 } },
  "a BALLAS member of rank 6": { members: { BALLAS: 6 } },
  "a RESCUE member of rank 3": { members: { RESCUE: 3 } },
  "a RESCUE member of rank 4": { members: { RESCUE: 4 } },
  "a POLICE member of rank 3": { members: { POLICE: 3 } },
  "a POLICE member of rank 4": { members: { POLICE: 4 } },
  "an administrator": { administrator: true },
};

/** Callers to whom every operation is refused, whatever their rights. */
const refusals = [
  ["an excluded player with every right but the administrator's", 403, "EXCLUDED"],
  ["an excluded administrator", 403, "EXCLUDED"],
  ["the holder of a revoked token", 401, "TOKEN_REVOKED"],
  ["the holder of an expired token", 401, "TOKEN_EXPIRED"],
  ["the holder of a deleted token", 401, "TOKEN_UNKNOWN"],
  ["a stranger with an invented token", 401, "TOKEN_UNKNOWN"],
] as const;
type Refused = (typeof refusals)[number][0];

interface Caller {
  readonly name: string;
  readonly token: string;
}

/** A service with a caller of each kind, and one who prepares the data of an operation. */
class Cast {
  readonly world: World;
  readonly root: Caller;
  readonly callers = new Map<Column | Refused, Caller>();

  constructor(world: World, root: Caller) {
    this.world = world;
    this.root = root;
  }

  caller(kind: Column | Refused): Caller {
    const caller = this.callers.get(kind);
    assert.ok(caller !== undefined, `there is no caller of the kind "${kind}"`);
    return caller;
  }

  /** Calls the row's operation; returns the answer, and the data before and after. */
  async call(row: Row, { name, token }: Caller) {
    for (const [path, query] of row.first ?? []) await this.world.get(this.root.token, path, query);
    const before = structuredClone(this.world.snapshot());
    const answer = await this.world.get(token, row.path.replace("{caller}", name), row.query);
    return { answer, before, after: structuredClone(this.world.snapshot()) };
  }
}

async function toCast(world: World): Promise<Cast> {
  await world.player("Somebody");
  const cast = new Cast(world, await world.player("Root", everyRight));
  for (const [index, kind] of columns.entries()) {
    const player = details[kind];
    const nobody = { name: "Somebody", token: world.publicToken };
    cast.callers.set(kind, player === undefined ? nobody : await world.player(`Caller${index}`, player));
  }
  const { members = {}, groups = [] } = everyRight;
  const excluded = { members, groups: [...groups, "BLACKLIST"] };
  const [excludedPlayer, excludedAdministrator, revoked, expired, unknown, madeUp] = refusals;
  cast.callers.set(excludedPlayer[0], await world.player("Excluded", excluded));
  const administrator = { ...excluded, administrator: true };
  cast.callers.set(excludedAdministrator[0], await world.player("ExcludedAdmin", administrator));

  const former = await world.player("Revoked", everyRight);
  const { tokens } = await world.service.administer("player.show", { player: "Revoked" });
  await world.service.administer("token.revoke", { id: tokens[0]?.id ?? "" });
  cast.callers.set(revoked[0], former);

  await world.player("Expired", everyRight);
  const lapsed = await world.service.administer("token.issue", { player: "Expired", expiresIn: 1000 });
  world.clock.advance(1000);
  cast.callers.set(expired[0], { name: "Expired", token: lapsed.token });

  const gone = await world.player("Gone", everyRight);
  await world.service.administer("player.remove", { player: "Gone" });
  cast.callers.set(unknown[0], gone);
  cast.callers.set(madeUp[0], { name: "Root", token: `gat_${"A".repeat(43)}` });
  return cast;
}

function title({ path, query = {} }: Row): string {
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return search.length === 0 ? path : `${path}?${search.join("&")}`;
}

/** Not ahead of the clock, since such a start is refused; later than all events of the matrix. */
const rows = matrix(Date.parse("2026-11-21T08:00:00Z"));

// The rows share a service: each prepares its own data.
const cast = shared(async (t) => toCast(await openWorld(t)));

describe("who may call", () => {
  for (const row of rows) {
    it(`the callers of ${title(row)}`, async (t) => {
      for (const [index, kind] of columns.entries()) {
        const mark = row.marks.split(" ")[index];
        assert.match(mark ?? "", /^[+-]$/);
        if (mark === "+")
          await t.test(`${kind} is allowed ${row.path}`, () => assertAllowed(row, kind, index));
        else await t.test(`${kind} is denied ${row.path}`, () => assertRestricted(row, kind));
      }
      for (const [kind, status, code] of refusals) {
        await t.test(`${kind} is refused`, async () => {
          const { answer, before, after } = await cast().call(row, cast().caller(kind));
          assertFailure(answer, status, code);
          assert.deepEqual(after, before);
        });
      }
    });
  }
});

/** Only the latest start of an event is stored: each caller sends a later one. */
function laterBy(row: Row, seconds: number): Row {
  const { startTime } = row.query ?? {};
  return startTime === undefined
    ? row
    : { ...row, query: { ...row.query, startTime: Number(startTime) + seconds * 1000 } };
}

async function assertAllowed(row: Row, kind: Column, index: number): Promise<void> {
  const { answer, before, after } = await cast().call(laterBy(row, index), cast().caller(kind));
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  if (row.effect === "change") assert.notDeepEqual(after, before, "a change changes the data");
  else assert.deepEqual(after, before, "a read changes nothing");
}

async function assertRestricted(row: Row, kind: Column): Promise<void> {
  const { answer, before, after } = await cast().call(row, cast().caller(kind));
  assertFailure(answer, 403, "RESTRICTED");
  assert.notEqual(row.requires.length, 0);
  for (const words of row.requires) assertIncludes(answer.body.info, words);
  assert.deepEqual(after, before, "a refused call changes nothing");
}

describe("a caller who is denied an operation learns only that", () => {
  /** Missing, invalid, unknown and repeated parameters. */
  const faulty = ["", "?type=NONSENSE&reason=%20&days=never&name=%20", "?nonsense=1", "?name=a&name=b"];
  const decisive = "advanced=true&";
  for (const row of rows.filter(({ marks }) => marks.includes("-"))) {
    it(`${row.path} is refused for its restriction, not for its parameters`, async () => {
      const { world } = cast();
      const caller = cast().caller("the holder of a public token");
      const path = row.path.replace("{caller}", caller.name);
      for (const search of faulty) {
        const query = row.path === "/houseban" ? `?${decisive}${search.slice(1)}` : search;
        assertFailure(await world.request(`/gameaddon/v1/${caller.token}${path}${query}`), 403, "RESTRICTED");
      }
    });
  }
});

describe("the routes of a faction", () => {
  it("a member can read the own faction's reasons by its name in any case", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { members: { GROVE: 1 } });
    for (const name of ["GROVE", "grove", "Grove"]) await world.ok(ada.token, `/blacklistreason/${name}`);
  });

  it("a member of rank 9 cannot read another faction's reasons", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { members: { GROVE: 9 } });
    const answer = await world.get(ada.token, "/blacklistreason/ballas");
    assertFailure(answer, 403, "RESTRICTED");
    assert.match(answer.body.info, /members of the faction BALLAS/);
  });

  it("a member of rank 3 cannot add a blacklist reason, even with rank 4 in another faction", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { members: { GROVE: 3, BALLAS: 4 } });
    const entry = { reason: "Spy", price: 1, kills: 1 };
    assertFailure(await world.get(ada.token, "/blacklistreason/GROVE/add", entry), 403, "RESTRICTED");
    await world.ok(ada.token, "/blacklistreason/BALLAS/add", entry);
    await world.ok(ada.token, "/blacklistreason/GROVE");
  });

  it("an unknown faction answers 404 to every caller, before any restriction", async (t) => {
    const world = await openWorld(t);
    const root = await world.player("Root", everyRight);
    for (const token of [world.publicToken, root.token]) {
      for (const path of ["", "/add", "/remove"]) {
        const answer = await world.get(token, `/blacklistreason/GROOVE${path}`);
        assertFailure(answer, 404, "UNKNOWN_FACTION", "factionString");
        assert.match(`${answer.body.info} ${answer.body.hint}`, /GROVE/);
      }
    }
  });

  it("a service or a group is not accepted as faction", async (t) => {
    const world = await openWorld(t);
    const root = await world.player("Root", everyRight);
    for (const name of ["RESCUE", "POLICE", "TARGETLIST"]) {
      assertFailure(await world.get(root.token, `/blacklistreason/${name}`), 404, "UNKNOWN_FACTION");
    }
  });
});

describe("parameters that the restriction depends on", () => {
  it("the value of advanced is checked before the restriction that depends on it", async (t) => {
    const world = await openWorld(t);
    for (const value of ["maybe", "1", ""]) {
      const answer = await world.get(world.publicToken, "/houseban", { advanced: value });
      assertFailure(answer, 400, "PARAMETER_INVALID", "advanced");
    }
    const twice = await world.request(
      `/gameaddon/v1/${world.publicToken}/houseban?advanced=false&advanced=true`,
    );
    assertFailure(twice, 400, "PARAMETER_REPEATED", "advanced");
  });

  it("the value of advanced is accepted in any case", async (t) => {
    const world = await openWorld(t);
    assertFailure(await world.get(world.publicToken, "/houseban", { advanced: "TRUE" }), 403, "RESTRICTED");
    await world.ok(world.publicToken, "/houseban", { advanced: "False" });
  });

  it("a player can add to the own statistic by the name in any case, and by the UUID", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { uuid: "0123456789abcdef0123456789abcdef" });
    const own = ["Ada", "ADA", "0123456789ABCDEF0123456789ABCDEF", "01234567-89ab-cdef-0123-456789abcdef"];
    for (const name of own) await world.ok(ada.token, `/statistic/${name}/add`, { type: "KILL" });
    assert.equal((await world.ok(ada.token, "/statistic/Ada")).gameplay.kills, 4);
  });

  it("the statistic of an unregistered player is denied like that of any other", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada");
    assertFailure(await world.get(ada.token, "/statistic/Nobody/add", { type: "KILL" }), 403, "RESTRICTED");
    assertFailure(await world.get(ada.token, "/statistic/Nobody/set"), 403, "RESTRICTED");
  });
});

it("the matrix has every operation", () => {
  const paths = operations.map(({ path }) => path);
  for (const path of paths) {
    const form = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    // /statistic/top is no row of /statistic/{player}.
    const isOwn = (row: string) => row === path || (!paths.includes(row) && form.test(row));
    assert.ok(
      matrix(0).some((row) => isOwn(row.path)),
      path,
    );
  }
});

describe("rights", () => {
  it("a promotion and a removal take effect at once", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { members: { RESCUE: 3 } });
    const call = () => world.get(ada.token, "/housebanreason/add", { reason: "Noise", days: 3 });
    assertFailure(await call(), 403, "RESTRICTED");
    await world.service.administer("member.set", { player: "Ada", organisation: "RESCUE", rank: 4 });
    assert.equal((await call()).status, 200);
    await world.service.administer("member.remove", { player: "Ada", organisation: "RESCUE" });
    assertFailure(await call(), 403, "RESTRICTED");
  });

  it("an exclusion and its end take effect at once", async (t) => {
    const world = await openWorld(t);
    const root = await world.player("Root", everyRight);
    const ada = await world.player("Ada");
    await world.ok(root.token, "/player/add", { name: "ada", group: "blacklist" });
    assertFailure(await world.get(ada.token, "/mgmt"), 403, "EXCLUDED");
    await world.ok(root.token, "/player/remove", { name: "ADA", group: "BLACKLIST" });
    await world.ok(ada.token, "/mgmt");
  });

  it("a name in BLACKLIST stays excluded after its registration", async (t) => {
    const world = await openWorld(t);
    const root = await world.player("Root", everyRight);
    await world.ok(root.token, "/player/add", { name: "Mallory", group: "BLACKLIST" });
    const mallory = await world.player("mallory");
    assertFailure(await world.get(mallory.token, "/mgmt"), 403, "EXCLUDED");
  });
});
