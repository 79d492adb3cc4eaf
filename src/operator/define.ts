/**
 * What an operator does at the command line beyond the routes: registering players, issuing tokens, memberships.
 * Each has a valibot schema for its input, since it also comes as JSON over the socket of a running service.
 */
import * as v from "valibot";
import { fold, invisibleIn, leaveOut, oneOf } from "../domain/text.ts";
import type { Activity } from "../identity/activity.ts";
import { toUUID } from "../identity/players.ts";
import { playerNameForm } from "../resources/shared/values.ts";
import type { Data, Draft } from "../store/data.ts";
import type { References, ReferredName } from "../table/restriction/references.ts";

/** What an administrative operation knows beside the data and its input. */
export interface AdministrationContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly activity: Activity;
}

/** What an administrative operation that changes knows beside that. */
export interface ChangeContext extends AdministrationContext {
  /** The number of the change. */
  readonly sequence: number;
}

/** What an operation knows that depends on the route table. */
export interface TableContext extends ChangeContext {
  /** The group whose members are excluded. @throws Failure where the route table names none, or has faults */
  excludedGroup(): string;
  /** What refers to a name in the table in force, and in its file if that could be served. @throws TableFaults */
  referencesTo(name: ReferredName): References;
}

interface AdministrationRead {
  readonly effect: "read";
  readonly input: v.GenericSchema;
  read(data: Data, input: never, context: AdministrationContext): unknown;
}

interface AdministrationChange {
  readonly effect: "change";
  /** Whether the route table is read first; an operation that does without it works beside a faulty one. */
  readonly needsTable: boolean;
  readonly input: v.GenericSchema;
  change(draft: Draft, input: never, context: TableContext): unknown;
}

export type AdministrationOperation = AdministrationRead | AdministrationChange;

/** Declares an operation that reads. It throws a Failure where it refuses. */
export function defineRead<I extends v.GenericSchema, O>(operation: {
  input: I;
  read(data: Data, input: v.InferOutput<I>, context: AdministrationContext): O;
}) {
  return { effect: "read" as const, ...operation };
}

/** Declares an operation that changes. It throws a Failure where it refuses, and has changed nothing then. */
export function defineChange<I extends v.GenericSchema, O>(operation: {
  input: I;
  change(draft: Draft, input: v.InferOutput<I>, context: ChangeContext): O;
}) {
  return { effect: "change" as const, needsTable: false, ...operation };
}

/** As {@link defineChange}, for an operation that asks for what the route table says. */
export function defineChangeByTable<I extends v.GenericSchema, O>(operation: {
  input: I;
  change(draft: Draft, input: v.InferOutput<I>, context: TableContext): O;
}) {
  return { effect: "change" as const, needsTable: true, ...operation };
}

/** What a change answers: one sentence for the operator. */
export interface Info {
  readonly info: string;
}

/** Refuses a new text that has an invisible character. @param what the text is, with its article */
export function visible(what: string) {
  return v.check<string, (issue: v.CheckIssue<string>) => string>(
    (text) => invisibleIn(text) === undefined,
    ({ input }) =>
      `${what} without an invisible character was expected; ${leaveOut(invisibleIn(input) ?? "")}`,
  );
}

const nameMessage = 'a player name of 1 to 32 letters, digits, "_", "." or "-" was expected';

/** What `audit` and `can-i` call callers who are no players: a player of such a name could not be told from them. */
const reservedNames: readonly string[] = ["operator", "public", "system"];

/** A new name of a player. One that reads as a UUID could not be told from one. */
export const newPlayerName = v.pipe(
  v.string(),
  v.normalize("NFC"),
  v.regex(playerNameForm, nameMessage),
  v.check((name) => !/^[0-9a-f]{32}$/i.test(name), "a name that does not read as a UUID was expected"),
  v.check(
    (name) => !reservedNames.includes(fold(name)),
    `a name other than ${oneOf(reservedNames)} was expected, since the audit calls callers so who are no players`,
  ),
  visible("a player name"),
);

/** A player by name or UUID; whether there is one is the operation's to say. */
export const playerReference = v.pipe(
  v.string(),
  v.normalize("NFC"),
  v.check((text) => playerNameForm.test(text) || toUUID(text) !== undefined, `${nameMessage}, or a UUID`),
);

export const rank = v.pipe(
  v.number("a whole number from 1 on was expected as rank"),
  v.integer("a whole number was expected as rank"),
  v.minValue(1, "a rank from 1 on was expected"),
  v.maxValue(2147483647, "a rank of at most 2147483647 was expected"),
);
