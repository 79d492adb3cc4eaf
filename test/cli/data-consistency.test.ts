/** Inconsistent data: `data import` refuses it, `data verify` reports it, and a start warns of it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { model } from "../../src/domain/model.ts";
import { Store } from "../../src/store/store.ts";
import type { VerifyDocument } from "./_data.ts";
import { type Desk, seededDesk } from "./_setup.ts";

const uuid = (digit: string) => digit.repeat(32);

/** Two players of one name, a membership in nothing, and a token of nobody. */
const inconsistent = {
  players: ["1", "2"].map((digit) => {
    return { uuid: uuid(digit), name: "Ada", administrator: false, registeredAt: 1 };
  }),
  memberships: [{ uuid: uuid("1"), organisation: "NONE", rank: 1 }],
  tokens: [
    {
      id: "aaaa",
      hash: "a".repeat(64),
      uuid: uuid("3"),
      label: null,
      addonVersion: null,
      issuedAt: 1,
      expiresAt: null,
      revokedAt: null,
    },
  ],
};

/** Returns a desk with inconsistent data. */
async function inconsistentDesk(t: TestContext): Promise<Desk> {
  const desk = await seededDesk(t);
  const store = await Store.open({ folder: desk.data, model });
  await store.change({ who: "system", operation: "test" }, (draft) => {
    for (const player of inconsistent.players) draft.players.put(player);
    for (const membership of inconsistent.memberships) draft.memberships.put(membership);
    for (const token of inconsistent.tokens) draft.tokens.put(token);
  });
  await store.close();
  return desk;
}

const problems = [
  /players 2{32}: the name Ada is also that of the player 1{32}/,
  /memberships NONE\/1{32}: there is no faction or service NONE/,
  /tokens aaaa: there is no player 3{32}/,
];

for (const where of ["where there is data", "into an empty folder"]) {
  it(`data import refuses it ${where}, names every problem, and changes nothing`, async (t) => {
    const desk = await seededDesk(t);
    const document = JSON.parse(await desk.ok("data", "export"));
    Object.assign(document.collections, inconsistent);
    await desk.write("e.json", JSON.stringify(document));
    const before = await desk.files();
    const data = where === "into an empty folder" ? ["--data", "copy"] : [];
    const stderr = await desk.fails(...data, "data", "import", "e.json", "--yes");
    for (const problem of problems) assert.match(stderr, problem);
    const failure = await desk.failsAs<{ problems: string[] }>(...data, "data", "import", "e.json", "--yes");
    assert.equal(failure.problems.length, 3);
    assert.deepEqual(await desk.files(), before);
    await assert.rejects(readFile(join(desk.folder, "copy", "lock")), { code: "ENOENT" });
  });
}

it("data verify names every problem, and exits with 1", async (t) => {
  const desk = await inconsistentDesk(t);
  const { exitCode, stdout } = await desk.run(["data", "verify"]);
  assert.equal(exitCode, 1);
  for (const problem of problems) assert.match(stdout, problem);
  assert.match(stdout, /: 3 problems\.$/m);
  const { ok } = await desk.failsAs<VerifyDocument>("data", "verify");
  assert.equal(ok, false);
});

it("serve warns of it, and starts anyway", async (t) => {
  const desk = await inconsistentDesk(t);
  const serving = desk.serve();
  await serving.shows(/Listening/);
  while (!serving.stderr.text.includes("Inconsistent records")) await serving.stderr.changed;
  for (const problem of problems) assert.match(serving.stderr.text, problem);
  assert.equal(await serving.stop(), 0);
});

it("a backup that has it can be restored, with a warning", async (t) => {
  const desk = await inconsistentDesk(t);
  await desk.ok("data", "backup", "b.gz");
  await desk.ok("player", "remove", uuid("2"), "--yes");
  const { exitCode, stderr } = await desk.run(["data", "restore", "b.gz", "--yes"]);
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /warning: players (?:1{32}|2{32}): the name Ada is also that of the player/);
});
