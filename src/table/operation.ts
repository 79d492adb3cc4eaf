/** Operations: what a route runs. The engine gets them; `src/resources/` has the service's. */
import type * as v from "valibot";
import type { FailureCode } from "../domain/errors.ts";
import type { ParameterType } from "./base-types.ts";
import type { Caller } from "./caller.ts";
import type { Input, ParameterValue } from "./restriction/restriction.ts";

/** The request that an operation answers. */
export interface Request {
  readonly caller: Caller;
  /** The operation's name in the table, such as `targetlist.add`. */
  readonly operation: string;
  readonly requestId: string;
  /** The client's network address; undefined within the process. */
  readonly address?: string | undefined;
  /** The table that authorized the caller. It applies to the end of the request, even if another comes into force. */
  readonly table: { readonly revision: string; readonly excludedGroup: string | undefined };
  /** The header `Idempotency-Key`, which a caller sends again with a repeated request. */
  readonly idempotencyKey: string | undefined;
  /** What an operation with {@link Operation.invited} gets besides: the code, and the version of the `User-Agent`, unchecked. */
  readonly invitation?: { readonly code: string; readonly version: string | undefined } | undefined;
  /**
   * Repeats the checks of exclusion, read-only token and restriction, with the table of the request. A change calls it
   * when it is decided, with the caller as the data has it then.
   * @throws Failure `EXCLUDED`, `READ_ONLY`, `RESTRICTED`
   */
  readonly authorize: (caller: Caller) => void;
  /** Returns the input with which the table allows the caller another operation; undefined where it does not. */
  readonly allowedInput: (operation: string, input: Input) => Input | undefined;
}

/** Codes of failures, each with a sentence that says when it occurs. */
export type Failures = Readonly<Partial<Record<FailureCode, string>>>;

/** The schema of an operation's input: one entry for each parameter. */
export type InputSchema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** The parameter of a route that need not declare it, in the metadata `derived` of its schema. */
export interface DerivedParameter {
  readonly type: ParameterType;
  readonly default: ParameterValue | undefined;
}

/** An operation, as the engine knows it. */
export interface Operation {
  /** A `read` changes nothing. A `change` answers with one sentence for the player. */
  readonly effect: "read" | "change";
  /** The parameters that it requires, and the widest values that it accepts. */
  readonly input: InputSchema;
  /** The schema of its answer. */
  readonly answer: v.GenericSchema;
  /** Returns the schema of its answer for a route with certain parameters, if it depends on them. */
  readonly answerFor?: (parameters: ReadonlySet<string>) => v.GenericSchema;
  /** The sentence that a change answers to the example of each parameter, for the OpenAPI description. */
  readonly example?: string;
  /** Whether a change stores who made it, so that a route open to unidentified callers is suspicious. */
  readonly recordsCaller?: boolean;
  /** Sentences that the OpenAPI description adds to the route's summary. */
  readonly description?: string;
  /** Its own failures, besides those that follow from its route. */
  readonly failures?: Failures;
  /** Whether a change counts: repeated, it changes the data again. */
  readonly counts?: boolean;
  /**
   * For the operation that reads the code of an invitation in the place of a token: returns the player whom it invites.
   * @throws Failure `TOKEN_UNKNOWN`, `TOKEN_EXPIRED`, `TOKEN_REVOKED`
   */
  readonly invited?: (code: string) => Caller;
  /** Whether its answer goes on: `run` returns a `LiveBody`. */
  readonly isLive?: boolean;
  /** Returns what changes with the answers of a read to an input. Without it, nobody is told when they change. */
  readonly version?: (input: Input) => string | number;
  /**
   * Returns what is to be sent as JSON, or a cached `ReadyBody`, or a promise of one; a change, the promise of its sentence,
   * or of an object.
   * @param input as {@link input} has parsed it
   * @throws Failure if it refuses
   */
  run(input: Input, request: Request): unknown;
}

/** Operations, by the name that a table uses for them. */
export type Operations = ReadonlyMap<string, Operation>;
