/** Definitions of handlers: input and answer as valibot schemas, and the function that reads or changes the data. */
import * as v from "valibot";
import { meanings } from "../../domain/errors.ts";
import type { Comparison } from "../../domain/text.ts";
import type { ReadyBody } from "../../engine/body.ts";
import type { Activity } from "../../identity/activity.ts";
import type { Draft, DurableData } from "../../store/data.ts";
import type { Caller } from "../../table/caller.ts";
import type { List } from "../../table/declared/lists.ts";
import type { Operation } from "../../table/operation.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import type { Clients } from "../clients.ts";
import type { Ranking } from "../ranking.ts";
import type { ListVersions } from "./list-versions.ts";
import { component } from "./values.ts";

/** What a read can use: the durable records, and what is derived from them. */
export interface Sources extends DurableData {
  readonly ranking: Ranking;
  readonly clients: Clients;
  readonly lists: ListVersions;
}

/** What a handler gets beside the data and its input. */
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
  /** Returns the cached answer of another operation; undefined where the table denies it to the caller. */
  readonly cached: (operation: string, input: Input) => ReadyBody | undefined;
}

export interface ChangeContext extends Context {
  /** The number of the change. */
  readonly sequence: number;
  /** Runs a task once the change is durable. */
  readonly afterwards: (task: () => void) => void;
}

/** What the description of the interface says of a handler. */
type Documented = Pick<Operation, "answerFor" | "description" | "failures">;

export interface ReadHandler extends Documented, Pick<Operation, "input" | "answer"> {
  readonly effect: "read";
  /** How to cache its answers, where they may be cached. */
  readonly cacheable?: Cacheable;
  /** Returns what changes with the answers to an input, beyond what the requests of clients change by themselves. */
  versionFor?(data: Sources, input: Input, now: number): string | number;
  read(data: Sources, input: unknown, context: Context): unknown;
}

/** The sources that have a version: it grows with every change. */
type VersionedSource = Exclude<keyof Sources, "clients" | "lists">;

export interface Cacheable {
  /** Whether clients that accept it get the answers compressed. */
  readonly isCompressed?: boolean;
  /** Returns the form of a parameter's texts in which those with the same answer are equal; by default `fold`. */
  readonly formOf?: ((parameter: string) => (text: string) => string) | undefined;
  /** Returns the values that determine the answer to an input: it is valid while all of them are the same. */
  dependencies(data: Sources, input: unknown, context: Context): readonly unknown[];
}

type ChangeProperties = Documented &
  Required<Pick<Operation, "example">> &
  Pick<Operation, "recordsCaller" | "counts"> & {
    /** The declared list whose entries it uses. */
    readonly list?: List;
  };

/** A handler that changes data, and returns the sentence for the player. */
export interface ChangeHandler extends ChangeProperties, Pick<Operation, "input" | "answer"> {
  readonly effect: "change";
  change(draft: Draft, input: unknown, context: ChangeContext): string;
}

export type Handler = ReadHandler | ChangeHandler;

/** The input of a handler, as its schemas parse it. The engine has parsed what a handler gets. */
type InputOf<I extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<I, undefined>>;

const infoAnswer = component("Info", "The result of a change.", {
  info: v.pipe(
    v.string(),
    v.description(
      "One sentence for the player that says what was changed, or that nothing had to be. Show it.",
    ),
  ),
});

const { STORE_UNAVAILABLE, OUTCOME_UNKNOWN } = meanings;
export const changeFailures = { STORE_UNAVAILABLE, OUTCOME_UNKNOWN };

/** Defines a handler that reads. `read` throws a Failure to refuse. */
export function defineRead<I extends v.ObjectEntries, A extends v.GenericSchema>(
  handler: Documented &
    Pick<ReadHandler, "versionFor"> & {
      input: I;
      answer: A;
      cacheable?: Omit<Cacheable, "dependencies"> & {
        dependencies(data: Sources, input: InputOf<I>, context: Context): readonly unknown[];
      };
      read(
        data: Sources,
        input: InputOf<I>,
        context: Context,
      ): v.InferOutput<A> | ReadyBody | Promise<v.InferOutput<A> | ReadyBody>;
    },
): ReadHandler {
  return { ...handler, effect: "read", input: v.object(handler.input) };
}

/**
 * Defines a handler that reads and whose answers are cached while its sources have the same versions. The types ensure
 * that `read` gets nothing else. One that uses `now` needs a `version`; a table with another language has another cache.
 */
export function defineCachedRead<
  I extends v.ObjectEntries,
  A extends v.GenericSchema,
  S extends VersionedSource,
>(
  handler: Documented & {
    dependsOn: readonly S[];
    /** Replaces the sum of the versions of {@link dependsOn}; without an input, for all of them. */
    version?(data: Sources, input: Input | undefined, now: number): string | number;
    formOf?: Cacheable["formOf"];
    input: I;
    answer: A;
    read(
      data: Pick<Sources, S | "lists">,
      input: InputOf<I>,
      context: Pick<Context, "now" | "compare">,
    ): v.InferOutput<A>;
  },
): ReadHandler {
  const { dependsOn, formOf, ...rest } = handler;
  // Versions only grow, so that their sum changes with each of them.
  const { version = (data: Sources) => dependsOn.reduce((sum, name) => sum + data[name].version, 0) } =
    handler;
  return defineRead({
    ...rest,
    versionFor: version,
    cacheable: {
      isCompressed: true,
      formOf,
      dependencies: (data, _input, { now }) => [version(data, undefined, now)],
    },
  });
}

/** Defines a handler that changes data. `change` throws a Failure to refuse; then nothing is changed. */
export function defineChange<I extends v.ObjectEntries>(
  handler: ChangeProperties & {
    input: I;
    change(draft: Draft, input: InputOf<I>, context: ChangeContext): string;
  },
): ChangeHandler {
  const { failures = {}, counts } = handler;
  const conflict = `${failures.CONFLICT ?? ""} The \`Idempotency-Key\` was used for another request.`.trim();
  return {
    ...handler,
    effect: "change",
    input: v.object(handler.input),
    answer: infoAnswer,
    failures: { ...failures, ...changeFailures, ...(counts === true && { CONFLICT: conflict }) },
  };
}
