/** An engine whose operations a test can replace, with records of what they get. */
import assert from "node:assert/strict";
import * as v from "valibot";
import { Failure } from "../../src/domain/errors.ts";
import { ReadyBody } from "../../src/engine/body.ts";
import { Engine, type EngineOptions } from "../../src/engine/engine.ts";
import type { RequestRecord } from "../../src/engine/exchange.ts";
import type { Answer } from "../../src/engine/response.ts";
import type { Operation, Request as OperationRequest } from "../../src/table/operation.ts";
import type { Input } from "../../src/table/restriction/restriction.ts";
import { checkTable } from "../../src/table/table.ts";
import { cards, owner, vocabulary } from "../table/_library.ts";

/** Only reads, and requests without a valid card, are limited: one an hour. */
export const table = `
prefix: /library/{key}
product: bookworm
excluded: { group: BARRED }
limits: { reads: { rate: 1/h, burst: 1 }, changes: off, unknown: { rate: 1/h, burst: 1 } }
routes:
  /house/open: { summary: Opens., restriction: open, handler: house.open }
  /house/lists: { summary: Lists., restriction: open, handler: house.lists }
  /house/close: { summary: Closes., restriction: identified, handler: house.close }
  /house/later: { summary: Closes later., restriction: open, handler: house.later }
  /shelves/find:
    summary: Finds.
    restriction: [{ when: { hidden: true }, restriction: identified }, open]
    parameters: { hidden: { type: boolean, default: false }, pages: { type: integer, default: 3 } }
    handler: shelves.find
  /books/remove:
    summary: Removes.
    restriction: open
    parameters: { book: text, pages: { type: integer, minimum: 1, maximum: 9 } }
    handler: books.remove
  /readers/{reader}: { summary: Shows., restriction: open, parameters: { reader: text }, handler: readers.show }
`;

type Run = (input: Input, request: OperationRequest) => unknown;

/** See the head of this file. */
export class House {
  readonly log: RequestRecord[] = [];
  readonly requests: OperationRequest[] = [];
  readonly seen: (string | undefined)[] = [];
  authenticated = 0;
  readonly #engine: Engine;

  constructor(
    options: Partial<EngineOptions> = {},
    runs: Readonly<Record<string, Run>> = {},
    text: string = table,
  ) {
    const operation = (name: string, effect: "read" | "change", input: Operation["input"], run: Run) => {
      const recorded: Run = (values, request) => {
        this.requests.push(request);
        return (runs[name] ?? run)(values, request);
      };
      return [name, { effect, input, answer: v.unknown(), run: recorded }] as const;
    };
    const reader = v.pipe(
      v.string(),
      v.check((text) => text !== "nobody", "expected a reader"),
    );
    const pages = v.pipe(v.number(), v.integer());
    const book = v.pipe(v.string(), v.metadata({ minLength: 1, maxLength: 64, reference: true }));
    const operations = new Map([
      operation("house.open", "read", v.object({}), () => ["open"]),
      operation("house.lists", "read", v.object({}), () => new ReadyBody(["lists"])),
      operation("house.close", "change", v.object({}), () => "Closed."),
      operation("house.later", "change", v.object({}), async () => "Closed later."),
      operation("shelves.find", "read", v.object({ hidden: v.boolean(), pages }), (input) => input),
      operation("books.remove", "change", v.object({ book, pages }), () => "Removed."),
      operation("readers.show", "read", v.object({ reader }), (input) => input),
    ]);
    const { table: checked, faults } = checkTable(text, {
      operations: () => operations,
      vocabulary: () => vocabulary,
    });
    assert.ok(checked !== undefined, JSON.stringify(faults));
    this.#engine = new Engine({
      table: checked,
      vocabulary: () => vocabulary,
      tokenForm: /card-\d/,
      observe: (record) => void this.log.push(record),
      authenticate: (card) => {
        this.authenticated += 1;
        const caller = cards.get(card);
        if (caller === undefined) throw new Failure("TOKEN_UNKNOWN", "There is no such library card.");
        return caller;
      },
      seen: (_, version) => this.seen.push(version),
      ...options,
    });
  }

  /** Asks for a path with a card. */
  async ask(card: string, path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
    const [pathname = "", search = ""] = path.split("?");
    const header = (name: string) => headers[name] ?? null;
    const address = "192.0.2.1";
    const request = { method, pathname: `/library/${card}${pathname}`, search, address, header };
    return parsed(await this.#engine.answer(request));
  }

  async call(path: string, caller = owner) {
    return parsed(await this.#engine.call(path, [], caller));
  }
}

/** Returns the status, the headers by name and the parsed body of an answer. */
function parsed({ status, headers, body }: Answer) {
  const named = new Map<string, string[]>();
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] ?? "").toLowerCase();
    named.set(name, [...(named.get(name) ?? []), headers[index + 1] ?? ""]);
  }
  return { status, headers: named, body: body === null ? undefined : JSON.parse(body.toString()) };
}
