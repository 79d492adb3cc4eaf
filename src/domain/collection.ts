/**
 * The definition of a collection: the form and the key of its records, and what they refer to. Whatever follows a reference
 * asks the definition: registering and renaming, undo, the check of consistency, the audit, and requests for personal data.
 */
import type * as v from "valibot";

/** What can be named in a route table, and has members. */
export const namedKinds = ["group", "faction", "service"] as const;
export type NamedKind = (typeof namedKinds)[number];

/** The name of a group, a faction or a service in a record. */
export interface NameReference {
  readonly name: string;
  readonly kinds: readonly NamedKind[];
}

/** What the records of a collection refer to. */
export interface References<T = unknown> {
  /** The record is of a player. */
  readonly player?: {
    /** The field with the UUID, or null. */
    readonly field: string;
    /** The index of that field; without one the UUID is the key of the record. */
    readonly index?: string;
    /** Whether the record stays when its player is removed. */
    readonly outlives: boolean;
  };
  /**
   * The record has the `name` and the `uuid` of somebody, registered or not, and the indexes `subject` and `name`. This
   * orders records of the same person: the first one stays.
   */
  readonly subject?: (a: T, b: T) => number;
  /** Returns the groups and organisations that a record names, each with its possible kinds. */
  readonly named?: (record: T) => readonly NameReference[];
  /** Returns the keys of the records of the same collection that a record refers to. */
  readonly entries?: (record: T) => readonly string[];
  /** What has `creatorName` and `creatorUUID`: the record, or the objects in a field of it. */
  readonly creator?: "record" | (string & {});
}

/** Returns the value or the values by which an index finds a record, each once; undefined leaves the record out. */
export type Indexed<T> = (record: T) => string | readonly string[] | undefined;

/** How records end by themselves. */
export interface Ends<T> {
  /** Returns when the store removes a record, in milliseconds since 1970; undefined for one without end. */
  readonly of: (record: T) => number | undefined;
  /** The operation of the removal, in the journal. */
  readonly operation: string;
}

export interface CollectionDefinition<T = unknown, Index extends string = string> {
  /** What a record is called in sentences, in the singular. */
  readonly noun: string;
  readonly schema: v.GenericSchema<T>;
  readonly key: (record: T) => string;
  readonly indexes: Readonly<Record<Index, Indexed<T>>>;
  readonly refersTo: References<T>;
  readonly ends: Ends<T> | undefined;
  /** Whether these are notes of the service on changes and requests, which undo and the audit leave out. */
  readonly isBookkeeping: boolean;
}

/** The collections of a store, by name. */
// biome-ignore lint/suspicious/noExplicitAny: definitions of different records have no narrower type in common
export type Model = Readonly<Record<string, CollectionDefinition<any, any>>>;

/** Defines a collection. By default it has no indexes, refers to nothing, has no end, and is no bookkeeping. */
export function define<T, Index extends string = never>(
  noun: string,
  schema: v.GenericSchema<T>,
  key: (record: T) => string,
  {
    indexes = {} as Record<Index, never>,
    refersTo = {},
    ends = undefined,
    isBookkeeping = false,
  }: Partial<Pick<CollectionDefinition<T, Index>, "indexes" | "refersTo" | "ends" | "isBookkeeping">> = {},
): CollectionDefinition<T, Index> {
  return { noun, schema, key, indexes, refersTo, ends, isBookkeeping };
}

/** A record of any collection. */
export type AnyRecord = Readonly<Record<string, unknown>>;

/** Returns the objects in a field of a record. */
export function listIn(record: AnyRecord, field: string): readonly AnyRecord[] {
  const list = record[field];
  return Array.isArray(list) ? list.filter((item) => typeof item === "object" && item !== null) : [];
}
