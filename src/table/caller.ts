/** Callers as the engine sees them. It knows neither players nor where they are kept. */

/** What a restriction can ask a membership of. Groups have no ranks. */
export const membershipKinds = ["group", "faction", "service"] as const;
export type MembershipKind = (typeof membershipKinds)[number];

/** Whoever a token stands for. */
export interface Caller {
  /** For the log and the journal: a player's UUID, `operator`, or null for the holder of a public token. */
  readonly id: string | null;
  /** Tells callers apart who have no `id`: what an idempotency key belongs to. */
  readonly scope: string;
  /** The id of the token that the caller presented; undefined for a caller without one, such as the operator. */
  readonly token?: string | undefined;
  /** Whether the caller's token allows no changes (contract, section 2). */
  readonly readOnly?: boolean | undefined;
  /** Whether the caller is a specific, identified user. */
  readonly identified: boolean;
  readonly administrator: boolean;
  /** True for the operator, whom no restriction stops. */
  readonly unrestricted: boolean;
  /** Whether a name or a UUID, as someone typed it, is that of this caller. */
  isCalled(reference: string): boolean;
  /** The caller's rank in a group, faction or service, or undefined for no member of it. A group's is 0. */
  rankIn(kind: MembershipKind, name: string): number | undefined;
}

/** The id of the token of a caller who is nobody in particular: all that tells one such caller from another. */
export function publicTokenOf({ id, token }: Caller): string | undefined {
  return id === null ? token : undefined;
}

/** The names that restrictions and parameters can refer to, as they are written in answers. */
export type Vocabulary = Readonly<Record<MembershipKind, readonly string[]>>;
