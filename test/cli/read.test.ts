/** Commands that only read: they read the files and do not change them, or open the folder if they cannot. */
import assert from "node:assert/strict";
import { appendFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type Desk, emptyDesk, type FailureDocument, type PlayerDocument, seededDesk } from "./_setup.ts";

/** Returns a desk with a player, and its only journal. */
async function deskWithAda(t: TestContext): Promise<{ desk: Desk; journal: string }> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  return { desk, journal: await dataFile(desk, /^journal-/) };
}

async function dataFile(desk: Desk, form: RegExp): Promise<string> {
  const name = (await readdir(desk.data)).filter((each) => form.test(each)).at(-1);
  assert.ok(name !== undefined, `there is no file like ${form}`);
  return join(desk.data, name);
}

async function namesOf(desk: Desk): Promise<string[]> {
  return (await desk.json<PlayerDocument[]>("player", "list")).map(({ name }) => name);
}

describe("looking at the data", () => {
  it("when the journal ends in an incomplete record, that is left to the next change", async (t) => {
    const { desk, journal } = await deskWithAda(t);
    await appendFile(journal, '00000000 {"sequence":');
    const before = await desk.files();
    const looked = await desk.run(["player", "list"]);
    assert.deepEqual([looked.exitCode, looked.stderr], [0, ""]);
    assert.match(looked.stdout, /^Ada\t/);
    assert.deepEqual(await desk.files(), before);
    const changed = await desk.run(["player", "add", "Bob"]);
    assert.equal(changed.exitCode, 0, changed.stderr);
    assert.match(changed.stderr, /incomplete change/);
    assert.deepEqual(await namesOf(desk), ["Ada", "Bob"]);
  });

  it("when a change was made a moment ago, it is shown", async (t) => {
    const desk = await seededDesk(t);
    for (const name of ["Ada", "Bob", "Cleo"]) {
      await desk.ok("player", "add", name);
      assert.ok((await namesOf(desk)).includes(name), `${name} is not shown`);
    }
  });

  it("when a snapshot is damaged, it warns, and reads the same data from the journal", async (t) => {
    const { desk } = await deskWithAda(t);
    await desk.withService((service) => service.store.snapshot());
    const path = await dataFile(desk, /^snapshot-/);
    await writeFile(path, "damaged");
    const { exitCode, stdout, stderr } = await desk.run(["player", "list"]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /^Ada\t/);
    assert.ok(stderr.startsWith(`warning: ${path} is damaged at byte 0`), stderr);
  });

  it("when the data is damaged, it is refused as when the folder is opened", async (t) => {
    const { desk, journal } = await deskWithAda(t);
    await writeFile(journal, "damaged\nwhat follows\n");
    const before = await desk.files();
    const looked = await desk.failsAs<FailureDocument>("player", "list");
    const changed = await desk.failsAs<FailureDocument>("player", "add", "Bob");
    assert.equal(looked.code, "STORE_UNAVAILABLE");
    assert.deepEqual(looked, changed);
    assert.deepEqual(await desk.files(), before);
  });

  it("when there is no data, nothing is created", async (t) => {
    const desk = await emptyDesk(t);
    const failure = await desk.failsAs<FailureDocument>("token", "list");
    assert.equal(failure.code, "UNKNOWN_ENTRY");
    assert.deepEqual(await readdir(desk.folder), []);
  });

  it("when the operation refuses, the folder is not opened for it", async (t) => {
    const { desk } = await deskWithAda(t);
    await rm(join(desk.data, "lock"));
    const failure = await desk.failsAs<FailureDocument>("player", "show", "Bob");
    assert.equal(failure.code, "UNKNOWN_PLAYER");
    assert.match(await desk.misused("player", "show", "B b"), /<player>: Expected a player name/);
    assert.ok(!(await readdir(desk.data)).includes("lock"), "the folder was locked");
  });
});
