/** `list export` and `list import`: what is exported is imported again, and a file adds and changes entries, or is refused whole. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { formatCSV } from "../../src/backup/csv.ts";
import { controlOf } from "../../src/control/operations.ts";
import type { Entry } from "../../src/domain/entry.ts";
import { Failure } from "../../src/domain/errors.ts";
import { openWorld, shippedRoutes } from "../_setup.ts";

const lists = `lists:
  track: { title: track, key: text, fields: { text: text } }
  lap:
    title: lap
    key: [track, racer]
    keep: { time: lowest }
    creator: true
    fields: { track: { type: entry, list: track }, racer: player, time: { type: integer, minimum: 1 }, wet: { type: boolean, default: false } }
  note: { title: note, fields: { text: { type: text, maxLength: 8 }, level: { type: enum, values: [low, high], default: low } } }
`;
const routes = `
  /lap/set: { summary: Sets a lap., restriction: open, handler: lap.setOwn }
  /note/add: { summary: Adds a note., restriction: open, handler: note.add, intended: [open-change] }
`;

async function worldOfLists(t: Parameters<typeof openWorld>[0]) {
  const shipped = await readFile(shippedRoutes, "utf8");
  const table = shipped.replace(/^lists:\n/m, lists).replace(/^routes:\n/m, `routes:${routes}`);
  const world = await openWorld(t, { routes: table });
  const { service } = world;
  const exported = async (list: string) => {
    const { columns, entries } = await service.administer("list.export", { list });
    return formatCSV(
      columns,
      entries.map((entry) => columns.map((column) => String(entry[column] ?? ""))),
    );
  };
  const load = (list: string, text: string, options: { remove?: boolean; preview?: boolean } = {}) =>
    service.administer("list.import", {
      list,
      file: "f.csv",
      text,
      remove: false,
      preview: false,
      ...options,
    });
  const refusalOf = async (list: string, text: string, options = {}) => {
    const error = await load(list, text, options).catch((error: unknown) => error);
    assert.ok(error instanceof Failure, String(error));
    return error.message
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/^f\.csv:/, ""));
  };
  return { world, service, exported, load, refusalOf };
}

describe("the file of a list", () => {
  it("adds and changes entries, removes the others only if asked to, and keeps what it does not have", async (t) => {
    const { world, service, exported, load } = await worldOfLists(t);
    await load("track", "text\nmonza\nspa\n");
    const ada = await world.player("Ada");
    await world.ok(ada.token, "/lap/set", { track: "monza", racer: "Bob", time: 90, wet: "true" });
    const head = "track,racer,racerUUID,time,wet,creatorName,creatorUUID";
    assert.equal(await exported("lap"), `${head}\nmonza,Bob,,90,true,Ada,${ada.uuid}`);
    assert.equal((await load("lap", await exported("lap"))).changes, 0, "what is exported is what is there");

    const text = `racer;time;track\nbob;95;MONZA\n${ada.uuid};80;spa\n`;
    const { changes, sequence } = await load("lap", text);
    assert.equal(changes, 2);
    const rest = `spa,Ada,${ada.uuid},80,false,operator,`;
    assert.equal(await exported("lap"), `${head}\nmonza,bob,,95,true,Ada,${ada.uuid}\n${rest}`);
    await load("lap", `track,racer,racerUUID,time\nspa,Former,${ada.uuid},80\n`, { remove: true });
    assert.equal(await exported("lap"), `${head}\n${rest}`, "the UUID counts, and the other entry is gone");
    await service.administer("undo", { sequence: (sequence ?? 0) + 1 });
    await service.administer("undo", { sequence: sequence ?? 0 });
    assert.equal(await exported("lap"), `${head}\nmonza,Bob,,90,true,Ada,${ada.uuid}`);
  });

  it("finds the entries of a list without a key by their numbers, and numbers new ones", async (t) => {
    const { world, exported, load, refusalOf } = await worldOfLists(t);
    for (const text of ["one", "two"]) await world.ok(world.publicToken, "/note/add", { text });
    const json = JSON.stringify([{ number: 2, text: "second", level: "high" }, { text: "third" }]);
    await load("note", json);
    assert.equal(await exported("note"), "number,text,level\n1,one,low\n2,second,high\n3,third,low");
    await load("note", "number,text\n3,\u00fcber\n", { remove: true });
    await load("note", "text\nfour\n");
    assert.equal(
      await exported("note"),
      "number,text,level\n3,\u00fcber,low\n4,four,low",
      "no number is given twice",
    );
    assert.deepEqual(await refusalOf("note", "number,text\n1,x\n"), [
      "2:1: there is no entry 1; leave the number empty to add one",
    ]);
  });

  it("takes what is exported, even if the list would no longer accept it", async (t) => {
    const { world, load, exported, refusalOf } = await worldOfLists(t);
    const put = (...entries: Entry[]) =>
      world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
        for (const entry of entries) draft.entries.put(entry);
      });
    const texts = [
      "=1+1",
      "'-x",
      "two\r\nlines",
      " blanks ",
      "in\u200bvisible",
      "007",
      "-13",
      "'-13",
      "undefined",
      'a",\u2028;',
    ];
    await put(...texts.map((text) => ({ list: "track", key: ["text"], values: { text } })));
    const uuid = "a".repeat(32);
    const lap = { list: "lap", key: ["track", "racer"], entries: { track: "track" }, player: "racer", uuid };
    await put({ ...lap, name: "Gone", values: { track: "007", time: 0, wet: true } });
    await world.player("Gone");
    for (const list of ["track", "lap"]) {
      const { changes } = await load(list, await exported(list), { remove: true });
      assert.equal(changes, 0, list);
    }
    assert.deepEqual(await refusalOf("track", '[{"text":"007"},{}]'), [
      "1:18: expected JSON: a list of objects with texts, numbers, true, false and null",
    ]);
  });

  it("is refused if the list would be too long, or if it has no rows to keep", async (t) => {
    const { load, refusalOf } = await worldOfLists(t);
    const rows = (count: number) => Array.from({ length: count }, (_, index) => `t${index}\n`).join("");
    assert.deepEqual(await refusalOf("track", `text\n${rows(1001)}`), [
      "1:1: the list would have 1001 entries, but can have 1000",
    ]);
    await load("track", `text\n${rows(1000)}`);
    const { changes } = await load("track", "text\nnew\n", { remove: true });
    assert.equal(changes, 1001);
    assert.deepEqual(await refusalOf("track", "text\n", { remove: true }), [
      "1:1: expected rows: without any, --remove would remove all",
    ]);
  });

  it("is no longer read when its command has ended", async (t) => {
    const { world } = await worldOfLists(t);
    const control = controlOf({
      ...world.service.environment,
      service: async () => world.service,
      holder: null,
    });
    const text = `text\n${"same\n".repeat(50_000)}`;
    const input = { list: "track", file: "f.csv", text, remove: false, preview: true };
    const reason = new Error("ended");
    await assert.rejects(control.run("list.import", input, AbortSignal.abort(reason)), reason);
  });

  it("is refused with all its faults, by the list's declaration, and then changes nothing", async (t) => {
    const { world, load, refusalOf } = await worldOfLists(t);
    await load("track", "text\nmonza\nspa\n");
    await load("lap", "track,racer,time\nmonza,Bob,90\n");
    const before = world.snapshot();
    assert.deepEqual(await refusalOf("lap", "track,racer,time,wet\nmonza,a b,0,dry\n,Bob,x,\n"), [
      '2:7: "racer" must be a player name of letters, digits, "_", "." or "-", not "a b". Write "-" for a space',
      '2:11: "time" must be a whole number from 1 to 2147483647, not "0"',
      '2:13: "wet" must be true or false, not "dry"',
      '3:1: "track" must be 1 to 64 characters, but is empty',
      '3:6: "time" must be a whole number from 1 to 2147483647, not "x"',
    ]);
    assert.deepEqual(
      await refusalOf("lap", "track,racer,time\nmonzza,Bob,5\nmonza,Bob,9\nmonza,bob,8\nspa,Al,1\n"),
      ['2:1: There is no track monzza. Did you mean "monza"?', "4:1: the same entry is in line 3"],
    );
    assert.deepEqual(await refusalOf("lap", "track,racer\nspa,Al\n"), ['2:1: expected a value of "time"']);
    assert.deepEqual(await refusalOf("track", "text\nspa\n", { remove: true }), [
      "1:1: the track monza is missing, but in use",
    ]);
    assert.deepEqual(await refusalOf("track", '[{"text":""},{"txt":"b"}]'), [
      '1:10: "text" must be 1 to 64 characters, but is empty',
      '1:15: unknown column "txt"; did you mean "text"?',
      '1:21: expected a value of "text"',
    ]);
    assert.deepEqual(await refusalOf("track", "text\nspa,x\n"), ["2:5: expected 1 cell, got 2"]);
    assert.deepEqual(await refusalOf("track", `text\n${world.publicToken}\n`), [
      '2:1: "text" contains a token',
    ]);
    const noColumns = "1:1: expected the columns in the first line, got nothing";
    assert.deepEqual(await refusalOf("track", ",\nspa\n"), [noColumns]);
    for (const [text, place] of [
      ['[{"text":["a"]}]', "1:3"],
      ['[\n{"text":"a",}]', "2:13"],
      ['[{"text":01}]', "1:3"],
      ['["a"]', "1:2"],
      ["[{}]", "1:3"],
      ['[{"text":"a"}', "1:14"],
    ] as const) {
      const expected = "expected JSON: a list of objects with texts, numbers, true, false and null";
      assert.deepEqual(await refusalOf("track", text), [`${place}: ${expected}`]);
    }
    assert.deepEqual(world.snapshot(), before);
  });
});
