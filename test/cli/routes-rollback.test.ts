/** `routes rollback`: back to a table that was in force, beside a service and without one. */
import assert from "node:assert/strict";
import { chmod, lstat, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { TableDiff } from "../../src/explain/diff.ts";
import { revisionOf } from "../../src/table/revision.ts";
import type { HistoryEntry } from "../../src/table-in-force/history.ts";
import { shippedRoutes } from "../_setup.ts";
import { answering, type Desk, type FailureDocument, type Running, seededDesk } from "./_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const stricter = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 5 }");
const looser = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 3 }");
const faulty = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLCE, rank: 4 }");
const [first, second, third] = [shipped, stricter, looser].map(revisionOf);

interface Result {
  readonly revision: string;
  readonly file: string;
  readonly inForce: boolean;
  readonly keptAs: string | null;
  readonly diff: TableDiff | null;
}

interface Place {
  readonly desk: Desk;
  readonly serving: Running;
}

/** Returns a service that reloads tables only on command. The shipped one was in force; now it is the stricter one. */
async function changedDesk(t: TestContext): Promise<Place> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--member", "POLICE:4");
  const serving = desk.serve(["--no-watch"]);
  await serving.shows(/Listening/);
  await desk.write("routes.yaml", stricter);
  await desk.ok("routes", "reload", "--yes");
  return { desk, serving };
}

const table = (desk: Desk) => readFile(join(desk.folder, "routes.yaml"), "utf8");
const copy = (desk: Desk) => readFile(join(desk.folder, "routes.yaml.before-rollback"), "utf8");
const inForce = async (desk: Desk) => (await desk.json<{ revision: string }>("routes", "status")).revision;
const revisionsOf = async (desk: Desk) =>
  (await desk.json<readonly HistoryEntry[]>("routes", "history")).map(({ revision }) => revision);

describe("routes rollback beside a service", () => {
  it("goes back to the table in force before, keeps the file's text, and goes forth when it is repeated", async (t) => {
    const { desk, serving } = await changedDesk(t);
    assert.equal((await desk.run(["can-i", "Ada", "/wantedreason/add"])).exitCode, 1);
    const stdout = await desk.ok("routes", "rollback", "--yes");
    assert.match(
      stdout,
      new RegExp(`^Revision ${first} is in force; it was ${second}\\.\\n.*before-rollback\\.\\n$`),
    );
    assert.deepEqual([await table(desk), await copy(desk)], [shipped, stricter]);
    assert.equal(await inForce(desk), first);
    await desk.ok("can-i", "Ada", "/wantedreason/add");
    assert.deepEqual(await revisionsOf(desk), [first, second]);
    assert.match(serving.stderr.text, /was reloaded by `routes rollback`/);
    const { diff, ...rest } = await desk.json<Result>("routes", "rollback", "--yes");
    assert.deepEqual(rest, {
      revision: second,
      file: join(desk.folder, "routes.yaml"),
      inForce: true,
      keptAs: join(desk.folder, "routes.yaml.before-rollback"),
    });
    assert.deepEqual([diff?.counts.gain, diff?.counts.lose], [0, 1]);
    assert.deepEqual([await inForce(desk), await copy(desk)], [second, shipped]);
  });

  it("goes back to the revision that it is given", async (t) => {
    const { desk } = await changedDesk(t);
    await desk.write("routes.yaml", looser);
    await desk.ok("routes", "reload", "--yes");
    await desk.ok("routes", "rollback", String(first), "--yes");
    assert.equal(await inForce(desk), first);
    assert.deepEqual(await revisionsOf(desk), [first, third, second]);
  });

  it("shows whom it hits, and asks; anything but yes changes nothing", async (t) => {
    const { desk } = await changedDesk(t);
    for (const answer of ["n", "", undefined]) {
      const { exitCode, questions, stderr } = await answering(desk, answer, "routes", "rollback");
      assert.deepEqual([exitCode, questions.length], [1, 1]);
      assert.match(stderr, /gain +1 player \(all\): Ada[\s\S]*Nothing was changed/);
    }
    for (const args of [["--no-input"], []]) {
      const stderr = await desk.fails(...args, "routes", "rollback");
      assert.match(stderr, /there is nobody to ask[\s\S]*--yes/);
    }
    const { code, hint } = await desk.failsAs<FailureDocument>("routes", "rollback");
    assert.deepEqual([code, /--yes/.test(hint ?? "")], ["CONFLICT", true]);
    assert.deepEqual([await table(desk), await inForce(desk)], [stricter, second]);
    await assert.rejects(copy(desk), { code: "ENOENT" });
    assert.equal((await answering(desk, "y", "routes", "rollback")).exitCode, 0);
    assert.deepEqual([await table(desk), await inForce(desk)], [shipped, first]);
  });

  it("does not lose an edit that was saved while it asked", async (t) => {
    const { desk } = await changedDesk(t);
    const answer = async () => {
      await desk.write("routes.yaml", faulty);
      return "y";
    };
    const { exitCode, stderr } = await answering(desk, answer, "routes", "rollback");
    assert.deepEqual([exitCode, await table(desk), await inForce(desk)], [1, faulty, second]);
    assert.match(stderr, /has changed meanwhile, and was not replaced[\s\S]*Repeat the command/);
    await assert.rejects(copy(desk), { code: "ENOENT" });
  });

  it("asks anew where another table was put in force while it asked", async (t) => {
    const { desk } = await changedDesk(t);
    const answer = async () => {
      await desk.write("routes.yaml", looser);
      await desk.ok("routes", "reload", "--yes");
      await desk.write("routes.yaml", stricter);
      return "y";
    };
    const { exitCode } = await answering(desk, answer, "routes", "rollback");
    assert.deepEqual([exitCode, await table(desk), await inForce(desk)], [1, stricter, third]);
  });

  it("keeps the file byte by byte, in whatever encoding it was saved", async (t) => {
    const { desk } = await changedDesk(t);
    const saved = Buffer.from(`\ufeff${stricter}`, "utf16le");
    await writeFile(join(desk.folder, "routes.yaml"), saved);
    await desk.ok("routes", "rollback", "--yes");
    assert.equal(await table(desk), shipped);
    assert.deepEqual(await readFile(join(desk.folder, "routes.yaml.before-rollback")), saved);
  });

  it("restores the file where the table in force is named, and says where nothing is to be done", async (t) => {
    const { desk } = await changedDesk(t);
    await desk.write("routes.yaml", faulty);
    await desk.fails("routes", "reload", "--yes");
    assert.match(await desk.ok("routes", "rollback", String(second), "--yes"), /which stayed in force/);
    assert.deepEqual([await table(desk), await copy(desk), await inForce(desk)], [stricter, faulty, second]);
    assert.match(await desk.ok("routes", "rollback", String(second)), /nothing was changed/);
    assert.equal(await copy(desk), faulty);
  });

  it("changes nothing where this version refuses the table, and says why", async (t) => {
    const { desk } = await changedDesk(t);
    const refused = revisionOf(faulty);
    await writeFile(join(desk.data, "tables", `${refused}.yaml`), faulty);
    const stderr = await desk.fails("routes", "rollback", refused, "--yes");
    assert.match(
      stderr,
      /This version of the service refuses that table\. Nothing was changed\.[\s\S]*POLCE/,
    );
    assert.deepEqual([await table(desk), await inForce(desk)], [stricter, second]);
    await assert.rejects(copy(desk), { code: "ENOENT" });
  });

  it("refuses a table that is not kept, or was edited since", async (t) => {
    const { desk } = await changedDesk(t);
    for (const revision of ["0123456789ab", "../../routes", "routes.yaml"])
      assert.match(
        await desk.fails("routes", "rollback", revision, "--yes"),
        /no stored route table[\s\S]*routes history/,
      );
    await writeFile(join(desk.data, "tables", `${first}.yaml`), looser);
    assert.match(await desk.fails("routes", "rollback", "--yes"), /is no longer the table of revision/);
    assert.deepEqual([await table(desk), await inForce(desk)], [stricter, second]);
  });

  it("refuses where no other table was in force", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("routes", "rollback", "--yes"), /There is no earlier route table/);
    await desk.serve(["--no-watch"]).shows(/Listening/);
    assert.match(await desk.fails("routes", "rollback", "--yes"), /There is no earlier route table/);
  });

  it("keeps the mode of the file, and a link a link", { skip: process.platform === "win32" }, async (t) => {
    const { desk } = await changedDesk(t);
    const path = join(desk.folder, "routes.yaml");
    const target = join(desk.folder, "managed.yaml");
    await rename(path, target);
    await symlink("managed.yaml", path);
    await chmod(target, 0o664);
    const mask = process.umask(0o077);
    await desk.ok("routes", "rollback", "--yes").finally(() => process.umask(mask));
    assert.ok((await lstat(path)).isSymbolicLink());
    assert.equal((await stat(target)).mode & 0o777, 0o664);
    assert.equal(await readFile(target, "utf8"), shipped);
    assert.equal(await copy(desk), stricter);
  });
});

describe("routes rollback where no service runs", () => {
  async function stoppedDesk(t: TestContext): Promise<Desk> {
    const { desk, serving } = await changedDesk(t);
    await serving.stop();
    return desk;
  }

  it("replaces the file, which the next start puts in force", async (t) => {
    const desk = await stoppedDesk(t);
    const stdout = await desk.ok("routes", "rollback", "--yes");
    assert.match(stdout, /the next start puts it in force/);
    assert.deepEqual([await table(desk), await copy(desk)], [shipped, stricter]);
    assert.deepEqual(await revisionsOf(desk), [second, first], "nothing was put in force yet");
    const serving = desk.serve();
    await serving.shows(/Listening/);
    assert.match(serving.stderr.text, /has changed since the service last ran/);
    assert.deepEqual(await revisionsOf(desk), [first, second]);
  });

  it("replaces a faulty file, with which no service starts, by the table that was last in force", async (t) => {
    const desk = await stoppedDesk(t);
    await desk.write("routes.yaml", faulty);
    const { revision, keptAs, inForce: isServed } = await desk.json<Result>("routes", "rollback", "--yes");
    assert.deepEqual([revision, isServed], [second, false]);
    assert.equal(await readFile(String(keptAs), "utf8"), faulty);
    assert.equal(await table(desk), stricter);
  });

  it("brings back a file that is gone", async (t) => {
    const desk = await stoppedDesk(t);
    await rm(join(desk.folder, "routes.yaml"));
    const { revision, keptAs } = await desk.json<Result>("routes", "rollback", "--yes");
    assert.deepEqual([revision, keptAs], [second, null]);
    assert.equal(await table(desk), stricter);
  });

  it("compares an edited file that was never in force with the table", async (t) => {
    const desk = await stoppedDesk(t);
    await desk.write("routes.yaml", looser);
    const { revision, diff } = await desk.json<Result>("routes", "rollback", "--yes");
    assert.equal(revision, second, "the table that was last in force");
    assert.deepEqual([diff?.before.revision, diff?.after.revision], [third, second]);
  });

  for (const [what, isRecorded] of [
    ["that this version refuses, as after a return to an older version", true],
    ["whose text is damaged", false],
  ] as const) {
    it(`replaces a faulty file where the table that was last in force is one ${what}`, async (t) => {
      const desk = await stoppedDesk(t);
      const newer = `quotas: off\n${stricter}`;
      await desk.write("routes.yaml", newer);
      await writeFile(join(desk.data, "tables", `${isRecorded ? revisionOf(newer) : second}.yaml`), newer);
      const list = join(desk.data, "tables", "history.json");
      if (isRecorded)
        await writeFile(list, (await readFile(list, "utf8")).replace(String(second), revisionOf(newer)));
      const { exitCode, stdout, stderr } = await desk.run(["routes", "rollback", String(first), "--yes"]);
      assert.equal(exitCode, 0, stderr);
      assert.match(stderr, /was last in force, and cannot be compared/);
      assert.match(stdout, /the next start puts it in force/);
      assert.deepEqual([await table(desk), await copy(desk)], [shipped, newer]);
    });
  }
});
