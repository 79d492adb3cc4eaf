/** The history of route tables: its entries, their order, and failures of the disk. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { revisionOf } from "../../src/table/revision.ts";
import { TableHistory } from "../../src/table-in-force/history.ts";
import { temporaryFolder } from "../_setup.ts";
import { type Call, ruledFiles, systemError } from "../store/_faults.ts";

const textOf = (number: number) => `# table ${number}\n`;
const tableOf = (number: number) => ({
  revision: revisionOf(textOf(number)),
  since: 1_000 + number,
  change: `change ${number}`,
});

async function historyOf(folder: string, ...numbers: readonly number[]): Promise<TableHistory> {
  const history = new TableHistory(folder);
  for (const number of numbers) await history.add(tableOf(number), textOf(number));
  return history;
}

/** Asserts that every entry has its text. */
async function assertWhole(history: TableHistory): Promise<void> {
  for (const { revision } of await history.list())
    assert.ok((await history.text(revision)) !== undefined, `${revision} has no text`);
}

describe("the history of route tables", () => {
  it("is empty before a table is added", async (t) => {
    const folder = await temporaryFolder(t);
    assert.deepEqual(await new TableHistory(folder).list(), []);
    assert.deepEqual(await new TableHistory(join(folder, "none")).list(), []);
    assert.deepEqual(await readdir(folder), [], "looking writes nothing");
  });

  it("lists the latest first, and a table that is added again once, with its new time", async (t) => {
    const history = await historyOf(await temporaryFolder(t), 1, 2, 3);
    assert.deepEqual(await history.list(), [tableOf(3), tableOf(2), tableOf(1)]);
    await history.add({ ...tableOf(1), since: 9_000 }, textOf(1));
    assert.deepEqual(await history.list(), [{ ...tableOf(1), since: 9_000 }, tableOf(3), tableOf(2)]);
  });

  it("has at most twenty tables, and no texts of older ones", async (t) => {
    const folder = await temporaryFolder(t);
    const history = await historyOf(folder, ...Array.from({ length: 23 }, (_, index) => index));
    const list = await history.list();
    assert.deepEqual([list.length, list[0], list.at(-1)], [20, tableOf(22), tableOf(3)]);
    assert.deepEqual(
      (await readdir(history.folder)).sort(),
      ["history.json", ...list.map(({ revision }) => `${revision}.yaml`)].sort(),
    );
    await assertWhole(history);
  });

  it("is readable by the owner of the folder only", { skip: process.platform === "win32" }, async (t) => {
    const history = await historyOf(await temporaryFolder(t), 1);
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    assert.equal(await modeOf(history.folder), 0o700);
    for (const name of await readdir(history.folder))
      assert.equal(await modeOf(join(history.folder, name)), 0o600, name);
  });

  it("returns the text of a revision, and of nothing else", async (t) => {
    const folder = await temporaryFolder(t);
    const history = await historyOf(folder, 1);
    await writeFile(join(folder, "secret.yaml"), "secret");
    const { revision } = tableOf(1);
    const file = join(history.folder, `${revision}.yaml`);
    assert.deepEqual(await history.text(revision), { file, text: textOf(1) });
    for (const other of [tableOf(2).revision, "", "history", "../secret"])
      assert.equal(await history.text(other), undefined, other);
  });

  it("refuses an edited text, and replaces it when the table is in force again", async (t) => {
    const history = await historyOf(await temporaryFolder(t), 1, 2);
    const { revision } = tableOf(1);
    await writeFile(join(history.folder, `${revision}.yaml`), "# edited\n");
    await assert.rejects(history.text(revision), /is no longer the table of revision/);
    await history.add(tableOf(1), textOf(1));
    assert.equal((await history.text(revision))?.text, textOf(1));
  });

  it("reports a damaged list, and replaces it without removing texts", async (t) => {
    const history = await historyOf(await temporaryFolder(t), 1);
    const path = join(history.folder, "history.json");
    for (const text of ["", "[", "{}", '[{"revision":"../x","since":1,"change":null}]']) {
      await writeFile(path, text);
      await assert.rejects(history.list(), { code: "STORE_UNAVAILABLE", message: new RegExp(path) });
    }
    await history.add(tableOf(2), textOf(2));
    assert.deepEqual(await history.list(), [tableOf(2)]);
    assert.equal((await history.text(tableOf(1).revision))?.text, textOf(1));
  });

  it("removes the files of a process that was killed", async (t) => {
    const history = await historyOf(await temporaryFolder(t), 1);
    await writeFile(join(history.folder, ".history.json.0123456789ab.tmp"), "[");
    await history.add(tableOf(2), textOf(2));
    assert.ok(!(await readdir(history.folder)).some((name) => name.endsWith(".tmp")));
  });
});

/** Adds a table while every call from a certain one on fails. Returns the number of calls. */
async function keepFailing(folder: string, from: number): Promise<number> {
  let calls = 0;
  const rule = (_call: Call) => {
    calls += 1;
    return calls >= from ? systemError("ENOSPC") : undefined;
  };
  await new TableHistory(folder, ruledFiles(rule)).add(tableOf(99), textOf(99)).catch(() => {});
  return calls;
}

async function filledFolder(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  await historyOf(folder, ...Array.from({ length: 20 }, (_, index) => index));
  return folder;
}

describe("the history of route tables, on a failing disk,", () => {
  it("is in the state before or after at every call, and never lists a table without its text", async (t) => {
    const [before, after] = [tableOf(19), tableOf(99)];
    const calls = await keepFailing(await filledFolder(t), Number.POSITIVE_INFINITY);
    assert.ok(calls > 10, `${calls} calls`);
    const heads = new Set<number>();
    for (let from = 1; from <= calls; from += 1) {
      const folder = await filledFolder(t);
      await keepFailing(folder, from);
      const history = new TableHistory(folder);
      const [head] = await history.list();
      assert.ok(head?.since === before.since || head?.since === after.since, `call ${from}`);
      heads.add(head.since);
      await assertWhole(history);
      await history.add(tableOf(100), textOf(100));
      assert.equal((await history.list()).length, 20);
    }
    assert.deepEqual(heads, new Set([before.since, after.since]));
  });

  it("does not create a deleted data folder again", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    await mkdir(folder);
    const history = await historyOf(folder, 1);
    await rm(folder, { recursive: true });
    await assert.rejects(history.add(tableOf(2), textOf(2)), { code: "ENOENT" });
    await assert.rejects(readFile(folder), { code: "ENOENT" });
  });

  it("is not replaced by a new one while it cannot be read", async (t) => {
    const folder = await filledFolder(t);
    const rule = ({ operation, path }: Call) =>
      operation === "readPieces" && path.endsWith("history.json") ? systemError("EIO") : undefined;
    const history = new TableHistory(folder, ruledFiles(rule));
    await assert.rejects(history.list(), { code: "EIO" });
    await assert.rejects(history.add(tableOf(99), textOf(99)), { code: "EIO" });
    assert.equal((await new TableHistory(folder).list()).length, 20);
  });

  it("reports a text that cannot be read", async (t) => {
    const folder = await filledFolder(t);
    const rule = ({ operation }: Call) => (operation === "readPieces" ? systemError("EACCES") : undefined);
    const { revision } = tableOf(19);
    await assert.rejects(new TableHistory(folder, ruledFiles(rule)).text(revision), { code: "EACCES" });
  });
});

it("a table is added to the history one step after another, and is there when that is done", async (t) => {
  const folder = await temporaryFolder(t);
  const steps: string[] = [];
  let running = 0;
  const files = ruledFiles(async ({ operation, path }) => {
    assert.equal(running, 0, `${operation} ${path} began before the step before it ended`);
    running += 1;
    // A step that does not wait would be here by now: it needs no disk to begin.
    for (let index = 0; index < 3; index += 1) await readdir(folder);
    running -= 1;
    steps.push(operation);
    return undefined;
  });
  const history = new TableHistory(folder, files);
  await history.add(tableOf(0), textOf(0));
  assert.equal(steps.filter((step) => step === "mkdir").length, 1);
  await writeFile(join(history.folder, ".history.json.0123456789ab.tmp"), "[");
  for (let number = 1; number <= 20; number += 1) {
    await history.add(tableOf(number), textOf(number));
    assert.equal(running, 0, "everything has ended");
  }
  assert.equal(steps.filter((step) => step === "unlink").length, 2, "the temporary file and the oldest text");
  assert.equal(steps.filter((step) => step === "mkdir").length, 1, "the folder is created once");
  assert.deepEqual((await history.list())[0], tableOf(20));
});
