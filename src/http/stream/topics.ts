/** Topics: what a stream reports changes of. The table decides which of them a caller may hear about. */
import { ReadyBody } from "../../engine/body.ts";
import { type Caller, nobody, type Vocabulary } from "../../table/caller.ts";
import { isAllowed } from "../../table/restriction/restriction.ts";
import { situationsOf } from "../../table/restriction/situations.ts";
import type { Route, Table } from "../../table/table.ts";
import { eventOf } from "./event-stream.ts";

/** The answers of a route, or where its restriction depends on parameters, those in one situation: such as of one faction. */
export interface Topic {
  readonly key: string;
  /** The first segment of the path, or the name of its resource if that is a placeholder. */
  readonly resource: string;
  /** Whether it changes too often to be told of at once. */
  readonly isFrequent: boolean;
  /** Returns what changes with the answers. */
  version(): string;
  isFor(caller: Caller): boolean;
}

/** The operation whose answer itself is sent. */
const eventOperation = "event.current";
const frequent = "statistic.";

export function topicsOf({ routes }: Pick<Table, "routes">, vocabulary: Vocabulary): readonly Topic[] {
  return routes.flatMap((route): Topic[] => {
    const { path, handler, restriction, decisive, parameters, operation } = route;
    const { effect, version } = operation;
    if (effect !== "read" || version === undefined || handler === eventOperation) return [];
    // Another handler or default in a new table changes the answers as well.
    const defaults = parameters.map((parameter) => [parameter.name, parameter.default]);
    const declared = `${handler} ${JSON.stringify(defaults)}`;
    const open = parameters.filter(({ name }) => decisive.has(name));
    return situationsOf(open, [restriction], vocabulary).map(({ when, inputFor }) => ({
      key: `${path} ${JSON.stringify(when)}`,
      resource: (path.startsWith("/{") ? handler.split(".")[0] : path.split("/")[1]) ?? "",
      isFrequent: handler.startsWith(frequent),
      version: () => `${declared} ${version(inputFor(""))}`,
      isFor: (caller) => isAllowed(restriction, caller, inputFor(caller.id ?? "")),
    }));
  });
}

export function eventRoutes(table: Pick<Table, "routes"> | undefined): readonly Route[] {
  return table?.routes.filter(({ handler }) => handler === eventOperation) ?? [];
}

/** Returns the event with the body of the current events, which is the same for all callers, or with one score of it. */
export function currentEvents(table: Table, score?: string): Buffer | undefined {
  const [route] = eventRoutes(table);
  const body = route?.operation.run({}, { ...inProcess, operation: route.handler, table });
  const text = body instanceof ReadyBody ? body.for(null).bytes.toString() : undefined;
  if (text === undefined) return undefined;
  if (score === undefined) return eventOf("event", text);
  const { [score]: present } = JSON.parse(text);
  return present === undefined ? undefined : eventOf("score", JSON.stringify(present));
}

/** A request of nobody, of an answer that depends on no caller. */
const inProcess = {
  caller: nobody,
  requestId: "",
  idempotencyKey: undefined,
  authorize() {},
  allowedInput: () => undefined,
};
