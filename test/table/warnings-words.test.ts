/** What warnings say, and restrictions that only resemble those that are warned of. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Vocabulary } from "../../src/table/caller.ts";
import { checkTable } from "../../src/table/table.ts";
import { missingWords, type WarningOptions, warningsOf } from "../../src/table/warnings.ts";
import { vocabulary as libraryNames, operations } from "./_library.ts";

const library = operations();
const all = new Map(library);
const closing = library.get("house.close");
assert.ok(closing);
all.set("house.close", { ...closing, recordsCaller: true });

type Known = Omit<WarningOptions, "operations">;

/** Returns the sentences about a table whose only route closes the house. */
function sentences(
  restriction: string,
  known: Known = {},
  more = "",
  vocabulary: Vocabulary = libraryNames,
): string[] {
  const unserved = [...library.keys()].filter((name) => name !== "house.close");
  const text = `prefix: /library/{key}
excluded: { group: BARRED }
routes:
  /close:
    summary: Closes the house.
    restriction: ${restriction}
    handler: house.close
${more}unserved: [${unserved.join(", ")}]
`;
  const { table, faults } = checkTable(text, { operations: all, vocabulary: () => vocabulary });
  assert.ok(table, JSON.stringify(faults));
  return warningsOf(table, text, { operations: all, ...known }).map(({ message }) => message);
}

const ranks = { faction: new Map([["NORTH", 4]]), service: new Map([["DESK", 2]]) };
const members = new Map([["STAFF", 1]]);
const meant = (kind: string) => `; if this is intended, add "intended: [${kind}]"`;

describe("a warning says what is suspicious and what to do:", () => {
  const rows: readonly (readonly [restriction: string, known: Known, ...says: string[]])[] = [
    [
      "open",
      {},
      `house.close changes data, and everyone with a public token may call it${meant("open-change")}`,
      `house.close stores who called it, and a public token does not identify its holder${meant("unknown-caller")}`,
    ],
    [
      "{ group: BARRED }",
      { members },
      `members of the group BARRED may call nothing, so this allows nobody${meant("excluded-group")}`,
    ],
    [
      "{ group: FRIENDS }",
      { members },
      `the group FRIENDS has no members, so this allows nobody${meant("empty-group")}`,
    ],
    [
      "{ service: DESK, rank: 3 }",
      { ranks },
      `nobody has rank 3 or higher in the service DESK; the highest is 2${meant("unheld-rank")}`,
    ],
    [
      "{ faction: NORTH, rank: 2147483648 }",
      {},
      `nobody can have rank 2147483648; the highest possible rank is 2147483647${meant("unheld-rank")}`,
    ],
    [
      "{ allOf: [identified, administrators] }",
      {},
      `this part is redundant: the part for administrators implies it${meant("redundant-part")}`,
    ],
  ];
  for (const [restriction, known, ...says] of rows)
    it(restriction, () => assert.deepEqual(sentences(restriction, known), says));

  it("an intention without a warning", () => {
    assert.deepEqual(sentences("identified", {}, "    intended: [open-change]\n"), [
      "there is no warning open-change here; leave this out",
    ]);
  });
});

it("no warning is about groups or ranks if a restriction has none", () => {
  for (const restriction of [
    "identified",
    "administrators",
    "{ faction: NORTH }",
    "{ service: DESK }",
    "{ group: STAFF }",
    "[identified]",
  ])
    assert.deepEqual(sentences(restriction, { members, ranks }), [], restriction);
});

it("a faction with the name of the excluded or of an empty group is neither", () => {
  const vocabulary = { ...libraryNames, faction: ["BARRED", "FRIENDS"] };
  for (const restriction of ["{ faction: BARRED }", "{ faction: FRIENDS }"])
    assert.deepEqual(sentences(restriction, { members, ranks }, "", vocabulary), [], restriction);
});

it("operations without a route are counted and listed, with what to add", () => {
  assert.equal(
    missingWords(["books.add"]),
    "no route serves books.add; copy its route from the routes.yaml of this version, " +
      'or if this is intended, add "unserved: [books.add]"',
  );
  assert.equal(
    missingWords(["books.add", "books.of", "house.open"]),
    "no route serves books.add, books.of and house.open; copy their routes from the routes.yaml of this version, " +
      'or if this is intended, add "unserved: [books.add, books.of, house.open]"',
  );
});
