/** Random sequences of changes, compared with a simple model. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { runs } from "../_depth.ts";
import { day, everyRight, openAs, type World } from "../_setup.ts";

/** A text as sent, its identity, and its spelling in answers if it comes first. */
interface Spelling {
  readonly sent: string;
  readonly key: string;
  readonly shown: string;
}

const spell = (key: string, ...texts: string[]): Spelling[] =>
  texts.map((sent) => ({ sent, key, shown: sent.normalize("NFC") }));

/** Adler is registered, under this name; the others are not. */
const names: readonly Spelling[] = [
  { sent: "Adler", key: "adler", shown: "Adler" },
  { sent: "aDLER", key: "adler", shown: "Adler" },
  ...spell("bob", "Bob", "BOB"),
  ...spell("__proto__", "__proto__", "__PROTO__"),
  ...spell("zoë", "Zoë", "ZOE\u0308"),
];
const reasons = [
  ...spell("diebstahl", "Diebstahl", "DIEBSTAHL"),
  ...spell("mord", "Mord", "mord"),
  ...spell("raub", "Raub"),
  ...spell("überfall", "Überfall", "u\u0308BERFALL"),
];

/** An action, its entry and its value. */
interface Step {
  readonly action: string;
  readonly name: Spelling;
  readonly reason: Spelling;
  readonly value: number;
}

function steps(...actions: string[]): fc.Arbitrary<Step[]> {
  const step = fc.record({
    action: fc.constantFrom(...actions),
    name: fc.constantFrom(...names),
    reason: fc.constantFrom(...reasons),
    value: fc.integer({ min: 1, max: 3 }),
  });
  return fc.array(step, { minLength: 1, maxLength: 40 });
}

/** Removes the entries of the former run. */
async function clear(world: World, token: string, path: string, parameter: string): Promise<void> {
  for (const entry of await world.ok(token, path))
    await world.ok(token, `${path}/remove`, { [parameter]: entry[parameter] });
}

const { compare } = new Intl.Collator("en");
const byKey = (a: { key: string }, b: { key: string }) => compare(a.key, b.key);

it("through random changes, the target list equals a list of names and marks", async (t) => {
  const { world, token, uuid } = await openAs(t, "Adler", everyRight);
  const property = fc.asyncProperty(steps("add", "done", "remove"), async (all) => {
    await clear(world, token, "/targetlist", "name");
    let model: { key: string; name: string; done: boolean }[] = [];
    for (const { action, name } of all) {
      const { status } = await world.get(token, `/targetlist/${action}`, { name: name.sent });
      const known = model.find(({ key }) => key === name.key);
      assert.equal(status, known === undefined && action !== "add" ? 404 : 200);
      if (known === undefined) {
        if (action === "add") model.push({ key: name.key, name: name.shown, done: false });
      } else if (action === "remove") model = model.filter((entry) => entry !== known);
      else {
        known.name = name.shown;
        known.done = action === "done";
      }
      const expected = model.map((entry) => {
        return { name: entry.name, uuid: entry.key === "adler" ? uuid : null, done: entry.done };
      });
      assert.deepEqual(await world.ok(world.publicToken, "/targetlist"), expected);
    }
  });
  await fc.assert(property, { numRuns: runs(25) });
});

it("through random changes, a list equals a dictionary of its entries", async (t) => {
  const { world, token, uuid } = await openAs(t, "Adler", everyRight);
  const creator = { creatorName: "Adler", creatorUUID: uuid };
  const path = "/housebanreason";
  const property = fc.asyncProperty(steps("add", "add", "remove"), async (all) => {
    await clear(world, token, path, "reason");
    const model = new Map<string, { key: string; reason: string; value: number }>();
    for (const { action, reason, value } of all) {
      const query = { reason: reason.sent, ...(action === "add" ? { days: value } : {}) };
      const { status } = await world.get(token, `${path}/${action}`, query);
      const known = model.get(reason.key);
      if (action === "remove") {
        assert.equal(status, known === undefined ? 404 : 200);
        model.delete(reason.key);
      } else {
        assert.equal(status, known === undefined || known.value === value ? 200 : 409);
        if (known === undefined) model.set(reason.key, { key: reason.key, reason: reason.shown, value });
      }
      const expected = [...model.values()]
        .toSorted(byKey)
        .map((entry) => ({ reason: entry.reason, days: entry.value, ...creator }));
      assert.deepEqual(await world.ok(world.publicToken, path), expected);
    }
  });
  await fc.assert(property, { numRuns: runs(20) });
});

interface Ban {
  readonly key: string;
  name: string;
  readonly start: number;
  readonly reasons: { readonly key: string; readonly reason: string; readonly days: number }[];
}

const daysOf = ({ reasons: all }: Ban) => all.reduce((sum, { days }) => sum + days, 0);

it("through random changes, house bans follow from their reasons and the clock", async (t) => {
  const { world, token, uuid } = await openAs(t, "Adler", everyRight);
  const actions = ["learn", "forget", "ban", "ban", "ban", "lift", "wait"];
  const property = fc.asyncProperty(steps(...actions), async (all) => {
    world.clock.advance(365 * day);
    await clear(world, token, "/housebanreason", "reason");
    const known = new Map<string, { key: string; reason: string; days: number }>();
    const bans = new Map<string, Ban>();
    const current = (key: string) => {
      const ban = bans.get(key);
      return ban !== undefined && world.clock.time < ban.start + daysOf(ban) * day ? ban : undefined;
    };
    const run: Readonly<Record<string, (step: Step) => Promise<void>>> = {
      async learn({ reason, value: days }) {
        await world.get(token, "/housebanreason/add", { reason: reason.sent, days });
        if (!known.has(reason.key)) known.set(reason.key, { key: reason.key, reason: reason.shown, days });
      },
      async forget({ reason }) {
        await world.get(token, "/housebanreason/remove", { reason: reason.sent });
        known.delete(reason.key);
      },
      async ban({ name, reason }) {
        const query = { name: name.sent, reason: reason.sent };
        const { status } = await world.get(token, "/houseban/add", query);
        const learnt = known.get(reason.key);
        assert.equal(status, learnt === undefined ? 404 : 200);
        if (learnt === undefined) return;
        const ban = current(name.key);
        if (ban !== undefined) ban.name = name.shown;
        const start = world.clock.time;
        if (ban === undefined)
          bans.set(name.key, { key: name.key, name: name.shown, start, reasons: [learnt] });
        else if (ban.reasons.every(({ key }) => key !== reason.key)) ban.reasons.push(learnt);
      },
      async lift({ name, reason }) {
        const query = { name: name.sent, reason: reason.sent };
        const { status } = await world.get(token, "/houseban/remove", query);
        const ban = current(name.key);
        const index = ban?.reasons.findIndex(({ key }) => key === reason.key) ?? -1;
        assert.equal(status, index === -1 ? 404 : 200);
        if (ban !== undefined && index !== -1) {
          ban.name = name.shown;
          ban.reasons.splice(index, 1);
        }
        if (ban?.reasons.length === 0) bans.delete(name.key);
      },
      async wait({ value }) {
        world.clock.advance(value * day - 1);
      },
    };
    for (const step of all) {
      await run[step.action]?.(step);
      const expected = [...bans.keys()]
        .toSorted(compare)
        .map(current)
        .filter((ban) => ban !== undefined)
        .map((ban) => ({
          name: ban.name,
          uuid: ban.key === "adler" ? uuid : null,
          startTime: ban.start,
          duration: daysOf(ban) * day,
          expirationTime: ban.start + daysOf(ban) * day,
          houseBanReasonList: ban.reasons.map(({ reason, days }) => ({ reason, days })),
        }));
      assert.deepEqual(await world.ok(world.publicToken, "/houseban"), expected);
    }
  });
  await fc.assert(property, { numRuns: runs(30) });
});
