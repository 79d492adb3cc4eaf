/** Issuing, listing and revoking tokens. Only the answer of `issue` shows a token. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { textLength } from "../domain/limits.ts";
import type { Player, Token } from "../domain/model.ts";
import { didYouMean } from "../domain/text.ts";
import { revokeInvitation } from "../identity/invitations.ts";
import { requirePlayer } from "../identity/players.ts";
import { isLive, issueToken } from "../identity/tokens.ts";
import { versionForm } from "../identity/versions.ts";
import type { Data, Draft } from "../store/data.ts";
import { defineChange, defineRead, type Info } from "./define.ts";
import { line, milliseconds, playerReference } from "./input.ts";
import * as invitations from "./invitations.ts";

export const issue = defineChange({
  input: v.strictObject({
    /** Undefined for a public token. */
    player: v.optional(playerReference),
    label: v.optional(line("a label", textLength)),
    addonVersion: v.optional(v.pipe(v.string(), v.regex(versionForm, "expected a version such as 2.5.1"))),
    /** Whether the token allows only reads. */
    readOnly: v.optional(v.boolean()),
    /** Milliseconds from now. */
    expiresIn: v.optional(milliseconds),
  }),
  change(draft, input, { now }) {
    const player = input.player === undefined ? undefined : requirePlayer(draft, input.player);
    const details = {
      uuid: player?.uuid ?? null,
      label: input.label ?? null,
      addonVersion: input.addonVersion ?? null,
      readOnly: input.readOnly ?? false,
      expiresAt: input.expiresIn === undefined ? null : now + input.expiresIn,
    };
    const { token, record } = issueToken(draft, details, now);
    return { token, id: record.id, player: player?.name ?? null, expires: record.expiresAt };
  },
});

/** Returns the records of all tokens or of one player's, oldest first, without the tokens themselves. */
export function listTokens(data: Data, now: number, uuid?: string) {
  const tokens =
    uuid === undefined ? Array.from(data.tokens.values()) : [...data.tokens.find("player", uuid)];
  return tokens
    .sort((a, b) => a.issuedAt - b.issuedAt)
    .map((token) => ({
      id: token.id,
      player: token.uuid === null ? null : (data.players.get(token.uuid)?.name ?? token.uuid),
      label: token.label,
      addonVersion: token.addonVersion,
      readOnly: token.readOnly ?? false,
      issued: token.issuedAt,
      expires: token.expiresAt,
      state: token.revokedAt !== null ? "revoked" : isLive(token, now) ? "valid" : "expired",
    }));
}

export const list = defineRead({
  /** Without a player, all tokens, including public ones. */
  input: v.strictObject({ player: v.optional(playerReference) }),
  read: (data, { player }, { now }) =>
    listTokens(data, now, player === undefined ? undefined : requirePlayer(data, player).uuid),
});

export const revoke = defineChange({
  /**
   * A token by its id or by its hash, so that the token itself stays with the command; or all of a player's; or a player's
   * invitation. The invitation that gave a token ends with it, unless that was used: its code would give another one.
   */
  input: v.union([
    v.strictObject({ id: v.string() }),
    v.strictObject({ hash: v.string() }),
    v.strictObject({ player: playerReference }),
    v.strictObject({ invitation: playerReference }),
  ]),
  change(draft, input, { now }): Info & { tokens: readonly string[] } {
    if ("invitation" in input) return invitations.revoke(draft, input.invitation, now);
    if ("player" in input) return revokeAll(draft, requirePlayer(draft, input.player), now);
    const token = "id" in input ? requireId(draft, input.id) : requireHash(draft, input.hash);
    if (token.revokedAt !== null) return { info: `The token ${token.id} is already revoked.`, tokens: [] };
    draft.tokens.put({ ...token, revokedAt: now });
    const gave = draft.invitations.find("token", token.id);
    const ended = gave.filter(({ uuid }) => revokeInvitation(draft, uuid, now) !== undefined);
    const more = ended.length === 0 ? "" : ", and the invitation that gave it";
    return { info: `Revoked the token ${token.id}${more}.`, tokens: [token.id] };
  },
});

/** Revokes all tokens of a player, and the invitation, expired ones too: setting the clock back would make them valid again. */
function revokeAll(draft: Draft, { uuid, name }: Player, now: number) {
  const tokens = draft.tokens.find("player", uuid).filter(({ revokedAt }) => revokedAt === null);
  for (const token of tokens) draft.tokens.put({ ...token, revokedAt: now });
  const ids = tokens.map(({ id }) => id);
  const isInvited = revokeInvitation(draft, uuid, now) !== undefined;
  if (ids.length === 0) {
    const info = isInvited ? `Revoked the invitation of ${name}.` : `${name} has no tokens to revoke.`;
    return { info, tokens: ids };
  }
  const what = ids.length === 1 ? "the token" : `${ids.length} tokens`;
  const more = isInvited ? ", and the invitation" : "";
  return { info: `Revoked ${what} of ${name}: ${ids.join(", ")}${more}.`, tokens: ids };
}

/** Returns the token of an id. @throws Failure `UNKNOWN_ENTRY` */
function requireId(data: Data, id: string): Token {
  const token = data.tokens.get(id.toLowerCase());
  if (token !== undefined) return token;
  const ids = Array.from(data.tokens.values(), (other) => other.id);
  // The operator may have pasted the token itself, which must not appear in a message.
  const typed = /^[0-9a-z]{1,12}$/i.test(id) ? ` "${id}"` : " of that id";
  const suggestion = typed.includes('"') ? didYouMean(id, ids) : "";
  throw new Failure("UNKNOWN_ENTRY", `There is no token${typed}.${suggestion}`, {
    hint: "`addon-cli token list` shows the ids.",
  });
}

/** @throws Failure for the id of a player's token, and as {@link requireId} */
export function requirePublicId(data: Data, id: string): void {
  if (requireId(data, id).uuid === null) return;
  throw new Failure("PARAMETER_INVALID", "That token is a player's.", { hint: "Name the player with --by." });
}

function requireHash(data: Data, hash: string): Token {
  const [token] = data.tokens.find("hash", hash);
  if (token !== undefined) return token;
  throw new Failure("UNKNOWN_ENTRY", "The token on standard input was not issued by this service.", {
    hint: "Check that the whole token was copied; `addon-cli token list` shows the ids of all tokens.",
  });
}
