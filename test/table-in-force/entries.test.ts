/** Edits of a table whose lists have entries: data outlives the table, and no edit rewrites an entry. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { HeldChanges } from "../_held-changes.ts";
import { openWorld, prefix, type World } from "../_setup.ts";

const plates = `
  plate:
    title: plate
    key: text
    fields: { text: text, owner: player, kind: { type: enum, values: [car, boat] }, fee: { type: integer } }
`;

function tableWith(lists: string): string {
  return `prefix: ${prefix}/{tokenString}
lists:${lists}
unserved: [houseban, targetlist, mgmt, player, statistic, event]
routes:
  /bundle: { summary: B., restriction: open, handler: bundle.all }
${lists.includes("plate:") ? served : ""}`;
}

const served = `  /plate: { summary: P., restriction: open, handler: plate.list }
  /plate/add: { summary: P., restriction: open, intended: [open-change], handler: plate.add }
  /plate/set: { summary: P., restriction: open, intended: [open-change], handler: plate.set }
`;

const empty = tableWith(" {}");

/** A service with two plates. */
class Registry {
  readonly world: World;
  constructor(world: World) {
    this.world = world;
  }

  static async empty(t: TestContext): Promise<Registry> {
    return new Registry(await openWorld(t, { routes: tableWith(plates) }));
  }

  static async open(t: TestContext): Promise<Registry> {
    const registry = await Registry.empty(t);
    assert.equal((await registry.add("A-1", 10)).status, 200);
    assert.equal((await registry.add("B-2", 20)).status, 200);
    return registry;
  }

  add(text: string, fee = 10) {
    const { world } = this;
    return world.get(world.publicToken, "/plate/add", { text, owner: "Ada", kind: "car", fee });
  }

  get plates() {
    return this.world.ok(this.world.publicToken, "/plate");
  }

  async edit(lists: string): Promise<void> {
    await writeFile(join(this.world.folder, "routes.yaml"), lists === "" ? empty : tableWith(lists));
    await this.world.service.reloadRoutes();
  }

  /** Asserts that an edit is refused, at a line, and that the plates are served as before. */
  async assertRefused(lists: string, line: number, message: RegExp): Promise<void> {
    const before = await this.plates;
    await assert.rejects(this.edit(lists), (error: unknown) => {
      assert.ok(error instanceof Failure);
      const faults = error.faultyFile?.faults ?? [];
      assert.match(faults.map((fault) => fault.message).join("; "), message);
      assert.equal(faults[0]?.line, line);
      return true;
    });
    assert.deepEqual(await this.plates, before);
  }
}

describe("an edit of a table whose lists have entries", () => {
  it("keeps the values of a field that leaves the list, unseen, also when an entry is set", async (t) => {
    const registry = await Registry.open(t);
    await registry.edit(plates.replace(", fee: { type: integer }", ""));
    assert.deepEqual(Object.keys((await registry.plates)[0]), ["text", "owner", "ownerUUID", "kind"]);
    await registry.world.ok(registry.world.publicToken, "/plate/set", {
      text: "a-1",
      owner: "Bob",
      kind: "boat",
    });
    await registry.edit(plates);
    const [first] = await registry.plates;
    assert.deepEqual([first.text, first.owner, first.kind, first.fee], ["A-1", "Bob", "boat", 10]);
  });

  it("has the default of a new field for entries from before, and refuses one without a default", async (t) => {
    const registry = await Registry.open(t);
    const withField = (form: string) => plates.replace("fee:", `place: ${form}, fee:`);
    await registry.assertRefused(withField("text"), 6, /2 entries without "place"; give it a default/);
    await registry.edit(withField("{ type: text, default: here }"));
    assert.deepEqual(
      (await registry.plates).map(({ place }: { place: string }) => place),
      ["here", "here"],
    );
  });

  it("refuses another type, another key, and a value less while entries have it", async (t) => {
    const registry = await Registry.open(t);
    const refused = (from: string, to: string, message: RegExp, line = 6) =>
      registry.assertRefused(plates.replace(from, to), line, message);
    await refused("fee: { type: integer }", "fee: text", /2 entries with another type of "fee"/);
    await refused(
      "text: text",
      "text: faction",
      /2 entries with another type of "text" \(text\); declare that/,
    );
    await refused("[car, boat]", "[boat]", /lack car, used by 2 entries/);
    await refused("    key: text\n", "", /^(?!.* without )the key cannot change/, 3);
  });

  it("quotes an empty value that an enum lacks", async (t) => {
    const registry = await Registry.open(t);
    const withNote = (form: string) => plates.replace("fee:", `note: ${form}, fee:`);
    await registry.edit(withNote('{ type: text, minLength: 0, default: "" }'));
    await registry.add("C-3");
    const form = "{ type: enum, values: [new], default: new }";
    await registry.assertRefused(withNote(form), 6, /the values of "note" lack "", used by 1 entry/);
  });

  it("renames a field in all entries as one change of the system, which can be undone", async (t) => {
    const registry = await Registry.open(t);
    const { service } = registry.world;
    const before = service.store.sequence;
    await registry.edit(
      `${plates.replace("owner:", "holder:").replace("key: text", "key: plate").replace("text: text", "plate: text")}    renamed: { owner: holder, text: plate }\n`,
    );
    const holders = /"plate":"A-1","holder":"Ada".*"plate":"B-2","holder":"Ada"/;
    assert.match(JSON.stringify(await registry.plates), holders);
    assert.equal(service.store.sequence, before + 1);
    for (const { key, player } of service.store.data.entries.values())
      assert.deepEqual([key, player], [["plate"], "holder"]);
    await service.administer("undo", { sequence: before + 1 });
    await registry.edit(plates);
    assert.equal((await registry.plates)[0].owner, "Ada");
  });

  it("is told of a default that names no entry", async (t) => {
    const registry = await Registry.open(t);
    const permit = "{ title: permit, fields: { plate: { type: entry, list: plate, default: C-3 } } }";
    await registry.edit(`${plates}  permit: ${permit}\n`);
    const found = async () => (await registry.world.service.routes.check()).findings;
    assert.match(
      JSON.stringify(await found()),
      /no plate \\"C-3\\": what is sent without \\"plate\\" is refused/,
    );
    await registry.add("c-3");
    assert.deepEqual(await found(), []);
  });

  const otherFee = plates.replace("fee: { type: integer }", "fee: text");

  it("is refused for an entry that is added after the others were checked", async (t) => {
    const registry = await Registry.empty(t);
    const { folder, service } = registry.world;
    const add = async () => {
      assert.equal((await registry.add("A-1")).status, 200);
      return undefined;
    };
    service.routes.follow(async () => {}, add);
    await writeFile(join(folder, "routes.yaml"), tableWith(otherFee));
    await assert.rejects(service.reloadRoutes(undefined, "signal"), /1 entry with another type of "fee"/);
    assert.match(service.routes.status().refused?.reason ?? "", /another type of "fee"/);
    assert.equal((await registry.plates)[0].fee, 10);
  });

  for (const [what, lists, status] of [
    ["is refused where the list is declared anew meanwhile", otherFee, 503],
    ["is decided where only others are", `${plates}  lap: { title: lap, fields: { time: integer } }\n`, 200],
  ] as const) {
    it(`lets a change finish that began before: it ${what}`, async (t) => {
      const registry = await Registry.empty(t);
      const held = new HeldChanges(t, registry.world.service);
      const { outcome } = await held.submit(() => registry.add("A-1"));
      await registry.edit(lists);
      await held.release();
      assert.equal((await outcome).status, status);
      assert.equal((await registry.plates).length, status === 200 ? 1 : 0);
    });
  }
});
