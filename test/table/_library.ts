/**
 * Another service on the same engine: a lending library, with a table, operations and callers of its own. Nothing
 * here knows the game's handlers, its store or its tokens.
 */
import * as v from "valibot";
import { Failure } from "../../src/domain/errors.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { RequestRecord } from "../../src/engine/exchange.ts";
import { AnswerResponse } from "../../src/http/answer-response.ts";
import { App } from "../../src/http/app.ts";
import type { Caller, MembershipKind, Vocabulary } from "../../src/table/caller.ts";
import type { Operation, Request as OperationRequest, Operations } from "../../src/table/operation.ts";
import type { Input } from "../../src/table/restriction/restriction.ts";
import { type CheckedTable, checkTable } from "../../src/table/table.ts";

/** Branches are factions here, desks are services. */
export const vocabulary: Vocabulary = {
  group: ["STAFF", "FRIENDS", "BARRED"],
  faction: ["NORTH", "SOUTH"],
  service: ["DESK", "ARCHIVE"],
};

type Ranks = Partial<Record<MembershipKind, Readonly<Record<string, number>>>>;

function reader(name: string, ranks: Ranks = {}, more: Partial<Caller> = {}): Caller {
  return {
    id: `reader-${name}`,
    administrator: false,
    unrestricted: false,
    isCalled: (reference) => reference.toLowerCase() === name,
    rankIn: (kind, of) => ranks[kind]?.[of],
    ...more,
  };
}

/** The callers by their library cards, which are the tokens. */
export const cards: ReadonlyMap<string, Caller> = new Map([
  ["visitor", reader("visitor", {}, { id: null, isCalled: () => false })],
  ["rosa", reader("rosa")],
  ["karl", reader("karl")],
  ["head", reader("head", {}, { administrator: true })],
  ["friend", reader("friend", { group: { FRIENDS: 0 } })],
  ["north3", reader("north3", { faction: { NORTH: 3 } })],
  ["north4", reader("north4", { faction: { NORTH: 4 } })],
  ["south9", reader("south9", { faction: { SOUTH: 9 } })],
  ["desk1", reader("desk1", { service: { DESK: 1 } })],
  ["archive2", reader("archive2", { service: { ARCHIVE: 2 } })],
  ["barred", reader("barred", { group: { BARRED: 0 } }, { administrator: true })],
]);

/** The unrestricted caller. */
export const owner: Caller = reader("owner", { group: { BARRED: 0 } }, { unrestricted: true });

/** A run of an operation. */
export interface Run {
  readonly name: string;
  readonly input: Input;
  readonly caller: Caller;
}

/** The message of an internal error, which no answer may contain. */
export const secret = "shelf 7 fell on /home/library/secret.db";

const title = v.pipe(v.string(), v.metadata({ minLength: 1, maxLength: 64 }));
const pages = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5000));

const declared: Readonly<Record<string, Omit<Operation, "run" | "answer">>> = {
  "books.list": { effect: "read", input: v.object({ hidden: v.boolean() }) },
  "books.of": {
    effect: "read",
    input: v.object({ branch: v.pipe(v.string(), v.metadata({ base: "faction" })) }),
  },
  "books.add": {
    effect: "change",
    input: v.object({
      branch: v.pipe(v.string(), v.metadata({ base: "faction" })),
      title,
      pages,
      kind: v.picklist(["novel", "poem", "essay"]),
    }),
  },
  "books.find": {
    effect: "read",
    input: v.object({
      words: v.optional(v.string()),
      since: v.optional(v.pipe(v.number(), v.metadata({ base: "instant" }))),
      at: v.optional(v.pipe(v.string(), v.metadata({ base: "service" }))),
      within: v.optional(v.pipe(v.string(), v.metadata({ base: "group" }))),
      shelf: v.optional(v.pipe(v.number(), v.integer())),
      mode: v.optional(v.picklist(["short", "long"])),
    }),
  },
  "readers.show": {
    effect: "read",
    input: v.object({ reader: v.pipe(v.string(), v.maxLength(64), v.metadata({ player: true })) }),
  },
  "house.close": { effect: "change", input: v.object({}), recordsCaller: true },
  "house.open": { effect: "read", input: v.object({}) },
  "shelf.break": { effect: "change", input: v.object({}) },
  "shelf.empty": { effect: "read", input: v.object({}) },
};

/** Returns the library's operations. A read answers with its input; each calls `onRun`. */
export function operations(onRun: (run: Run) => void = () => {}): Operations {
  const run = (name: string, effect: string) => (input: Input, request: OperationRequest) => {
    onRun({ name, input: { ...input }, caller: request.caller });
    if (name === "shelf.break") throw new Error(secret);
    if (name === "shelf.empty") throw new Failure("UNKNOWN_ENTRY", "The shelf is empty.");
    return effect === "read" ? { ...input } : `${name} is done.`;
  };
  const entries = Object.entries(declared).map(
    ([name, operation]) =>
      [name, { ...operation, answer: v.unknown(), run: run(name, operation.effect) }] as const,
  );
  return new Map(entries);
}

/** Checks a table with the library's operations and names. */
export function check(text: string): CheckedTable {
  return checkTable(text, { operations: () => operations(), vocabulary: () => vocabulary });
}

/** A parsed answer. */
export interface LibraryAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A running library, with records of what it has done. */
export class Library {
  readonly runs: Run[] = [];
  readonly log: RequestRecord[] = [];
  readonly seen: (readonly [string | null, string | undefined])[] = [];
  readonly app: App;

  /** @param text a table without faults */
  constructor(text: string) {
    const { table, faults } = checkTable(text, {
      operations: () => operations((run) => this.runs.push(run)),
      vocabulary: () => vocabulary,
    });
    if (table === undefined) throw new Error(JSON.stringify(faults));
    const observer = { observe: (record: RequestRecord) => this.log.push(record) };
    const engine = new Engine({
      ...observer,
      table,
      vocabulary: () => vocabulary,
      authenticate: (card) => {
        const caller = cards.get(card);
        if (caller === undefined) throw new Failure("TOKEN_UNKNOWN", "There is no such library card.");
        return caller;
      },
      seen: (caller, version) => this.seen.push([caller.id, version]),
    });
    this.app = new App(engine, new Map(), observer);
  }

  /** Asks with a card, such as `ask("rosa", "/books?hidden=true")`. */
  ask(card: string, path: string, init?: RequestInit): Promise<LibraryAnswer> {
    return this.request(`/library/${card}${path}`, init);
  }

  /** Asks a raw path. */
  async request(path: string, init?: RequestInit): Promise<LibraryAnswer> {
    return read(await this.app.fetch(new Request(`http://library.test${path}`, init)));
  }

  /** Asks from inside, for a caller without a card. */
  async call(
    path: string,
    query: readonly (readonly [string, string])[],
    caller = owner,
  ): Promise<LibraryAnswer> {
    return read(new AnswerResponse(await this.app.engine.call(path, query, caller)));
  }
}

async function read(response: Response): Promise<LibraryAnswer> {
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, body: text === "" ? {} : JSON.parse(text) };
}
