/** The players, tokens, memberships and groups of the Fastify peer, in Maps, and the activity of clients. */
import { createHash } from "node:crypto";

/** See the head of this file. */
export class People {
  #groups;
  #players;
  #byName;
  #tokens;
  #tokenOf;
  #factionOf;
  #groupMembers;
  #seen = new Map();
  requests = 0;

  constructor({ groups, players, tokens, memberships, groupMembers }) {
    this.#groups = groups;
    this.#players = new Map(players.map((player) => [player.uuid, player]));
    this.#byName = new Map(players.map((player) => [player.name.toLowerCase(), player]));
    this.#tokens = new Map(tokens.map((token) => [token.hash, token]));
    this.#tokenOf = new Map(tokens.map((token) => [token.uuid, token]));
    this.#factionOf = new Map(
      memberships.map(({ uuid, organisation, rank }) => [uuid, { name: organisation, rank }]),
    );
    this.#groupMembers = new Set(groupMembers.map(({ group, uuid }) => `${group}/${uuid}`));
  }

  /** Returns the caller of a token, or undefined if it is not valid. */
  callerOf(token, now) {
    const record = this.#tokens.get(createHash("sha256").update(token).digest("hex"));
    if (record === undefined || record.revokedAt !== null) return undefined;
    if (record.expiresAt !== null && record.expiresAt <= now) return undefined;
    return { uuid: record.uuid, name: this.#players.get(record.uuid)?.name ?? null };
  }

  /** Records a request of a caller, and the version of its client. */
  note({ uuid }, userAgent, now) {
    this.requests += 1;
    if (uuid === null) return;
    const version = userAgent?.startsWith("gameaddon/") ? userAgent.slice(10).split(" ", 1)[0] : undefined;
    this.#seen.set(uuid, { lastSeen: now, version: version ?? this.#seen.get(uuid)?.version ?? null });
  }

  isIn(group, uuid) {
    return uuid !== null && this.#groupMembers.has(`${group}/${uuid}`);
  }

  /** Returns a player by name or UUID. */
  find(reference) {
    return this.#players.get(reference) ?? this.#byName.get(reference.toLowerCase());
  }

  /** Returns the client's part of `/statistic/{player}`. */
  clientOf(uuid) {
    const token = this.#tokenOf.get(uuid);
    return {
      tokenGenerateTime: token?.issuedAt ?? null,
      groups: Object.fromEntries(this.#groups.map((group) => [group, this.isIn(group, uuid)])),
      blacklisted: this.isIn("BLACKLIST", uuid),
      version: this.#seen.get(uuid)?.version ?? token?.addonVersion ?? null,
    };
  }

  factionOf(uuid) {
    return this.#factionOf.get(uuid) ?? null;
  }
}
