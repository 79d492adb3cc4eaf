/** Reading the file of a route table, and keeping the table in force while the file cannot be used. */
import assert from "node:assert/strict";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { revisionOf } from "../../src/table/revision.ts";
import type { Table } from "../../src/table/table.ts";
import { readTable } from "../../src/table-in-force/read-table.ts";
import { RouteTable, type TablePutInForce } from "../../src/table-in-force/route-table.ts";
import { Clock, temporaryFolder } from "../_setup.ts";
import { goodTable } from "../table/_faults.ts";
import { operations, vocabulary } from "../table/_library.ts";

const changed = `${goodTable}# changed\n`;
const maximum = 1024 * 1024;

/** A route table whose file is the good one, and what was mounted and noted. */
class Tables {
  readonly clock = new Clock();
  readonly mounted: Table[] = [];
  readonly notes: TablePutInForce[] = [];
  readonly routes: RouteTable<{ readonly table: Table }>;

  constructor(file: string) {
    const mount = (table: Table) => {
      this.mounted.push(table);
      return { table };
    };
    const store = {
      data: { entries: { values: () => [], watch: () => () => {} } },
      betweenChanges: (task: () => Promise<void>) => task(),
    };
    const context = { operations: () => operations(), vocabulary: () => vocabulary, store };
    this.routes = new RouteTable(file, context, mount, this.clock.now);
    this.routes.follow(async (put) => void this.notes.push(put));
  }

  /** Returns the revisions that were mounted. */
  get revisions(): string[] {
    return this.mounted.map(({ revision }) => revision);
  }

  write(text: string): Promise<void> {
    return writeFile(this.routes.file, text);
  }
}

async function tablesIn(t: TestContext): Promise<Tables> {
  const tables = new Tables(join(await temporaryFolder(t), "routes.yaml"));
  await tables.write(goodTable);
  return tables;
}

/** Asserts a refusal to read: its message and hint, and whether it has a cause. */
async function assertUnreadable(
  work: Promise<unknown>,
  message: string | RegExp,
  hint: string,
  cause?: string,
): Promise<void> {
  const error = await work.then(
    () => assert.fail("expected a refusal"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.code, "STORE_UNAVAILABLE");
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
  assert.equal(error.hint, hint);
  assert.equal((error.cause as NodeJS.ErrnoException | undefined)?.code, cause);
}

describe("the table in force", () => {
  it("does not exist before it is loaded", async (t) => {
    const { routes } = await tablesIn(t);
    for (const use of [() => routes.mounted, () => routes.table, () => routes.status()])
      assert.throws(use, { message: "load() comes first" });
  });

  it("is loaded once, and read again only by a reload", async (t) => {
    const tables = await tablesIn(t);
    const { routes, clock, notes } = tables;
    const table = await routes.load();
    assert.equal(routes.table, table);
    assert.equal(routes.mounted.table, table);
    assert.deepEqual(
      notes.map((put) => [put.cause, put.before, put.table, put.table.text, put.since]),
      [["start", undefined, table, goodTable, clock.time]],
    );
    await tables.write(changed);
    assert.equal(await routes.load(), table);
    assert.deepEqual(tables.revisions, [revisionOf(goodTable)]);
    assert.deepEqual(await routes.reload(), { revision: revisionOf(changed), changed: true });
    assert.deepEqual(tables.revisions, [revisionOf(goodTable), revisionOf(changed)]);
    assert.deepEqual([notes[1]?.cause, notes[1]?.before], ["reload", table]);
  });

  it("has the time when it was put in force, which the same table does not change", async (t) => {
    const tables = await tablesIn(t);
    const { routes, clock } = tables;
    await routes.load();
    const since = clock.time;
    const inForce = { file: routes.file, revision: revisionOf(goodTable), routes: 4, since };
    const status = { ...inForce, refused: null };
    assert.deepEqual(routes.status(), status);
    clock.advance(1_000);
    assert.deepEqual(await routes.reload(), { revision: revisionOf(goodTable), changed: false });
    assert.deepEqual(routes.status(), status);
    assert.equal(tables.mounted.length, 1);
    assert.equal(tables.notes.length, 1);
    await tables.write(changed);
    await routes.reload();
    const later = { ...status, revision: revisionOf(changed), since: clock.time };
    assert.deepEqual(routes.status(), later);
  });

  it("stays in force while the file has faults, which the status lists until the file has none", async (t) => {
    const tables = await tablesIn(t);
    const { routes, clock } = tables;
    const table = await routes.load();
    await tables.write("routes: 1\n");
    clock.advance(1_000);
    const error = await routes.reload().then(
      () => assert.fail("it was accepted"),
      (reason: Error) => reason,
    );
    assert.ok(error instanceof Failure && error.faultyFile !== undefined, String(error));
    const { refused, since, revision } = routes.status();
    assert.equal(refused?.at, clock.time);
    assert.equal(refused?.reason, error.message);
    assert.deepEqual(
      refused?.faults.map(({ line, column }) => [line, column]),
      [
        [1, 1],
        [1, 9],
      ],
    );
    assert.deepEqual([since, revision], [clock.time - 1_000, revisionOf(goodTable)]);
    assert.equal(routes.table, table);

    await rm(routes.file);
    clock.advance(1_000);
    await assert.rejects(routes.reload(), { code: "STORE_UNAVAILABLE" });
    const reason = `There is no route table ${routes.file}.`;
    assert.deepEqual(routes.status().refused, { at: clock.time, reason, faults: [] });

    await tables.write(goodTable);
    assert.deepEqual(await routes.reload(), { revision: revisionOf(goodTable), changed: false });
    assert.equal(routes.status().refused, null);
    assert.equal(tables.mounted.length, 1);
  });

  it("is replaced only by the revision that was reviewed, if one was", async (t) => {
    const tables = await tablesIn(t);
    const { routes } = tables;
    await routes.load();
    await tables.write(changed);
    await assert.rejects(routes.reload("reload", revisionOf(goodTable)), {
      code: "CONFLICT",
      message: "The route table's file changed during the review.",
      hint: "Repeat the command to see what it would change now.",
    });
    assert.equal(routes.status().revision, revisionOf(goodTable));
    const expected = revisionOf(changed);
    assert.deepEqual(await routes.reload("reload", expected), { revision: expected, changed: true });
    assert.deepEqual(await routes.reload("reload", expected), { revision: expected, changed: false });
    assert.deepEqual(tables.revisions, [revisionOf(goodTable), expected]);
  });

  it("is reviewed before it is replaced by a file that has changed by itself, and that nobody has reviewed", async (t) => {
    const { routes } = await tablesIn(t);
    const reviewed: string[] = [];
    let refusal: Error | undefined;
    const review = async (table: Table, before: Table) => {
      reviewed.push(`${before.revision} ${table.revision}`);
      if (refusal !== undefined) throw refusal;
      return undefined;
    };
    routes.follow(async () => {}, review);
    await routes.load();
    const put = async (text: string, ...how: Parameters<typeof routes.reload>) => {
      await writeFile(routes.file, text);
      return (await routes.reload(...how)).changed;
    };
    assert.equal(await put(goodTable, "watch"), false, "the same table is not reviewed");
    assert.equal(await put(changed, "reload"), true, "the operator has reviewed it");
    assert.deepEqual(reviewed, []);
    const [one, other] = [revisionOf(goodTable), revisionOf(changed)];
    assert.equal(await put(goodTable, "watch"), true);
    assert.equal(await put(changed, "signal"), true);
    assert.deepEqual(reviewed, [`${other} ${one}`, `${one} ${other}`]);
    refusal = new Error("It is cut off.");
    await assert.rejects(put(goodTable, "watch"), refusal);
    const { revision, refused } = routes.status();
    assert.deepEqual([revision, refused?.reason], [other, "It is cut off."]);
  });

  it("is not replaced by a check, which leaves no trace", async (t) => {
    const tables = await tablesIn(t);
    const { routes } = tables;
    await routes.load();
    await tables.write(changed);
    assert.equal((await routes.check()).table?.revision, revisionOf(changed));
    await tables.write("routes: 1\n");
    const { table, faults } = await routes.check();
    assert.equal(table, undefined);
    assert.equal(faults.length, 2);
    await rm(routes.file);
    await assert.rejects(routes.check(), { message: `There is no route table ${routes.file}.` });
    assert.deepEqual([routes.status().refused, tables.mounted.length], [null, 1]);
  });

  it("has settled when the last reload is noted, even one that failed", async (t) => {
    const tables = await tablesIn(t);
    const { routes } = tables;
    await routes.load();
    let note = () => {};
    const noting = new Promise<void>((resolve) => {
      note = resolve;
    });
    const order: string[] = [];
    const begun = new Promise<void>((resolve) => {
      routes.follow(async () => {
        resolve();
        await noting;
        order.push("noted");
      });
    });
    await tables.write(changed);
    const reloaded = routes.reload().then(() => order.push("reloaded"));
    const settled = routes.settled().then(() => order.push("settled"));
    await begun;
    for (let index = 0; index < 10; index += 1) await readTable(routes.file);
    assert.deepEqual(order, []);
    note();
    await Promise.all([reloaded, settled]);
    assert.deepEqual([order[0], new Set(order)], ["noted", new Set(["noted", "reloaded", "settled"])]);
    await rm(routes.file);
    await assert.rejects(routes.reload());
    await routes.settled();
  });
});

const otherFile =
  "Name another file with --routes, or copy the routes.yaml of the service there. " +
  "`addon-cli routes rollback` writes back the last one in force, if there was one.";
const access =
  "Give the user of this process access to the file and its folders, or name another file with --routes.";
const putThere = "Put the table's file there, or name another one with --routes.";

const readNamed = (file: string) => readTable(file, true);

describe("the file of a table", () => {
  it("is read if it has the maximum size, and refused if it is a byte longer", async (t) => {
    const file = join(await temporaryFolder(t), "routes.yaml");
    await writeFile(file, "#".repeat(maximum));
    assert.equal((await readTable(file)).length, maximum);
    await writeFile(file, "#".repeat(maximum + 1));
    const message = `Expected a route table, but ${file} has 1048577 bytes; the maximum is 1048576.`;
    await assertUnreadable(readNamed(file), message, putThere);
  });

  it("is refused if it is missing or a directory", async (t) => {
    const folder = await temporaryFolder(t);
    const missing = join(folder, "missing.yaml");
    await assertUnreadable(readNamed(missing), `There is no route table ${missing}.`, otherFile, "ENOENT");
    const message = `Expected a route table, but ${folder} is a directory instead of a regular file.`;
    await assertUnreadable(readNamed(folder), message, putThere);
  });

  it("is refused with the error of the operating system otherwise", {
    skip: process.platform === "win32",
  }, async (t) => {
    const folder = await temporaryFolder(t);
    const [loop, under] = [join(folder, "loop.yaml"), join(folder, "file.yaml", "routes.yaml")];
    await symlink(loop, loop);
    await writeFile(join(folder, "file.yaml"), goodTable);
    for (const [file, code] of [
      [loop, "ELOOP"],
      [under, "ENOTDIR"],
    ] as const) {
      const message = new RegExp(`^The route table cannot be read: ${file}: .+ \\(${code}\\)\\.$`);
      await assertUnreadable(readNamed(file), message, access, code);
    }
  });

  it("is refused if this process may not read it", { skip: process.platform === "win32" }, async (t) => {
    const folder = join(await temporaryFolder(t), "closed");
    const file = join(folder, "routes.yaml");
    await mkdir(folder);
    await writeFile(file, goodTable);
    await chmod(folder, 0);
    // Nothing is closed to root.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    const message = `The route table cannot be read: ${file}: permission denied (EACCES).`;
    try {
      await assertUnreadable(readNamed(file), message, access, "EACCES");
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(folder, 0o700);
    }
  });
});
