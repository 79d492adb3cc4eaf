/** How a handler is written: its input and its answer as valibot schemas, and whether it reads or changes data. */
import * as v from "valibot";
import type { Caller } from "../engine/caller.ts";
import type { Activity } from "../identity/activity.ts";
import type { Data, Draft } from "../store/data.ts";

/** What a handler knows beside the data and its input. */
export interface Context {
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly activity: Activity;
  /** The group whose members are excluded from the interface. */
  readonly excludedGroup: string | undefined;
}

/** For a change also the number of the change. */
export interface ChangeContext extends Context {
  readonly sequence: number;
}

/** A handler that only reads. */
export interface ReadHandler {
  readonly effect: "read";
  readonly input: v.ObjectSchema<v.ObjectEntries, undefined>;
  readonly answer: v.GenericSchema;
  read(data: Data, input: never, context: Context): unknown;
}

/** A handler that changes data; it gives the sentence for the player. */
export interface ChangeHandler {
  readonly effect: "change";
  readonly input: v.ObjectSchema<v.ObjectEntries, undefined>;
  readonly answer: v.GenericSchema;
  /** Whether it keeps who the caller was: see `Operation` in the engine. */
  readonly recordsCaller?: true;
  change(draft: Draft, input: never, context: ChangeContext): string;
}

export type Handler = ReadHandler | ChangeHandler;

/** The answer of every change (contract, section 1). */
export const infoAnswer = v.object({ info: v.string() });

/** Declares a handler that reads. `read` throws a Failure where it refuses. */
export function defineRead<I extends v.ObjectEntries, A extends v.GenericSchema>(handler: {
  input: I;
  answer: A;
  read(data: Data, input: v.InferOutput<v.ObjectSchema<I, undefined>>, context: Context): v.InferOutput<A>;
}): ReadHandler {
  return { effect: "read", ...handler, input: v.object(handler.input) };
}

/** Declares a handler that changes. `change` throws a Failure where it refuses, and has changed nothing then. */
export function defineChange<I extends v.ObjectEntries>(handler: {
  input: I;
  recordsCaller?: true;
  change(draft: Draft, input: v.InferOutput<v.ObjectSchema<I, undefined>>, context: ChangeContext): string;
}): ChangeHandler {
  return { effect: "change", ...handler, input: v.object(handler.input), answer: infoAnswer };
}
