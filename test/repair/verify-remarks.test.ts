/** What a verification remarks, which inconsistencies it finds, and in which order it reads. */
import assert from "node:assert/strict";
import { basename } from "node:path";
import { describe, it } from "node:test";
import { verify } from "../../src/repair/verify.ts";
import { inMemory } from "../backup/_setup.ts";
import { change, Folder, journal, record, slowly, snapshot, step } from "./_folder.ts";

describe("a verification remarks", () => {
  it("on files that are no data, in the order of their listing", async () => {
    const folder = new Folder().journal(1, change(1, "A"));
    for (const name of [
      "unsynced",
      `${journal(1)}.broken`,
      "replaced-2026",
      "damaged-2026",
      "before-version-2",
      "lock",
      "routes.yaml",
      "tables",
      "notes.broken.txt",
    ]) {
      folder.files.set(name, Buffer.alloc(0));
    }
    const { problems, remarks } = await folder.verify();
    assert.deepEqual(problems, []);
    assert.deepEqual(remarks, [
      "A sync failed before the service ended: the next start writes everything again.",
      `${journal(1)}.broken is an incomplete last change that a start cut off and kept.`,
      "replaced-2026 has earlier data files; it was not verified.",
      "damaged-2026 has earlier data files; it was not verified.",
      "before-version-2 has earlier data files; it was not verified.",
    ]);
  });

  it("on a clock that went backwards, before the files that are no data", async () => {
    const hour = 3_600_000;
    const folder = new Folder().journal(1, { ...change(1, "A"), instant: 2 * hour }, change(2, "B"));
    folder.files.set("unsynced", Buffer.alloc(0));
    const { problems, remarks } = await folder.verify();
    assert.deepEqual(problems, []);
    assert.equal(remarks.length, 2);
    assert.match(remarks[0] ?? "", /^The clock went backwards by more than a minute at change 2 /);
  });
});

describe("a verification finds inconsistent records", () => {
  const reason = (faction: string) => ({ faction, reason: "Theft", price: 1, kills: 1 });
  const blacklisted = (sequence: number) => ({
    ...change(sequence, "A"),
    changes: [{ collection: "blacklistReasons", key: "NORTH/theft", before: null, after: reason("NORTH") }],
  });

  it("in changes, where nothing is damaged", async () => {
    const folder = new Folder().journal(1, change(1, "A"), blacklisted(2));
    const { problems, inconsistencies } = await folder.verify();
    assert.deepEqual(problems, []);
    assert.deepEqual(inconsistencies, [
      { collection: "blacklistReasons", key: "NORTH/theft", what: "there is no faction NORTH" },
    ]);
    folder.append(1, change(3, "C")).spoil(journal(1), '"C"');
    assert.deepEqual((await folder.verify()).inconsistencies, []);
  });

  it("in the snapshot with which the data begins", async () => {
    const folder = new Folder().journal(1, change(1, "A"));
    folder.snapshot(1, record("A"), { collection: "blacklistReasons", record: reason("NORTH") });
    const { problems, inconsistencies } = await folder.journal(2).without(journal(1)).verify();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      inconsistencies.map(({ key }) => key),
      ["NORTH/theft"],
    );
  });
});

describe("a verification reads one file after the other, each where its changes are due:", () => {
  const folders: Readonly<Record<string, readonly [Folder, readonly string[]]>> = {
    "snapshots between segments": [
      new Folder()
        .journal(1, change(1, "A"), change(2, "B"))
        .snapshot(2, record("A"), record("B"))
        .journal(3, change(3, "C"))
        .snapshot(3, record("A"), record("B"), record("C"))
        .journal(4),
      [journal(1), snapshot(2), journal(3), snapshot(3), journal(4)],
    ],
    "a snapshot within a segment": [
      new Folder()
        .journal(1, change(1, "A"), step(2, "A", 1, 2))
        .snapshot(2, record("A", 2))
        .append(1, step(3, "A", 2, 3), step(4, "A", 3, 4)),
      [journal(1), snapshot(2)],
    ],
    "the snapshot before the oldest segment": [
      new Folder().journal(1, change(1, "A")).snapshot(1, record("A")).journal(2).without(journal(1)),
      [snapshot(1), journal(2)],
    ],
    "snapshots without a journal": [
      new Folder()
        .journal(1, change(1, "A"))
        .snapshot(1, record("A"))
        .journal(2, change(2, "B"))
        .snapshot(2, record("A"), record("B"))
        .without(journal(1), journal(2)),
      [snapshot(1), snapshot(2)],
    ],
    "a snapshot in a gap before an empty segment": [
      new Folder()
        .journal(1, change(1, "A"))
        .journal(2, change(2, "B"))
        .snapshot(2, record("A"), record("B"))
        .journal(3)
        .without(journal(2)),
      [journal(1), journal(3), snapshot(2)],
    ],
    "a snapshot in a gap": [
      new Folder()
        .journal(1, change(1, "A"))
        .journal(2, step(2, "A", 1, 2))
        .snapshot(2, record("A", 2))
        .journal(3, step(3, "A", 2, 3), step(4, "A", 3, 4))
        .without(journal(2)),
      [journal(1), journal(3), snapshot(2)],
    ],
    "a snapshot after the end of the journal": [
      new Folder()
        .journal(1, change(1, "A"))
        .journal(2, change(2, "B"))
        .snapshot(2, record("A"), record("B"))
        .without(journal(2)),
      [journal(1), snapshot(2)],
    ],
  };
  for (const [name, [folder, expected]] of Object.entries(folders)) {
    it(name, async () => {
      const { state, files } = slowly(inMemory(folder.files));
      const found = await verify(files, "/data", { running: false });
      assert.deepEqual(state, { read: expected, most: 1 });
      assert.deepEqual(found, await folder.verify());
    });
  }

  it("a file that cannot be read is a failure, not damage", async () => {
    const folder = new Folder().journal(1, change(1, "A")).snapshot(1, record("A")).journal(2);
    for (const name of folder.files.keys()) {
      const files = inMemory(folder.files);
      const readFile = (path: string) =>
        basename(path) === name ? Promise.reject(new Error(`no ${name}`)) : files.readFile(path);
      await assert.rejects(verify({ ...files, readFile }, "/data", { running: false }), {
        message: `no ${name}`,
      });
    }
  });
});
