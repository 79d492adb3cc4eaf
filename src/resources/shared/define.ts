/** How a handler is written: its input and its answer as valibot schemas, and whether it reads or changes data. */
import * as v from "valibot";
import type { Comparison } from "../../domain/text.ts";
import type { ReadyBody } from "../../engine/body.ts";
import type { Activity } from "../../identity/activity.ts";
import type { Clients } from "../../identity/clients.ts";
import type { Draft, DurableData } from "../../store/data.ts";
import type { Caller } from "../../table/caller.ts";
import type { Failures } from "../../table/operation.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import type { Ranking } from "../ranking.ts";
import type { UserList } from "../user-list.ts";
import type { NameOrder } from "./order.ts";
import type { ShownPlayers } from "./shown.ts";

/** What reads are made of: the records that are on the disk, and what follows them. */
export interface Sources extends DurableData {
  readonly ranking: Ranking;
  readonly order: NameOrder;
  readonly clients: Clients;
  readonly shown: ShownPlayers;
  readonly userList: UserList;
}

/** What a handler knows beside the data and its input. */
export interface Context {
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly activity: Activity;
  readonly clients: Clients;
  /** The group whose members are excluded from the interface. */
  readonly excludedGroup: string | undefined;
  /** The order of names in the table's language. */
  readonly compare: Comparison;
  /**
   * The answer of another operation, one whose answers are kept; undefined where the table does not let the caller
   * call it.
   */
  readonly kept: (operation: string, input: Input) => ReadyBody | undefined;
}

/** For a change also the number of the change. */
export interface ChangeContext extends Context {
  readonly sequence: number;
}

/** What the description of the interface says of a handler: see `Operation` in the engine. */
export interface Told {
  readonly description?: string;
  readonly failures?: Failures;
}

/** A handler that only reads. */
export interface ReadHandler extends Told {
  readonly effect: "read";
  readonly input: v.ObjectSchema<v.ObjectEntries, undefined>;
  readonly answer: v.GenericSchema;
  /** How long an answer holds, where it may be kept. */
  readonly kept?: Kept;
  read(data: Sources, input: never, context: Context): unknown;
}

/** Sources that tell by a version whether they are others. */
type KeptSource = Exclude<keyof Sources, "clients" | "shown" | "userList">;

/** How long an answer holds: until one of its sources is another one, and not beyond an instant. */
export interface Kept {
  readonly of: readonly KeptSource[];
  /** When the answer becomes another one by itself, in milliseconds since 1970. */
  until?(data: Sources, now: number): number;
  read(data: Sources, input: never, now: number): unknown;
}

/** A handler that changes data; it gives the sentence for the player. */
export interface ChangeHandler extends Told {
  readonly effect: "change";
  /** The answer to the examples of its input: see `Operation` in the engine. */
  readonly example: string;
  readonly input: v.ObjectSchema<v.ObjectEntries, undefined>;
  readonly answer: v.GenericSchema;
  /** Whether it keeps who the caller was: see `Operation` in the engine. */
  readonly recordsCaller?: true;
  /** Whether it counts: see `Operation` in the engine. */
  readonly counts?: true;
  change(draft: Draft, input: never, context: ChangeContext): string;
}

export type Handler = ReadHandler | ChangeHandler;

/** The answer of every change (contract, section 1). */
export const infoAnswer = v.pipe(
  v.object({
    info: v.pipe(
      v.string(),
      v.description("One sentence for the player, about what was done or was so already: show it."),
    ),
  }),
  v.title("Info"),
  v.description("What became of a change."),
);

/** How every change can fail, whatever it does. */
const changeFailures = {
  STORE_UNAVAILABLE: "The data can not be saved at the moment. Nothing was changed; try again later.",
};

/** How a change that counts can fail besides. */
const countFailures = {
  CONFLICT: "The `Idempotency-Key` was used for another operation, or with other parameters.",
};

/** Declares a handler that reads. `read` throws a Failure where it refuses. */
export function defineRead<I extends v.ObjectEntries, A extends v.GenericSchema>(
  handler: Told & {
    input: I;
    answer: A;
    read(
      data: Sources,
      input: v.InferOutput<v.ObjectSchema<I, undefined>>,
      context: Context,
    ): v.InferOutput<A> | ReadyBody | Promise<ReadyBody>;
  },
): ReadHandler {
  return { effect: "read", ...handler, input: v.object(handler.input) };
}

/**
 * Declares a handler that reads and whose answers are kept as ready bytes. Its types hold what that rests on: `read`
 * sees the sources that are named, and neither the caller nor the activity. One that looks at `now` needs `until`.
 */
export function defineKeptRead<I extends v.ObjectEntries, A extends v.GenericSchema, S extends KeptSource>(
  handler: Told & {
    of: readonly S[];
    until?(data: Pick<Sources, S>, now: number): number;
    input: I;
    answer: A;
    read(
      data: Pick<Sources, S>,
      input: v.InferOutput<v.ObjectSchema<I, undefined>>,
      now: number,
    ): v.InferOutput<A>;
  },
): ReadHandler {
  const { of, until, input, answer, read, ...told } = handler;
  return {
    ...told,
    effect: "read",
    input: v.object(input),
    answer,
    kept: { of, read, ...(until === undefined ? {} : { until }) },
    read: (data, given, { now }) => read(data, given, now),
  };
}

/** Declares a handler that changes. `change` throws a Failure where it refuses, and has changed nothing then. */
export function defineChange<I extends v.ObjectEntries>(
  handler: Told & {
    input: I;
    example: string;
    recordsCaller?: true;
    counts?: true;
    change(draft: Draft, input: v.InferOutput<v.ObjectSchema<I, undefined>>, context: ChangeContext): string;
  },
): ChangeHandler {
  const failures = {
    ...handler.failures,
    ...changeFailures,
    ...(handler.counts === true ? countFailures : {}),
  };
  return { effect: "change", ...handler, failures, input: v.object(handler.input), answer: infoAnswer };
}
