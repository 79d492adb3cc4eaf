/** Callers as the engine sees them, which knows neither players nor their data. */
import type { Terms } from "../domain/terms.ts";
import { fold } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";

/** The kinds of membership that a restriction can require. Groups have no ranks. */
export const membershipKinds = ["group", "faction", "service"] as const;
export type MembershipKind = (typeof membershipKinds)[number];

/** Returns the kind whose names a built-in type has; undefined for the others. */
export function kindOf(base: unknown): MembershipKind | undefined {
  return membershipKinds.find((kind) => kind === base);
}

/** The caller that a token stands for. */
export interface Caller {
  /** For the log and the journal: a player's UUID, `operator`, or null for a public token, which identifies nobody. */
  readonly id: string | null;
  /** The id of the token that the caller presented; undefined for a caller without one, such as the operator. */
  readonly token?: string | undefined;
  /** Whether the caller's token allows no changes. */
  readonly readOnly?: boolean | undefined;
  readonly administrator: boolean;
  /** True for the operator, to whom no restriction applies. */
  readonly unrestricted: boolean;
  /** Whether a name or a UUID, as typed, is the caller's. */
  isCalled(reference: string): boolean;
  /** Returns the caller's rank in a group, faction or service, or undefined for no member. A group's is 0. */
  rankIn(kind: MembershipKind, name: string): number | undefined;
  /** Returns the terms of the caller's membership in a group, if they are known. */
  termsIn?(group: string): Terms | undefined;
}

/** The holder of a public token, who is nobody in particular and a member of nothing. */
export const nobody: Caller = {
  id: null,
  // V8 copies an object quickly only if the copy has no further properties: a read took a sixth longer without these.
  token: undefined,
  readOnly: undefined,
  administrator: false,
  unrestricted: false,
  isCalled: () => false,
  rankIn: () => undefined,
};

/** What a player is and belongs to. */
export interface Traits {
  readonly name?: string | undefined;
  readonly uuid?: string | undefined;
  readonly administrator: boolean;
  /** The memberships in factions and services, whose names are distinct. */
  readonly ranks: ReadonlyMap<string, { readonly rank: number }>;
  readonly groups: { has(group: string): boolean; keys(): Iterable<string> };
}

/** Returns a player of certain traits as a caller, whatever the data has at each decision. */
export function toCaller({ name, uuid, administrator, ranks, groups }: Traits): Caller {
  return {
    ...nobody,
    id: uuid ?? name ?? "",
    administrator,
    isCalled: (reference) =>
      (name !== undefined && fold(reference) === fold(name)) ||
      (uuid !== undefined && toUUID(reference) === uuid),
    rankIn: (kind, of) => (kind === "group" ? (groups.has(of) ? 0 : undefined) : ranks.get(of)?.rank),
  };
}

/** Returns the token id of a public caller, which alone distinguishes one from another. */
export function publicTokenOf({ id, token }: Caller): string | undefined {
  return id === null ? token : undefined;
}

/** The names that restrictions and parameters can refer to, as answers spell them. */
export type Vocabulary = Readonly<Record<MembershipKind, readonly string[]>>;

/** For what is checked without data. */
export const noNames: Vocabulary = { group: [], faction: [], service: [] };
