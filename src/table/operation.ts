/** Operations: what the engine is handed to do behind a route. `handlers/` has the service's. */
import type * as v from "valibot";
import type { FailureCode } from "../domain/errors.ts";
import type { Caller } from "./caller.ts";
import type { Input } from "./restriction/restriction.ts";

/** The request that an operation answers. */
export interface Request {
  readonly caller: Caller;
  /** The operation's name in the table, such as `targetlist.add`. */
  readonly operation: string;
  readonly requestId: string;
  /** The table that let the caller in: what it says holds to the end of the request, whatever is put in force. */
  readonly table: { readonly revision: string; readonly excludedGroup: string | undefined };
  /** What the caller repeats when it repeats the request: the header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  /**
   * Repeats the checks of exclusion, read-only token and restriction, by the table that the request began with. A change calls it where
   * it is decided, with the caller as the data is there (contract, section 1, "Order of checks").
   * @throws Failure `EXCLUDED`, `READ_ONLY`, `RESTRICTED`
   */
  readonly authorize: (caller: Caller) => void;
  /** Returns whether the table allows the caller another operation with an input. */
  readonly isAllowed: (operation: string, input: Input) => boolean;
}

/** Codes of failures, each with when it comes. */
export type Failures = Readonly<Partial<Record<FailureCode, string>>>;

/** The schema of an operation's input: one entry a parameter. */
export type InputSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** What the engine needs to know of an operation, and how to run it. */
export interface Operation {
  /** A `read` changes nothing. A `change` answers with one sentence for the player. */
  readonly effect: "read" | "change";
  /** The parameters that it needs, and the widest values of them that it can work with. */
  readonly input: InputSchema;
  /** The shape of its answer. */
  readonly answer: v.GenericSchema;
  /**
   * For a change: the sentence that it answers to the example of each parameter, where that changes something.
   * The description of the interface shows it.
   */
  readonly example?: string;
  /** Whether a change keeps who made it in the data: then a route that lets callers in whom nobody knows is suspicious. */
  readonly recordsCaller?: true;
  /** What to know of it beyond the table's summary, in sentences: for the description of the interface. */
  readonly description?: string;
  /** The failures of its own, beside those that follow from its route: each code with when it comes, in a sentence. */
  readonly failures?: Failures;
  /** Whether a change counts: carried out again, it changes the data again. */
  readonly counts?: true;
  /**
   * Gives what JSON is made of, or a `ReadyBody` that is kept; a change its sentence, as a promise.
   * @throws Failure where it refuses.
   */
  run(input: Input, request: Request): unknown;
}

/** Operations by the name under which the table refers to them. */
export type Operations = ReadonlyMap<string, Operation>;
