/**
 * Invitations: a code that an operator hands to a player, and that the player's client exchanges for a token. The code ends
 * with the first use of that token, not when it is exchanged: the answer may be lost, and a chat that shows a preview of a
 * link fetches it before the player does. Until then it gives another token, and the unused one is revoked.
 */
import { randomBytes } from "node:crypto";
import { Failure, type FailureCode } from "../domain/errors.ts";
import { codePattern } from "../domain/limits.ts";
import type { Invitation, Player } from "../domain/model.ts";
import type { Data, DataStore, Draft } from "../store/data.ts";
import { hashOf, issueToken } from "./tokens.ts";
import { versionForm } from "./versions.ts";

/** Crockford's base 32, which has no letters that are mistaken for digits. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const form = new RegExp(`^${codePattern}$`, "i");

/** Returns a new code of 80 random bits, such as `gai_9K3M-72VD-Q0XF-4TSA`. */
function newCode(): string {
  const digits = BigInt(`0x${randomBytes(10).toString("hex")}`)
    .toString(32)
    .padStart(16, "0");
  const letters = Array.from(digits, (digit) => alphabet[Number.parseInt(digit, 32)]).join("");
  return `gai_${letters.replace(/.{4}(?=.)/g, "$&-")}`;
}

/** Returns what is stored of a code: the same in any case, with or without dashes, and with O for 0, or I or L for 1. */
function hashOfCode(code: string): string {
  const letters = code.slice("gai_".length).replaceAll("-", "").toUpperCase();
  return hashOf(`gai_${letters.replaceAll("O", "0").replace(/[IL]/g, "1")}`);
}

/** What has become of an invitation; the code is valid while it is `open` or `claimed`. */
export type InvitationState = "open" | "claimed" | "used" | "expired" | "revoked";

export function stateOf(invitation: Invitation, now: number): InvitationState {
  if (invitation.revokedAt !== null) return "revoked";
  if (invitation.usedAt !== null) return "used";
  if (now >= invitation.expiresAt) return "expired";
  return invitation.token === null ? "open" : "claimed";
}

/** Invites a player, in place of a former invitation, whose unused token is revoked. Returns the code. */
export function invite(draft: Draft, { uuid }: Player, expiresAt: number, now: number): string {
  const code = newCode();
  const former = draft.invitations.get(uuid);
  if (former !== undefined) revokeUnused(draft, former, now);
  const none = { revokedAt: null, token: null, formerToken: null, usedAt: null };
  draft.invitations.put({ uuid, hash: hashOfCode(code), issuedAt: now, expiresAt, ...none });
  return code;
}

/**
 * Revokes an invitation that was not used, and the token that it gave. An expired one, too: setting the clock back would
 * make it valid again. Returns it as it was, or undefined where there is none to revoke.
 */
export function revokeInvitation(draft: Draft, uuid: string, now: number): Invitation | undefined {
  const invitation = draft.invitations.get(uuid);
  if (invitation === undefined || invitation.revokedAt !== null || invitation.usedAt !== null)
    return undefined;
  draft.invitations.put({ ...invitation, revokedAt: now });
  revokeUnused(draft, invitation, now);
  return invitation;
}

function revokeUnused(draft: Draft, { token: id, usedAt }: Invitation, now: number): void {
  const token = id === null || usedAt !== null ? undefined : draft.tokens.get(id);
  if (token?.revokedAt === null) draft.tokens.put({ ...token, revokedAt: now });
}

const refusals: { readonly [S in InvitationState]?: readonly [code: FailureCode, sentence: string] } = {
  revoked: ["TOKEN_REVOKED", "This invitation was revoked."],
  used: ["TOKEN_REVOKED", "This invitation has been used."],
  expired: ["TOKEN_EXPIRED", "This invitation has expired."],
};

/**
 * Returns the invitation of a code, and its player.
 * @throws Failure `TOKEN_UNKNOWN`, `TOKEN_EXPIRED`, `TOKEN_REVOKED`
 */
export function requireInvitation(
  data: Data,
  code: string,
  now: number,
): { readonly invitation: Invitation; readonly player: Player } {
  const [invitation] = form.test(code) ? data.invitations.find("hash", hashOfCode(code)) : [];
  const player = invitation && data.players.get(invitation.uuid);
  if (invitation === undefined || player === undefined) {
    throw new Failure("TOKEN_UNKNOWN", "This invitation is unknown.", {
      hint: "Check that the whole code was copied. Ask an operator for a new invitation.",
    });
  }
  const [refusal, sentence] = refusals[stateOf(invitation, now)] ?? [];
  if (refusal === undefined) return { invitation, player };
  throw new Failure(refusal, sentence ?? "", { hint: "Ask an operator for a new invitation." });
}

/**
 * Exchanges the code of an invitation for a token. Of the tokens that it gave before, only the last one stays, so that no
 * number of repetitions fills the data.
 * @param version of the addon, unchecked
 */
export function claim(
  draft: Draft,
  { invitation, player: { name, uuid } }: ReturnType<typeof requireInvitation>,
  version: string | undefined,
  now: number,
) {
  if (invitation.formerToken !== null) draft.tokens.delete(invitation.formerToken);
  revokeUnused(draft, invitation, now);
  const addonVersion = version !== undefined && versionForm.test(version) ? version : null;
  const details = { uuid, label: null, addonVersion, readOnly: false, expiresAt: null };
  const { token, record } = issueToken(draft, details, now);
  draft.invitations.put({ ...invitation, token: record.id, formerToken: invitation.token });
  return { token, name, uuid };
}

/** The tokens whose use is not saved yet, and whether that is under way. */
export type Unnoted = Map<string, "noting" | "failed">;

/**
 * Notes the first use of a token, if an invitation gave it. No request waits for that; a claim that is decided later sees
 * it. If the disk is full, the next use is as good.
 * @param unnoted has the tokens whose use is not saved yet: before a claim it has to be noted again
 * @param isClaimed whether a claim is about to be decided: a note under way may fail, and the claim be saved
 */
export function noteUse(store: DataStore, token: string, unnoted: Unnoted, isClaimed = false): void {
  const isUnused = ({ usedAt }: Invitation) => usedAt === null;
  if (
    (unnoted.get(token) === "noting" && !isClaimed) ||
    !store.data.invitations.find("token", token).some(isUnused)
  )
    return;
  unnoted.set(token, "noting");
  const noted = store.change({ who: "system", operation: "token.use" }, (draft, { now }) => {
    const invitation = draft.invitations.find("token", token).find(isUnused);
    if (invitation !== undefined) draft.invitations.put({ ...invitation, usedAt: now });
  });
  noted.then(
    () => unnoted.delete(token),
    () => unnoted.set(token, "failed"),
  );
}
