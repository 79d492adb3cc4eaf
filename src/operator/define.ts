/**
 * Definitions of operator operations: what an operator does at the command line beyond the routes. Each has a valibot
 * schema for its input, which may come as JSON over the socket of a running service.
 */
import type * as v from "valibot";
import type { Activity } from "../identity/activity.ts";
import type { Data, Draft } from "../store/data.ts";
import type { References, ReferredName } from "../table/restriction/references.ts";
import { parseInput } from "./input.ts";

/** What an operation gets beside the data and its input. */
export interface OperatorContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly activity: Activity;
}

/** The context of a change. */
export interface ChangeContext extends OperatorContext {
  /** The number of the change. */
  readonly sequence: number;
}

/** The context of a change that depends on the route table. */
export interface TableContext extends ChangeContext {
  /** Returns the group whose members are excluded. @throws Failure where the route table names none or has faults */
  excludedGroup(): string;
  /** Returns what refers to a name, in the table in force and in a valid table in its file. @throws TableFaults */
  referencesTo(name: ReferredName): References;
}

/** An operation that reads. */
export interface OperatorRead<R = unknown> {
  readonly effect: "read";
  readonly input: v.GenericSchema;
  /** Returns the operation with its input. @throws Failure `PARAMETER_INVALID` */
  bind(input: unknown): (data: Data, context: OperatorContext) => R;
}

/** An operation that changes data. */
export interface OperatorChange<R = unknown> {
  readonly effect: "change";
  /** Whether it uses the route table, which is loaded first; other operations work beside a faulty table. */
  readonly needsTable: boolean;
  readonly input: v.GenericSchema;
  /** Returns the operation with its input. @throws Failure `PARAMETER_INVALID` */
  bind(input: unknown): (draft: Draft, context: TableContext) => R;
}

export type OperatorOperation<R = unknown> = OperatorRead<R> | OperatorChange<R>;

/** Defines an operation that reads. It throws a Failure to refuse. */
export function defineRead<I extends v.GenericSchema, R>(operation: {
  input: I;
  read(data: Data, input: v.InferOutput<I>, context: OperatorContext): R;
}) {
  return {
    effect: "read",
    input: operation.input,
    bind(input: unknown) {
      const parsed = parseInput(operation.input, input);
      return (data: Data, context: OperatorContext) => operation.read(data, parsed, context);
    },
  } as const;
}

/** Defines an operation that changes data. It throws a Failure to refuse; then nothing is changed. */
export function defineChange<I extends v.GenericSchema, R>(operation: {
  input: I;
  change(draft: Draft, input: v.InferOutput<I>, context: ChangeContext): R;
}) {
  return { ...defineChangeByTable(operation), needsTable: false };
}

/** Defines an operation that changes data and uses the route table; see {@link defineChange}. */
export function defineChangeByTable<I extends v.GenericSchema, R>(operation: {
  input: I;
  change(draft: Draft, input: v.InferOutput<I>, context: TableContext): R;
}) {
  return {
    effect: "change",
    needsTable: true,
    input: operation.input,
    bind(input: unknown) {
      const parsed = parseInput(operation.input, input);
      return (draft: Draft, context: TableContext) => operation.change(draft, parsed, context);
    },
  } as const;
}

/** The answer of a change: one sentence for the operator. */
export interface Info {
  readonly info: string;
}
