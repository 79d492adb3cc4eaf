/** Inviting players, and listing invitations. Only the answer of `invite` shows a code. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import type { Player } from "../domain/model.ts";
import type { Slices } from "../domain/slices.ts";
import { byName, compareTexts } from "../domain/text.ts";
import { invite, revokeInvitation, stateOf } from "../identity/invitations.ts";
import { isInGroup, memberTest } from "../identity/memberships.ts";
import { requirePlayer } from "../identity/players.ts";
import { isLive } from "../identity/tokens.ts";
import type { Draft } from "../store/data.ts";
import { defineCommand, defineRead, type Environment, type Info } from "./define.ts";
import { milliseconds, playerReference } from "./input.ts";

export const invitePlayers = defineCommand({
  input: v.strictObject({
    /** Without one, all players without a valid token. */
    player: v.optional(playerReference),
    /** Only members of this faction, service or group. */
    member: v.optional(v.string()),
    /** Milliseconds from now; by default as long as the route table says. */
    expiresIn: v.optional(milliseconds),
  }),
  /** @throws Failure `CONFLICT` where the route table has no invitations, `UNKNOWN_PLAYER`, `UNKNOWN_FACTION` */
  async run({ store, loadTable, now = Date.now }: Environment, { player, member, expiresIn }, signal) {
    const { invitations, excludedGroup } = (await loadTable())();
    if (invitations === undefined) {
      throw new Failure("CONFLICT", "The route table has no invitations, so that nobody could use one.", {
        hint: "Add `invitations: { valid: 48h }` to it.",
      });
    }
    const at = now();
    const expires = at + (expiresIn ?? invitations.valid.milliseconds);
    const inviteAll = async (draft: Draft, slices: Slices) => {
      const invited = [];
      const isMember =
        member === undefined ? () => true : memberTest(draft, at, member, "faction", "service", "group");
      const meant =
        player === undefined
          ? Array.from(draft.players.values()).filter(isMember)
          : [requirePlayer(draft, player)];
      const all = player === undefined ? withoutToken(draft, meant, at) : meant;
      // Excluded players could not use a code; one who is named may be about to be readmitted.
      const isAllowed = (found: Player) =>
        player !== undefined || excludedGroup === undefined || !isInGroup(draft, excludedGroup, found, at);
      const allowed = all.filter(isAllowed);
      for (const found of allowed) {
        if (slices.isOver) await slices.next();
        const former = draft.invitations.get(found.uuid);
        // Nobody can see the code again. It may replace one that was valid.
        const replaces = former !== undefined && ["open", "claimed"].includes(stateOf(former, at));
        const { name, uuid } = found;
        invited.push({ name, uuid, code: invite(draft, found, expires, at), replaces });
      }
      return { invitations: invited, excluded: all.length - allowed.length, meant: meant.length };
    };
    const origin = { who: "operator", operation: "token.invite" };
    const { report, sequence } = await store.edit(inviteAll, origin, { signal });
    return { expires, ...report, sequence };
  },
});

/**
 * Returns those of some players who have no valid token, by name. One that an expired invitation gave, and that was never used, counts for
 * nothing: its answer may have been lost, or have gone to the preview of a link.
 */
function withoutToken(draft: Draft, players: readonly Player[], now: number): Player[] {
  const hasToken = ({ uuid }: Player) => {
    const invitation = draft.invitations.get(uuid);
    const lost = invitation && stateOf(invitation, now) === "expired" ? invitation.token : null;
    return draft.tokens.find("player", uuid).some((token) => token.id !== lost && isLive(token, now));
  };
  return byName(players.filter((player) => !hasToken(player)));
}

export const list = defineRead({
  input: v.strictObject({}),
  read: (data, _input, { now }) =>
    Array.from(data.invitations.values(), (invitation) => ({
      player: data.players.get(invitation.uuid)?.name ?? invitation.uuid,
      issued: invitation.issuedAt,
      expires: invitation.expiresAt,
      state: stateOf(invitation, now),
      /** The id of the token that the code gave, or null. */
      token: invitation.token,
    })).sort((a, b) => a.issued - b.issued || compareTexts(a.player, b.player)),
});

/** Revokes the invitation of a player. @throws Failure `UNKNOWN_PLAYER`, `UNKNOWN_ENTRY` where there is none */
export function revoke(draft: Draft, reference: string, now: number): Info & { tokens: readonly string[] } {
  const { name, uuid } = requirePlayer(draft, reference);
  const invitation = draft.invitations.get(uuid);
  if (invitation === undefined) {
    throw new Failure("UNKNOWN_ENTRY", `${name} has no invitation.`, {
      hint: "`addon-cli token invitations` lists them.",
    });
  }
  const { token } = invitation;
  if (revokeInvitation(draft, uuid, now) !== undefined) {
    const gave = token === null ? "" : `, and the token ${token}, which it gave`;
    return { info: `Revoked the invitation of ${name}${gave}.`, tokens: token === null ? [] : [token] };
  }
  const ended = stateOf(invitation, now) === "used" ? `has given the token ${token}` : "is already revoked";
  return { info: `The invitation of ${name} ${ended}.`, tokens: [] };
}
