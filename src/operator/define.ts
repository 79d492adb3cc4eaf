/**
 * Definitions of operations, and how they run: what an operator does at the command line beyond the routes. Each has a
 * valibot schema for its input, which may come as JSON over the socket of a running service. This uses neither the engine
 * nor the handlers, so that commands that need neither do not load them.
 */
import type * as v from "valibot";
import type { Activity } from "../identity/activity.ts";
import type { Data, DataStore, Draft } from "../store/data.ts";
import type { Files } from "../store/folder/files.ts";
import type { References, ReferredName } from "../table/restriction/references.ts";
import type { CheckedTable, Table } from "../table/table.ts";
import { parseInput } from "./input.ts";

/** What a read gets beside the data and its input. */
export interface ReadContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly activity: Activity;
}

/** What a change gets beside the draft and its input. Only one that declares `usesTable` can use the route table. */
export interface DraftContext extends ReadContext {
  /** The number of the change. */
  readonly sequence: number;
  /** Returns the group whose members are excluded, if the route table names one. @throws Failure where it has faults */
  excludedGroup(): string | undefined;
  /** Returns what refers to a name, in the table in force and in a valid table in its file. @throws Failure */
  referencesTo(name: ReferredName): References;
}

/** What operations work on. */
export interface Environment {
  readonly store: DataStore;
  readonly activity: Activity;
  readonly now?: () => number;
  readonly files?: Files;
  /** Loads the route table for an operation that uses it; the result returns the table in force at each call. */
  readonly loadTable: () => Promise<() => Table>;
  /** Checks the route table that is now in the file. */
  readonly checkTable: () => Promise<CheckedTable>;
}

/** What an operation does with its input, on the data, a draft or its environment. */
interface Operation<E, S, C, R> {
  readonly effect: E;
  readonly input: v.GenericSchema;
  /** Returns the operation with its input. @throws Failure `PARAMETER_INVALID` */
  bind(input: unknown): (subject: S, context: C) => R;
}

/** An operation that reads. */
export type Read<R = unknown> = Operation<"read", Data, ReadContext, R>;

/** An operation that changes data, with the route table, which is loaded first, or beside a faulty one. */
type Change<R> = Operation<"change", Draft, DraftContext, R> & { readonly usesTable: boolean };

/**
 * An operation on more than the present data, such as the journal, the table in force, or the running service. Its signal
 * is aborted if nobody waits for the result any more.
 */
type Command<E, R> = Operation<"command", E, AbortSignal | undefined, R | Promise<R>>;

export type OperatorOperation<E, R = unknown> = Read<R> | Change<R> | Command<E, R>;

/** The input of an operation. */
export type InputOf<O extends { readonly input: v.GenericSchema }> = v.InferInput<O["input"]>;

/** The result of an operation. */
export type ResultOf<O> = O extends { bind(input: unknown): (...all: never[]) => infer R | Promise<infer R> }
  ? R
  : never;

function bindable<I extends v.GenericSchema, S, C, R>(
  schema: I,
  run: (subject: S, input: v.InferOutput<I>, context: C) => R,
) {
  return {
    input: schema,
    bind(input: unknown) {
      const parsed = parseInput(schema, input);
      return (subject: S, context: C) => run(subject, parsed, context);
    },
  };
}

/** Defines an operation that reads. It throws a Failure to refuse. */
export function defineRead<I extends v.GenericSchema, R>(operation: {
  input: I;
  read(data: Data, input: v.InferOutput<I>, context: ReadContext): R;
}) {
  return { effect: "read", ...bindable(operation.input, operation.read) } as const;
}

/** Defines an operation that changes data. It throws a Failure to refuse; then nothing is changed. */
export function defineChange<I extends v.GenericSchema, R>(operation: {
  input: I;
  usesTable?: true;
  change(draft: Draft, input: v.InferOutput<I>, context: DraftContext): R;
}) {
  const { input, usesTable = false, change } = operation;
  return { effect: "change", usesTable, ...bindable(input, change) } as const;
}

/** Defines an operation on its environment. It throws a Failure to refuse. */
export function defineCommand<E, I extends v.GenericSchema, R>(operation: {
  input: I;
  run(environment: E, input: v.InferOutput<I>, signal?: AbortSignal): R;
}) {
  return { effect: "command", ...bindable(operation.input, operation.run) } as const;
}

/** The answer of a change: one sentence for the operator. */
export interface Info {
  readonly info: string;
}

/**
 * Runs an operation.
 * @param name by which the journal records it
 * @param signal aborted if nobody waits for the result any more
 * @throws Failure where it refuses
 */
export async function runOperation<E extends Environment, R>(
  operation: OperatorOperation<E, R>,
  environment: E,
  name: string,
  input: unknown,
  signal?: AbortSignal,
): Promise<R> {
  const { store, activity, now = Date.now } = environment;
  switch (operation.effect) {
    case "read":
      return operation.bind(input)(store.data, { now: now(), activity });
    case "command":
      return operation.bind(input)(environment, signal);
    case "change": {
      const change = operation.bind(input);
      const table = operation.usesTable ? await tableOf(environment) : noTable;
      return store.change({ who: "operator", operation: name }, (draft, at) =>
        change(draft, { now: at.now, sequence: at.sequence, activity, ...table }),
      );
    }
  }
}

/**
 * Loads the route table. Its faults are thrown when an operation uses it: other errors come first. The change may wait
 * for the store's writer, and uses the table that is in force by then.
 */
async function tableOf({
  loadTable,
  checkTable,
}: Environment): Promise<Pick<DraftContext, "excludedGroup" | "referencesTo">> {
  const tableInForce = await loadTable().catch((error: unknown) => () => {
    throw error;
  });
  // A missing or faulty file refers to nothing.
  const inFile = await checkTable().then(
    ({ table }) => table,
    () => undefined,
  );
  const { referencesTo } = await import("../table/restriction/references.ts");
  return {
    referencesTo(name) {
      const inForce = tableInForce();
      return referencesTo(inFile === undefined ? [inForce] : [inForce, inFile], name);
    },
    excludedGroup: () => tableInForce().excludedGroup,
  };
}

const noTable = { excludedGroup: refuseTable, referencesTo: refuseTable };

function refuseTable(): never {
  throw new Error("only an operation that declares usesTable can use the route table");
}
