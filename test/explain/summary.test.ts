/** The summary of a comparison: the first names, and the numbers of each operation. Its words are in `diff.yaml`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RouteChange } from "../../src/explain/changes.ts";
import type { Affected, Comparison, Counts, Side } from "../../src/explain/comparison.ts";
import { summarize } from "../../src/explain/summary.ts";

const cohort = (...names: readonly string[]) => names.map((name) => ({ name, uuid: name }));
const side = (cohorts: readonly number[], isPublic = false): Side => ({ cohorts, public: isPublic });
const none = side([]);
const open = side([], true);

const noChange = {
  restriction: null,
  handler: null,
  summary: null,
  limit: null,
  parameters: [],
  narrows: false,
};
const route = (path: string, people: readonly Affected<Side>[], kind: RouteChange["change"] = "changed") => ({
  path,
  change: kind,
  ...noChange,
  people,
});
const gains = (one: Side): Affected<Side> => ({ when: {}, gains: one, loses: none });
const loses = (one: Side): Affected<Side> => ({ when: {}, gains: none, loses: one });

const counts: Counts = { added: 0, removed: 0, changed: 0, gain: 0, lose: 0 };
const name = { file: "routes.yaml", revision: "r", routes: 0 };
const empty: Comparison = {
  before: name,
  after: name,
  settings: [],
  routes: [],
  exclusion: null,
  counts,
  takesAway: false,
  cohorts: [cohort("Zoe", "Eve", "ada"), cohort("Dan", "Bob", "cleo", "Fay")],
  registered: 12,
};

describe("the summary of a comparison", () => {
  const [first, second] = [0, 1];

  it("has the numbers of each operation that somebody gains or loses, each player once", () => {
    const both = { when: { player: "x" }, gains: side([second], true), loses: side([first]) };
    const {
      operations,
      counts: own,
      registered,
      takesAway,
    } = summarize({
      ...empty,
      counts: { ...counts, gain: 4 },
      takesAway: true,
      routes: [
        route("/a", [gains(side([first])), gains(side([first, second])), both]),
        route("/b", []),
        route("/c", [loses(open)]),
        route("/d", [loses(side([second]))]),
      ],
    });
    assert.deepEqual(operations, [
      { path: "/a", gain: 7, lose: 3, publicGains: true, publicLoses: false },
      { path: "/c", gain: 0, lose: 0, publicGains: false, publicLoses: true },
      { path: "/d", gain: 0, lose: 4, publicGains: false, publicLoses: false },
    ]);
    assert.deepEqual([own, registered, takesAway], [{ ...counts, gain: 4 }, 12, true]);
  });

  it("names the first five players who lose something or are excluded, by name", () => {
    const firstLosing = (...sides: readonly Side[]) =>
      summarize({ ...empty, routes: [route("/a", sides.map(loses))] }).firstLosing;
    assert.deepEqual(firstLosing(), []);
    assert.deepEqual(firstLosing(side([first])), ["ada", "Eve", "Zoe"]);
    const five = ["ada", "Bob", "cleo", "Dan", "Eve"];
    assert.deepEqual(firstLosing(side([first, second]), side([first])), five);
    assert.deepEqual(firstLosing(side([second, first])), five);
    const exclusion = { excludes: side([second]), readmits: side([first]) };
    const excluding = { ...empty, exclusion, routes: [route("/a", [gains(side([first]))])] };
    assert.deepEqual(summarize(excluding).firstLosing, ["Bob", "cleo", "Dan", "Fay"]);
  });
});
