/**
 * Random edits to the shipped table, in its text and in its structure. The checker reports or accepts, never throws, and
 * takes its time never; what it accepts is served: no request to one of its routes is a fault of ours.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv } from "ajv";
import fc from "fast-check";
import { parse, stringify } from "yaml";
import { checkRoutes } from "../../src/operations.ts";
import { handlersFor } from "../../src/resources/index.ts";
import type { BaseType } from "../../src/table/base-types.ts";
import { defaultDeclarations } from "../../src/table/declared/declarations.ts";
import { editorSchema } from "../../src/table/editor/editor-schema.ts";
import type { Parameter } from "../../src/table/parameters.ts";
import type { Route, Table } from "../../src/table/table.ts";
import { warningsOf } from "../../src/table/warnings/warnings.ts";
import { character } from "../_character.ts";
import { isFull, runs } from "../_depth.ts";
import { type Cleanup, everyRight, openWorld, shippedRoutes, type World } from "../_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");

const handlers = [...handlersFor(defaultDeclarations()).keys()];

/** The number of edits of each test. 3000 were tried once. */
const numRuns = runs(120);

/** The maximum time to check an edit, in milliseconds; usual are about ten. */
const patience = 5000;

const accepts = new Ajv({ allowUnionTypes: true }).compile(
  JSON.parse(JSON.stringify(editorSchema(handlers))),
);

describe("random edits to the shipped table", () => {
  let world: World;
  let tokens: string[];
  const cleanups: (() => unknown)[] = [];
  const suite: Cleanup = { after: (cleanup) => void cleanups.push(cleanup as () => unknown) };
  const counts = { accepted: 0, refused: 0, requests: 0 };

  before(async () => {
    world = await openWorld(suite, { routes: shipped });
    const { token } = await world.player("Ada", everyRight);
    tokens = [world.publicToken, token];
  });
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  /** Checks a text as a file has it: without half surrogate pairs. An accepted one is served, and all of its routes asked. */
  async function stand(edited: string): Promise<void> {
    const text = Buffer.from(edited).toString();
    const began = performance.now();
    const { table, faults, document } = checkRoutes(text, world.service.vocabulary());
    assert.ok(performance.now() - began < patience, "checking took too long");
    if (table === undefined) {
      counts.refused += 1;
      assert.ok(faults.length > 0, "it was refused without a fault");
      assertPlaces(text, faults);
      return;
    }
    counts.accepted += 1;
    assert.deepEqual(faults, []);
    assert.ok(
      accepts(parse(text)),
      `the schema refuses what was accepted: ${JSON.stringify(accepts.errors)}`,
    );
    const members = new Map<string, number>();
    assertPlaces(text, warningsOf(table, document, { members }));
    await writeFile(join(world.folder, "routes.yaml"), text);
    assert.equal((await world.service.routes.reload()).revision, table.revision);
    for (const route of table.routes) await ask(table, route);
  }

  async function ask(table: Table, route: Route): Promise<void> {
    for (const [index, token] of tokens.entries()) {
      // Of the two values of each parameter, the one caller now gives this, and the other one that.
      const path = requestPath(table, route, token, (counts.accepted + index) % 2);
      const { status } = await world.request(path);
      counts.requests += 1;
      assert.ok(status < 500, `${path} answered ${status}: ${JSON.stringify(world.log.at(-1))}`);
      assert.notEqual(world.log.at(-1)?.code, "UNKNOWN_PATH", `${path} is not served`);
    }
  }

  it("to its text are accepted or refused, and never crash", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(textEdit, { minLength: 1, maxLength: 3 }), async (edits) => {
        await stand(edits.reduce(editText, shipped));
      }),
      { numRuns, includeErrorInReport: true },
    );
  });

  it("to its structure are accepted or refused, and never crash", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(structureEdit, { minLength: 1, maxLength: 3 }), async (edits) => {
        await stand(stringify(edits.reduce(editStructure, parse(shipped) as unknown)));
      }),
      { numRuns, includeErrorInReport: true },
    );
  });

  it("are accepted and refused, at full depth in significant numbers", () => {
    assert.ok(counts.accepted >= (isFull ? 25 : 1), JSON.stringify(counts));
    assert.ok(counts.refused >= (isFull ? 25 : 1), JSON.stringify(counts));
    assert.ok(counts.requests >= (isFull ? 1000 : 1), JSON.stringify(counts));
  });
});

/** Asserts that each position is in the text, or at its end. */
function assertPlaces(
  text: string,
  faults: readonly { line: number; column: number; message: string }[],
): void {
  const lines = text.split("\n");
  for (const { line, column, message } of faults) {
    assert.ok(line >= 1 && line <= lines.length, `line ${line} of ${lines.length}: ${message}`);
    assert.ok(column >= 1 && column <= (lines[line - 1]?.length ?? 0) + 1, `${line}:${column}: ${message}`);
    assert.match(message, /\S/);
    assert.doesNotMatch(message, /\[object/);
  }
}

/** Returns a request to a route, with valid or invalid values. */
function requestPath(table: Table, { path, parameters }: Route, token: string, pick: number): string {
  const values = new Map(
    parameters.map((parameter) => [parameter.name, encodeURIComponent(textOf(parameter, pick))]),
  );
  const filled = (template: string) =>
    template.replace(/\{(\w+)\}/g, (_, name: string) =>
      name === table.tokenParameter ? token : (values.get(name) ?? "x"),
    );
  const query = parameters.filter(({ in: place }) => place === "query");
  const search = query.map(({ name }) => `${name}=${values.get(name)}`).join("&");
  return `${filled(table.prefix + path)}${search === "" ? "" : `?${search}`}`;
}

/** Returns one of two texts, not all of which are valid. */
function textOf({ type }: Parameter, pick: number): string {
  const texts: Readonly<Record<BaseType, readonly (string | undefined)[]>> = {
    text: ["Ada", "2.5.1"],
    integer: [String(type.minimum ?? 1), String(type.maximum ?? 2147483647)],
    boolean: ["true", "false"],
    enum: [type.values?.[0], type.values?.[1] ?? type.values?.[0]],
    instant: ["1760000000000", "2026-11-21T12:00:00Z"],
    group: ["VIP", "BLACKLISTED"],
    faction: ["GROVE", "grove"],
    service: ["RESCUE", "police"],
  };
  return texts[type.base][pick] ?? "x";
}

/** What means something in a table or in YAML, and what does not. */
const words = `open identified administrators self group faction service rank anyOf when type text integer boolean enum
  instant minimum maximum values default {player} {} $factionString $ [open] true null ~ 0 : # | > ' " [ ] { } ,
  __proto__ constructor toString 1e400 .inf -1 2147483648 (a+)+$ \\ / // ** 日本 😀`;
const spaced = `{ group: VIP }/- open/: /- /? /&a /*a/<<: *a/!!set /  /\t/\n/\n\n/\r\n/---\n/...\n/%YAML 1.1\n/\u0000/\ufeff/\ud800`;
const snippets = [...words.split(/\s+/), ...spaced.split("/")];

const textEdit = fc.record({
  kind: fc.constantFrom("insert", "delete", "replace", "repeat line", "drop line", "swap lines", "indent"),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  other: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  length: fc.integer({ min: 1, max: 12 }),
  snippet: fc.oneof(fc.constantFrom(...snippets), fc.string({ unit: character, maxLength: 8 })),
});
type TextEdit = Parameters<Parameters<typeof textEdit.map>[0]>[0];

function editText(text: string, { kind, at, other, length, snippet }: TextEdit): string {
  const offset = Math.floor(at * text.length);
  const lines = text.split("\n");
  const line = Math.floor(at * lines.length);
  switch (kind) {
    case "insert":
      return text.slice(0, offset) + snippet + text.slice(offset);
    case "delete":
      return text.slice(0, offset) + text.slice(offset + length);
    case "replace":
      return text.slice(0, offset) + snippet + text.slice(offset + length);
    case "repeat line":
      return lines.toSpliced(line, 0, lines[line] ?? "").join("\n");
    case "drop line":
      return lines.toSpliced(line, 1).join("\n");
    case "swap lines": {
      const to = Math.floor(other * lines.length);
      return lines
        .with(line, lines[to] ?? "")
        .with(to, lines[line] ?? "")
        .join("\n");
    }
    default:
      return lines.with(line, `${" ".repeat(length)}${lines[line]}`).join("\n");
  }
}

/** A value that may stand in a table, or may not. */
const names = "player playerName reason count VIP GROVE RESCUE".split(" ");
const maps = `{ group: VIP }/{ service: RESCUE, rank: 2 }/{ self: name }/{ self: player }/{ anyOf: [open] }/[open]/[]/{}/
  { allOf: [open, { group: VIP }] }/{ faction: $factionString }/{ type: text }/null/true/false/0/1/4/64/1.5/-1/.inf`;
const anything = fc.oneof(
  fc.constantFrom<unknown>(...snippets, ...names),
  fc.constantFrom<unknown>(...handlers),
  fc.constantFrom<unknown>(...maps.split("/").map((text) => parse(text))),
  fc.jsonValue(),
);

const structureEdit = fc.record({
  kind: fc.constantFrom("replace", "remove", "add", "rename", "copy"),
  at: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  other: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  key: fc.oneof(
    fc.constantFrom(...snippets, "name", "reason", "/x", "/x/{player}"),
    fc.string({ maxLength: 6 }),
  ),
  value: anything,
});
type StructureEdit = Parameters<Parameters<typeof structureEdit.map>[0]>[0];

function editStructure(content: unknown, { kind, at, other, key, value }: StructureEdit): unknown {
  const whole = structuredClone(content);
  const place = placeIn(whole, at);
  if (place === undefined) return value;
  const { parent, name } = place;
  if (kind === "replace") put(parent, name, value);
  else if (kind === "add") put(parent, Array.isArray(parent) ? parent.length : key, value);
  else if (kind === "copy") {
    const source = placeIn(whole, other);
    if (source !== undefined) put(parent, name, structuredClone(Reflect.get(source.parent, source.name)));
  } else {
    const was = Reflect.get(parent, name);
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else Reflect.deleteProperty(parent, name);
    if (kind === "rename") put(parent, Array.isArray(parent) ? 0 : key, was);
  }
  return whole;
}

interface Place {
  readonly parent: object;
  readonly name: string;
}

/** The place to which some steps lead, or as far as there is one. */
function placeIn(content: unknown, steps: readonly number[]): Place | undefined {
  let place: Place | undefined;
  let value = content;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) break;
    const names = Object.keys(value);
    const name = names[step % Math.max(names.length, 1)];
    if (name === undefined) break;
    place = { parent: value, name };
    value = Reflect.get(value, name);
  }
  return place;
}

/** As a property of its own, whatever its name. */
function put(parent: object, name: string | number, value: unknown): void {
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}
