/** What a verification remarks, which inconsistencies it finds, and in which order it reads. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { blacklistReason } from "../_entries.ts";
import { change, Folder, journal, record } from "./_folder.ts";

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
  const [collection, key, after] = [
    "entries",
    "blacklistreason/north/theft",
    blacklistReason("NORTH", "Theft"),
  ];
  const blacklisted = { ...change(2, "A"), changes: [{ collection, key, before: null, after }] };

  it("in changes, where nothing is damaged", async () => {
    const folder = new Folder().journal(1, change(1, "A"), blacklisted);
    const { problems, inconsistencies } = await folder.verify();
    assert.deepEqual(problems, []);
    assert.deepEqual(inconsistencies, [{ collection, key, what: "there is no faction NORTH" }]);
    folder.append(1, change(3, "C")).spoil(journal(1), '"C"');
    assert.deepEqual((await folder.verify()).inconsistencies, []);
  });

  it("in the snapshot with which the data begins", async () => {
    const folder = new Folder().journal(1, change(1, "A"));
    folder.snapshot(1, record("A"), { collection, record: after });
    const { problems, inconsistencies } = await folder.journal(2).without(journal(1)).verify();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      inconsistencies.map((found) => found.key),
      [key],
    );
  });
});
