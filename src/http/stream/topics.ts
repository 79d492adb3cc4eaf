/** Topics: what a stream tells of. Which of them a caller hears of follows from the table. */
import { ReadyBody } from "../../engine/body.ts";
import { type Caller, nobody, type Vocabulary } from "../../table/caller.ts";
import { isAllowed } from "../../table/restriction/restriction.ts";
import { situationsOf } from "../../table/restriction/situations.ts";
import type { Route, Table } from "../../table/table.ts";
import { eventOf } from "./event-stream.ts";

/** The answers of a route, or where its restriction depends on parameters, those in one situation: such as of one faction. */
export interface Topic {
  readonly key: string;
  /** The first segment of the path. */
  readonly resource: string;
  /** Whether it changes too often to be told of at once. */
  readonly isFrequent: boolean;
  /** Returns what changes with the answers. */
  version(): string | number;
  isFor(caller: Caller): boolean;
}

/** The operation whose answer itself is sent. */
const eventOperation = "event.current";
const frequent = "statistic.";

/** Returns the topics of a table. */
export function topicsOf({ routes }: Pick<Table, "routes">, vocabulary: Vocabulary): readonly Topic[] {
  return routes.flatMap((route): Topic[] => {
    const { path, handler, restriction, decisive, parameters, operation } = route;
    const { effect, version } = operation;
    if (effect !== "read" || version === undefined || handler === eventOperation) return [];
    const open = parameters.filter(({ name }) => decisive.has(name));
    return situationsOf(open, [restriction], vocabulary).map(({ when, inputFor }) => ({
      key: `${path} ${JSON.stringify(when)}`,
      resource: path.split("/")[1] ?? "",
      isFrequent: handler.startsWith(frequent),
      version: () => version(inputFor("")),
      isFor: (caller) => isAllowed(restriction, caller, inputFor(caller.id ?? "")),
    }));
  });
}

/** Something that is sent itself when it changes: the present events, or a score. */
export class Push {
  readonly #name: string;
  readonly #read: () => string | undefined;
  #data: string | undefined;
  #event: Buffer | undefined;

  constructor(name: string, read: () => string | undefined) {
    this.#name = name;
    this.#read = read;
  }

  /** The event as of the last {@link update}: another one if it has changed, undefined if there is none. */
  get event(): Buffer | undefined {
    return this.#event;
  }

  update(): void {
    const data = this.#read();
    if (data === this.#data) return;
    this.#data = data;
    this.#event = data === undefined ? undefined : eventOf(this.#name, data);
  }
}

/** Returns the route of the current events, if the table has one. */
export function eventRoute({ routes }: Pick<Table, "routes">): Route | undefined {
  return routes.find(({ handler }) => handler === eventOperation);
}

/** Returns the body of the current events, which is the same for all callers. */
export function currentEvents(table: Table): string | undefined {
  const route = eventRoute(table);
  const body = route?.operation.run({}, { ...inProcess, operation: route.handler, table });
  return body instanceof ReadyBody ? body.for(null).bytes.toString() : undefined;
}

/** Returns a score of the current events. */
export function currentScore(table: Table, name: string): string | undefined {
  const events = currentEvents(table);
  return events === undefined ? undefined : JSON.stringify(JSON.parse(events)[name]);
}

/** A request of nobody, of an answer that depends on no caller. */
const inProcess = {
  caller: nobody,
  requestId: "",
  idempotencyKey: undefined,
  authorize() {},
  isAllowed: () => false,
};
