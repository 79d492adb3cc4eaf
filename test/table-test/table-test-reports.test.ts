/** What tests of a table report of failures and gaps, and that a bug of the engine is neither. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testTable } from "../../src/table-test/table-test.ts";
import { edited, goodTable } from "../table/_faults.ts";
import { check, vocabulary } from "../table/_library.ts";

async function run(text: string, tableText = goodTable, tokenForm = /^tok_/) {
  const { table, faults } = check(tableText);
  assert.ok(table !== undefined, JSON.stringify(faults));
  return testTable(text, { table, vocabulary, tokenForm });
}

/** The failures of some tests: what came, and why. */
async function failuresOf(tests: string) {
  const { result } = await run(`tests:\n${tests}`);
  return result?.failures.map(({ came, why }) => [came, why]);
}

const everyone = "Allowed here: everyone with a valid token. The caller has a valid token.";
const missing = /^The parameter "title" is missing/;

describe("a failed test of the table reports", () => {
  it("a caller as allowed where a code was expected", async () => {
    for (const code of ["RESTRICTED", "EXCLUDED", "PARAMETER_MISSING"]) {
      assert.deepEqual(await failuresOf(`  /books: { ${code}: player }\n`), [["allowed", everyone]]);
    }
  });

  it("a caller as allowed who was to be denied, although a parameter is missing", async () => {
    assert.deepEqual(await failuresOf("  /books/NORTH/add: { denied: { faction: NORTH, rank: 4 } }\n"), [
      [
        "allowed",
        "Allowed here: members of the faction NORTH with rank 4 or higher. The caller is in the faction NORTH with rank 4.",
      ],
    ]);
  });

  it("a denied caller as denied, with the reason of the restriction, whatever was expected", async () => {
    for (const expected of ["allowed", "PARAMETER_INVALID", "UNKNOWN_ENTRY"]) {
      assert.deepEqual(await failuresOf(`  /books/NORTH: { ${expected}: public }\n`), [
        [
          "denied",
          "Allowed here: members of the faction NORTH. The caller is a public token, which belongs to nobody.",
        ],
      ]);
    }
  });

  it("the code of any other failure, with its own sentence", async () => {
    const codes: Readonly<Record<string, readonly [tests: string, says: RegExp]>> = {
      EXCLUDED: ["  /books: { allowed: { group: BARRED } }\n", /^(?!Allowed here)./],
      PARAMETER_MISSING: [
        "  /books/NORTH/add: { PARAMETER_INVALID: { faction: NORTH, rank: 4 } }\n",
        missing,
      ],
      UNKNOWN_FACTION: ["  /books/WEST: { allowed: public }\n", /WEST/],
      PARAMETER_INVALID: ["  /books: { with: { hidden: maybe }, denied: public }\n", /hidden/],
    };
    for (const [code, [tests, says]] of Object.entries(codes)) {
      const [[came, why] = [], ...more] = (await failuresOf(tests)) ?? [];
      assert.deepEqual([came, more], [code, []]);
      assert.match(String(why), says);
      assert.doesNotMatch(String(why), /undefined/);
    }
  });
});

describe("a bug of the engine", () => {
  const add = "tests:\n  /books/NORTH: { allowed: public }\n";

  /** A form of tokens that fails when it is asked for the n-th time, and counts. */
  function failing(time: number) {
    const state = { asked: 0 };
    const tokenForm = Object.assign(/^tok_/, {
      test() {
        state.asked += 1;
        if (state.asked === time) throw new TypeError(`a bug at ${time}`);
        return false;
      },
    });
    return { state, tokenForm };
  }

  it("ends the tests, wherever it is: it is no result", async () => {
    const { state, tokenForm } = failing(0);
    await run(add, goodTable, tokenForm);
    assert.ok(state.asked >= 3, String(state.asked));
    for (let time = 1; time <= state.asked; time += 1) {
      await assert.rejects(run(add, goodTable, failing(time).tokenForm), { message: `a bug at ${time}` });
    }
  });
});

describe("a path that no route matches", () => {
  it("is the only fault of its test, whose parameters nobody knows", async () => {
    const { result, faults } = await run(
      "tests:\n  /boks: { with: { hiden: true }, allowed: public }\n  /books: { denied: public }\n",
    );
    assert.equal(result, undefined);
    assert.deepEqual(
      faults.map(({ line, message }) => [line, message]),
      [[2, 'no route matches /boks. Did you mean "/books"?']],
    );
  });
});

describe("a gap names its case", () => {
  const gapsOf = async (restriction: string) => {
    const table = edited("    restriction: { faction: $branch }\n", `    restriction: ${restriction}\n`);
    const { result } = await run("tests:\n  /books/WEST: { UNKNOWN_FACTION: public }\n", table);
    const { result: called } = await run("tests:\n  /books/NORTH: { EXCLUDED: { group: BARRED } }\n", table);
    assert.deepEqual([result?.coverage.ways.covered, called?.coverage.ways.covered], [0, 0]);
    const { result: tested } = await run("tests:\n  /books/NORTH: { denied: public }\n", table);
    return tested?.coverage.gaps.flatMap(({ route, restriction: words, untried }) =>
      route === "/books/{branch}" ? [`${words}: ${untried}`] : [],
    );
  };

  it("unless there is only one", async () => {
    assert.deepEqual(await gapsOf("[{ faction: $branch }]"), ["members of the faction {branch}: allowed"]);
  });

  it("or that it is for all other cases", async () => {
    assert.deepEqual(await gapsOf("[{ when: { branch: SOUTH }, group: STAFF }, { faction: $branch }]"), [
      "members of the group STAFF when branch is SOUTH: allowed",
      "members of the group STAFF when branch is SOUTH: denied",
      "members of the faction {branch} otherwise: allowed",
    ]);
  });

  it("in each part of a compound", async () => {
    assert.deepEqual(
      await gapsOf(
        "[{ when: { branch: SOUTH }, anyOf: [administrators, { group: STAFF }] }, administrators]",
      ),
      [
        "administrators when branch is SOUTH: allowed",
        "administrators when branch is SOUTH: denied",
        "members of the group STAFF when branch is SOUTH: allowed",
        "members of the group STAFF when branch is SOUTH: denied",
        "administrators otherwise: allowed",
      ],
    );
  });
});
