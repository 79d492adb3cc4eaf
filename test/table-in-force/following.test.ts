/** What each table that is put in force changes: what is reported, stored in the history, and warned about. */
import assert from "node:assert/strict";
import { readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import { readSeed } from "../../src/operator/seed-file.ts";
import { Service } from "../../src/service.ts";
import type { DurableData } from "../../src/store/data.ts";
import { revisionOf } from "../../src/table/revision.ts";
import type { Table } from "../../src/table/table.ts";
import { followTables, type TableChange } from "../../src/table-in-force/changes.ts";
import { TableHistory } from "../../src/table-in-force/history.ts";
import type { TablePutInForce } from "../../src/table-in-force/route-table.ts";
import { shippedRoutes, shippedSeed, temporaryFolder } from "../_setup.ts";
import { type Call, ruledFiles, systemError } from "../store/_faults.ts";

const shipped = await readFile(shippedRoutes, "utf8");
/** The shipped table with a narrower restriction, and with a comment that changes nothing. */
const narrowed = shipped.replace("{ group: TARGETLIST }", "administrators");
const commented = `${shipped}# more\n`;
const refused = "routes: 1\n";

class Followed {
  readonly history: TableHistory;
  readonly reports: TableChange[] = [];
  readonly warnings: string[] = [];
  /** The causes of the warnings. */
  readonly errors: unknown[] = [];
  readonly end: () => Promise<void>;
  readonly #service: Service;
  #note: (put: TablePutInForce) => Promise<void> = () => assert.fail("nobody follows the tables");

  constructor(service: Service, history: TableHistory, dataOf = () => service.store.data) {
    this.history = history;
    this.#service = service;
    this.end = followTables({
      service: {
        routes: {
          file: "routes.yaml",
          follow: (note) => {
            this.#note = note;
          },
        },
        store: {
          get data(): DurableData {
            return dataOf();
          },
        },
        vocabulary: service.vocabulary,
      },
      history,
      report: (change) => this.reports.push(change),
      warn: (message, error) => {
        this.warnings.push(message);
        this.errors.push(error);
      },
    });
  }

  /** Puts a table in force. @param before the text of the table before it */
  put(text: string, before?: string, cause: TablePutInForce["cause"] = "start"): Promise<void> {
    const old = before === undefined ? undefined : this.#tableOf(before);
    return this.#note({ cause, before: old, table: this.#tableOf(text), since: 7_000 });
  }

  #tableOf(text: string): Table {
    const { table, faults } = checkRoutes(text, this.#service.vocabulary());
    return table ?? assert.fail(JSON.stringify(faults));
  }
}

interface FollowOptions {
  /** The texts of the history, the latest last. */
  readonly earlier?: readonly string[];
  readonly rule?: Parameters<typeof ruledFiles>[0];
  readonly dataOf?: () => DurableData;
}

async function follow(t: TestContext, options: FollowOptions = {}): Promise<Followed> {
  const { earlier = [], rule, dataOf } = options;
  const folder = await temporaryFolder(t);
  const service = await Service.open({ folder: join(folder, "data"), routes: shippedRoutes });
  t.after(() => service.close());
  await service.administer("seed.groups", await readSeed(shippedSeed));
  const before = new TableHistory(folder);
  for (const [index, text] of earlier.entries())
    await before.add({ revision: revisionOf(text), since: 1_000 + index, change: null }, text);
  const history = rule === undefined ? before : new TableHistory(folder, ruledFiles(rule));
  return new Followed(service, history, dataOf);
}

/** Returns the revisions of the history with their times and whether they say what they changed. */
async function listed(
  history: TableHistory,
): Promise<[revision: string, since: number, isChange: boolean][]> {
  return (await history.list()).map(({ revision, since, change }) => [revision, since, change !== null]);
}

const [first, second] = [revisionOf(shipped), revisionOf(narrowed)];
const third = revisionOf(commented);

describe("at the start", () => {
  it("the first table of a data folder is stored, and nothing is reported", async (t) => {
    const followed = await follow(t);
    await followed.put(shipped);
    assert.deepEqual([followed.reports, followed.warnings], [[], []]);
    assert.deepEqual(await listed(followed.history), [[first, 7_000, false]]);
    assert.equal((await followed.history.text(first))?.text, shipped);
  });

  it("the table of the last run is neither reported nor stored again", async (t) => {
    const followed = await follow(t, { earlier: [narrowed, shipped] });
    await followed.put(shipped);
    assert.deepEqual([followed.reports, followed.warnings], [[], []]);
    assert.deepEqual(await listed(followed.history), [
      [first, 1_001, false],
      [second, 1_000, false],
    ]);
  });

  it("another table than that of the last run is compared with it", async (t) => {
    const followed = await follow(t, { earlier: [narrowed, shipped] });
    await followed.put(narrowed);
    assert.deepEqual(followed.warnings, []);
    const [report, ...others] = followed.reports;
    assert.deepEqual(others, []);
    assert.deepEqual([report?.cause, report?.revision, report?.before], ["start", second, first]);
    const [head] = await followed.history.list();
    assert.deepEqual(head, { revision: second, since: 7_000, change: report?.summary.words });
    assert.match(report?.summary.words ?? "", /\w/);
  });

  const unknown =
    `Revision ${second} of the route table is in force. When the service last ran it was ${first}, ` +
    "which cannot be compared";
  for (const [what, last, harm, says, cause] of [
    ["the text of the last one is missing", shipped, unlink, () => ": its text is missing.", undefined],
    [
      "the text of the last one was edited",
      shipped,
      (file: string) => writeFile(file, "# edited\n"),
      () => ".",
      /is no longer the table of revision/,
    ],
    [
      "this version refuses the last one",
      refused,
      async () => {},
      (file: string) => `: this version refuses ${file}.`,
      undefined,
    ],
  ] as const) {
    it(`the table is stored without a comparison if ${what}`, async (t) => {
      const followed = await follow(t, { earlier: [last] });
      const file = join(followed.history.folder, `${revisionOf(last)}.yaml`);
      await harm(file);
      await followed.put(narrowed);
      assert.deepEqual(followed.warnings, [unknown.replace(first, revisionOf(last)) + says(file)]);
      if (cause !== undefined) assert.match(String(followed.errors[0]), cause);
      assert.deepEqual(followed.reports, []);
      assert.deepEqual((await listed(followed.history))[0], [second, 7_000, false]);
    });
  }

  it("a history that cannot be read is replaced by a new one", async (t) => {
    const followed = await follow(t, { earlier: [shipped] });
    await writeFile(join(followed.history.folder, "history.json"), "[");
    await followed.put(narrowed);
    assert.deepEqual(followed.warnings, ["The history of route tables cannot be read; starting a new one."]);
    assert.match(String(followed.errors[0]), /is not a list of route tables/);
    assert.deepEqual(followed.reports, []);
    assert.deepEqual(await listed(followed.history), [[second, 7_000, false]]);
  });
});

describe("while the service runs", () => {
  it("a table is compared with the one before it, not with the history", async (t) => {
    const followed = await follow(t, { earlier: [commented] });
    await followed.put(narrowed, shipped, "reload");
    await followed.put(shipped, narrowed, "rollback");
    assert.deepEqual(followed.warnings, []);
    assert.deepEqual(
      followed.reports.map(({ cause, before, revision }) => [cause, before, revision]),
      [
        ["reload", first, second],
        ["rollback", second, first],
      ],
    );
    assert.deepEqual(await listed(followed.history), [
      [first, 7_000, true],
      [second, 7_000, true],
      [third, 1_000, false],
    ]);
  });

  it("a table that changes nobody's access is reported as well", async (t) => {
    const followed = await follow(t);
    await followed.put(commented, shipped, "watch");
    assert.deepEqual(
      followed.reports.map(({ summary }) => summary.operations),
      [[]],
    );
    assert.deepEqual((await followed.history.list())[0]?.change, followed.reports[0]?.summary.words);
  });

  it("a table that cannot be compared is stored without a comparison", async (t) => {
    const error = new Error("no data");
    const dataOf = () => {
      throw error;
    };
    const followed = await follow(t, { dataOf });
    await followed.put(narrowed, shipped, "watch");
    assert.deepEqual(followed.warnings, [
      `Revision ${second} of the route table cannot be compared with ${first}.`,
    ]);
    assert.deepEqual(followed.errors, [error]);
    assert.deepEqual(followed.reports, []);
    assert.deepEqual(await listed(followed.history), [[second, 7_000, false]]);
  });

  it("a table that cannot be stored is reported, and stored before the next one, or at the end", async (t) => {
    let isFull = true;
    const rule = ({ operation }: Call) =>
      isFull && operation === "write" ? systemError("ENOSPC") : undefined;
    const followed = await follow(t, { rule });
    await followed.put(narrowed, shipped, "watch");
    assert.deepEqual(followed.warnings, [
      `Revision ${second} of the route table is in force, but cannot be added to the history yet.`,
    ]);
    assert.match(String(followed.errors[0]), /ENOSPC/);
    assert.equal(followed.reports.length, 1);
    isFull = false;
    await followed.put(shipped, narrowed, "watch");
    assert.deepEqual((await listed(followed.history)).flat(), [first, 7_000, true, second, 7_000, true]);
    isFull = true;
    await followed.put(commented, shipped, "watch");
    isFull = false;
    await followed.end();
    assert.equal((await listed(followed.history)).length, 3);
  });
});
