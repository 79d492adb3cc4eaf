/** The operator on a store: which table an operation uses, and an undo that is interrupted. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { model } from "../../src/domain/model.ts";
import { Activity } from "../../src/identity/activity.ts";
import { type Environment, runOperation } from "../../src/operator/define.ts";
import { administer, type OperatorInput, type OperatorOperationName } from "../../src/operator/index.ts";
import { undo } from "../../src/operator/undo/undo.ts";
import type { DataStore } from "../../src/store/data.ts";
import { Store } from "../../src/store/store.ts";
import type { Table } from "../../src/table/table.ts";
import { temporaryFolder } from "../_setup.ts";
import { goodTable } from "../table/_faults.ts";
import { check } from "../table/_library.ts";
import { one } from "./_desk.ts";

/** Returns a table that excludes a group, if any, and whose last route is for another one. */
function tableOf(excluded: string | undefined, group = "FRIENDS"): Table {
  const line = excluded === undefined ? "" : `excluded: { group: ${excluded} }`;
  const text = goodTable
    .replace("group: STAFF", `group: ${group}`)
    .replace("excluded: { group: BARRED }", line);
  const { table, faults } = check(text);
  assert.ok(table !== undefined, JSON.stringify(faults));
  return table;
}

/** An environment, and what runs operations on it. */
class Operator {
  readonly store: DataStore;
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.store = environment.store;
    this.#environment = environment;
  }

  administer<N extends OperatorOperationName>(name: N, input: OperatorInput<N>) {
    return administer(this.#environment, name, input);
  }

  undo(sequence: number, signal?: AbortSignal) {
    return runOperation(undo, this.#environment, "undo", { sequence }, signal);
  }
}

/** Returns an operator on a new store with some groups and Ada, by change 2. No table can be loaded by default. */
async function operatorOn(t: TestContext, options: Partial<Environment> = {}): Promise<Operator> {
  const store = await Store.open({ folder: await temporaryFolder(t), model });
  t.after(() => store.close());
  const operator = new Operator({
    store,
    activity: new Activity(store.data),
    loadTable: () => Promise.reject(new Error("no table is loaded")),
    checkTable: () => Promise.reject(new Error("no table is checked")),
    ...options,
  });
  await operator.administer("seed.groups", { groups: ["BARRED", "STAFF", "FRIENDS"], factions: ["NORTH"] });
  await operator.administer("player.add", { name: "Ada", uuid: one });
  return operator;
}

/** Returns the groups of Ada. */
function groupsOf({ store }: Operator): string[] {
  return store.data.groupMembers.find("subject", one).map(({ group }) => group);
}

describe("an operation of the operator", () => {
  it("reads at the instant of the operator's clock, and changes nothing", async (t) => {
    let now = Date.now();
    const operator = await operatorOn(t, { now: () => now });
    const { id } = await operator.administer("token.issue", { player: "Ada", expiresIn: 3_600_000 });
    const { sequence } = operator.store;
    const states = async () =>
      (await operator.administer("token.list", {})).map((token) => [token.id, token.state]);
    assert.deepEqual(await states(), [[id, "valid"]]);
    now += 2 * 3_600_000;
    assert.deepEqual(await states(), [[id, "expired"]]);
    assert.equal(operator.store.sequence, sequence);
  });

  it("is durable and recorded when it returns", async (t) => {
    const operator = await operatorOn(t);
    const before = operator.store.sequence;
    const { uuid } = await operator.administer("player.add", { name: "Bob" });
    assert.ok(operator.store.data.players.has(uuid));
    assert.equal(operator.store.sequence, before + 1);
  });
});

describe("an operation that uses the route table", () => {
  it("uses the table that is in force when the change is decided", async (t) => {
    let current = tableOf("BARRED");
    const operator = await operatorOn(t, {
      loadTable: async () => () => current,
      checkTable: async () => {
        current = tableOf("STAFF");
        return check("");
      },
    });
    await operator.administer("player.exclude", { player: "Ada" });
    assert.deepEqual(groupsOf(operator), ["STAFF"]);
  });

  it("is refused with the faults of the table, but other errors come first", async (t) => {
    const operator = await operatorOn(t);
    const { sequence } = operator.store;
    await assert.rejects(operator.administer("player.remove", { player: "Bob" }), { code: "UNKNOWN_PLAYER" });
    for (const name of ["player.remove", "player.exclude", "player.readmit"] as const)
      await assert.rejects(operator.administer(name, { player: "Ada" }), /no table is loaded/);
    const removal = { kind: "group", name: "STAFF" } as const;
    await assert.rejects(operator.administer("seed.remove", removal), /no table is loaded/);
    assert.equal(operator.store.sequence, sequence);
  });

  it("is refused if the table names no excluded group, but players are removed", async (t) => {
    const operator = await operatorOn(t, { loadTable: async () => () => tableOf(undefined) });
    await assert.rejects(operator.administer("player.exclude", { player: "Ada" }), {
      code: "UNKNOWN_GROUP",
      message: "The route table names no group whose members are excluded.",
      hint: "Add `excluded: { group: BLACKLIST }` to it.",
    });
    assert.deepEqual(groupsOf(operator), []);
    await operator.administer("player.remove", { player: "Ada" });
    assert.equal(operator.store.data.players.size, 0);
  });

  it("finds the references of the table in force and of the one in the file", async (t) => {
    const inForce = tableOf("BARRED", "FRIENDS");
    for (const [inFile, refused, removed] of [
      [tableOf("BARRED", "STAFF"), ["FRIENDS", "STAFF", "BARRED"], []],
      [tableOf("STAFF", "FRIENDS"), ["FRIENDS", "STAFF", "BARRED"], []],
      // A faulty file refers to nothing.
      [undefined, ["FRIENDS", "BARRED"], ["STAFF"]],
    ] as const) {
      const operator = await operatorOn(t, {
        loadTable: async () => () => inForce,
        checkTable: async () =>
          inFile === undefined ? check("") : { ...check(goodTable), table: inFile, faults: [] },
      });
      for (const name of refused)
        await assert.rejects(operator.administer("seed.remove", { kind: "group", name }), {
          code: "CONFLICT",
        });
      for (const name of removed) await operator.administer("seed.remove", { kind: "group", name });
    }
  });

  it("needs no file", async (t) => {
    const operator = await operatorOn(t, { loadTable: async () => () => tableOf("BARRED") });
    const { info } = await operator.administer("seed.remove", { kind: "group", name: "STAFF" });
    assert.equal(info, "Removed the group STAFF.");
  });
});

it("an undo that was interrupted changes nothing, and nobody undoes change 0", async (t) => {
  const operator = await operatorOn(t);
  const { sequence } = operator.store;
  await assert.rejects(operator.undo(sequence, AbortSignal.abort()), { name: "AbortError" });
  await assert.rejects(operator.undo(0), {
    code: "UNKNOWN_ENTRY",
    message: `The journal has no change 0; the last one is ${sequence}.`,
  });
  assert.equal(operator.store.sequence, sequence);
});
