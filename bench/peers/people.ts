/** Who is who for the Fastify peer: players, tokens, memberships and groups in Maps, and what was seen of clients. */
import { createHash } from "node:crypto";
import type { PeerState } from "./state.ts";

/** Whom a token stands for. */
export interface Caller {
  readonly uuid: string | null;
  readonly name: string | null;
}

type Player = PeerState["players"][number];
type Token = PeerState["tokens"][number];

/** See the head of this file. */
export class People {
  readonly groups: readonly string[];
  readonly #players: Map<string, Player>;
  readonly #byName: Map<string, Player>;
  readonly #tokens: Map<string, Token>;
  readonly #tokenOf: Map<string, Token>;
  readonly #factionOf: Map<string, { name: string; rank: number }>;
  readonly #groupMembers: Set<string>;
  readonly #seen = new Map<string, { lastSeen: number; version: string | null }>();
  requests = 0;

  constructor(state: PeerState) {
    this.groups = state.groups;
    this.#players = new Map(state.players.map((player) => [player.uuid, player]));
    this.#byName = new Map(state.players.map((player) => [player.name.toLowerCase(), player]));
    this.#tokens = new Map(state.tokens.map((token) => [token.hash, token]));
    this.#tokenOf = new Map(state.tokens.map((token) => [token.uuid ?? "", token]));
    this.#factionOf = new Map(
      state.memberships.map(({ uuid, organisation, rank }) => [uuid, { name: organisation, rank }]),
    );
    this.#groupMembers = new Set(state.groupMembers.map(({ group, uuid }) => `${group}/${uuid}`));
  }

  /** Whom a token stands for, or undefined where it can not be used. */
  callerOf(token: string, now: number): Caller | undefined {
    const known = this.#tokens.get(createHash("sha256").update(token).digest("hex"));
    if (known === undefined || known.revokedAt !== null) return undefined;
    if (known.expiresAt !== null && known.expiresAt <= now) return undefined;
    const player = this.#players.get(known.uuid ?? "");
    return { uuid: known.uuid, name: player?.name ?? null };
  }

  /** Notes a request of a caller, and the version that its client told. */
  note({ uuid }: Caller, userAgent: string | undefined, now: number): void {
    this.requests += 1;
    if (uuid === null) return;
    const version =
      userAgent?.startsWith("gameaddon/") === true ? userAgent.slice(10).split(" ", 1)[0] : undefined;
    this.#seen.set(uuid, { lastSeen: now, version: version ?? this.#seen.get(uuid)?.version ?? null });
  }

  isIn(group: string, uuid: string | null): boolean {
    return uuid !== null && this.#groupMembers.has(`${group}/${uuid}`);
  }

  /** A player by name or UUID. */
  find(reference: string): Player | undefined {
    return this.#players.get(reference) ?? this.#byName.get(reference.toLowerCase());
  }

  /** What `/statistic/{player}` tells of a player's client. */
  clientOf(uuid: string) {
    const token = this.#tokenOf.get(uuid);
    return {
      tokenGenerateTime: token?.issuedAt ?? null,
      groups: Object.fromEntries(this.groups.map((group) => [group, this.isIn(group, uuid)])),
      blacklisted: this.isIn("BLACKLIST", uuid),
      version: this.#seen.get(uuid)?.version ?? token?.addonVersion ?? null,
    };
  }

  factionOf(uuid: string): { name: string; rank: number } | null {
    return this.#factionOf.get(uuid) ?? null;
  }
}
