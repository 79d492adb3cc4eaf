/** An undo beside an edited table: no entry returns that the table in force refuses, since it could not be read again. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { openWorld, type World } from "../../_setup.ts";

const tableOf = (list: string) => `
prefix: /gameaddon/v1/{token}
excluded: { group: BLACKLIST }
lists: { plates: { title: plate, ${list} } }
routes:
  /plates: { summary: P., restriction: open, handler: plates.list }
  /plates/add: { summary: A., restriction: open, handler: plates.add }
  /plates/remove: { summary: R., restriction: open, handler: plates.remove }
`;
const [keyed, numbered] = ["key: text, fields: { text: text, price: integer }", "fields: { price: integer }"];

async function open(t: TestContext): Promise<World> {
  return openWorld(t, { routes: tableOf(keyed) });
}

async function declare(world: World, list: string): Promise<void> {
  await writeFile(join(world.folder, "routes.yaml"), tableOf(list));
  await world.service.reloadRoutes();
}

describe("an undo beside an edited table", () => {
  it("refuses entries with another key, or another type, and brings them back with the old table", async (t) => {
    const world = await open(t);
    const { service, publicToken: token } = world;
    await world.ok(token, "/plates/add", { text: "LS-1", price: 5 });
    const { sequence = 0 } = await service.administer("list.drop", { list: "plates" });
    const undo = () => service.administer("undo", { sequence });
    await declare(world, numbered);
    await assert.rejects(undo(), {
      message: /the route table has changed since, and refuses the entry plates\/LS-1: the key/,
      hint: /^Put a table in force that they fit first/,
    });
    await declare(world, keyed.replace("integer", "text"));
    await assert.rejects(undo(), /another type of "price"/);
    assert.deepEqual(await world.ok(token, "/plates"), []);
    await declare(world, keyed);
    await undo();
    assert.deepEqual(await world.ok(token, "/plates"), [{ text: "LS-1", price: 5 }]);
  });

  it("leaves such entries of a caller out", async (t) => {
    const world = await open(t);
    const { service } = world;
    const mallory = await world.player("Mallory");
    await world.ok(world.publicToken, "/plates/add", { text: "LS-1", price: 5 });
    await world.ok(mallory.token, "/plates/remove", { text: "LS-1" });
    await declare(world, numbered);
    const { left, sequence } = await service.administer("undo.caller", { by: "Mallory", preview: false });
    assert.deepEqual({ left, sequence }, { left: 1, sequence: undefined });
  });
});
