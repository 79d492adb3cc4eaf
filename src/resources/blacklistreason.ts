/** The blacklist reasons of each faction. */
import * as v from "valibot";
import { requireOrganisation } from "../identity/memberships.ts";
import { defineCachedRead, defineChange } from "./shared/define.ts";
import { addEntry, removeEntry } from "./shared/entries.ts";
import { count, faction, field, text, textReference } from "./shared/values.ts";

const what = "blacklist reason";
const about = {
  factionString: field(faction, "The faction whose list this is."),
  reason: field(text, "Why a player is put on the faction's blacklist.", "Betrayal"),
  price: field(count, "The price of the reason, in the game's money.", 5000),
  kills: field(count, "The number of kills for the reason.", 30),
};
const { factionString: ofFaction, reason: _reason, ...worth } = about;
const existing = field(textReference, "Why a player is put on the faction's blacklist.", "Betrayal");

export const list = defineCachedRead({
  dependsOn: ["blacklistReasons", "order"],
  input: { factionString: ofFaction },
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({ reason: field(v.string(), 'The reason, with "-" for each space.', "Betrayal"), ...worth }),
        v.title("BlacklistReason"),
        v.description("A reason on a faction's blacklist."),
      ),
    ),
    v.description("The faction's blacklist reasons, ordered by reason."),
  ),
  read: (data, { factionString }) =>
    data.blacklistReasons
      .find("faction", factionString)
      .map(({ reason, price, kills }) => ({ reason, price, kills }))
      .sort((a, b) => data.order.compare(a.reason, b.reason)),
});

export const add = defineChange({
  example: "Added the blacklist reason Betrayal.",
  input: about,
  failures: {
    CONFLICT: "The faction has this reason with a different price or number of kills. Remove it first.",
  },
  change(draft, { factionString, reason, price, kills }) {
    // The faction may have been removed after the request was parsed.
    requireOrganisation(draft, factionString);
    const entry = { faction: factionString, reason, price, kills };
    return addEntry(draft.blacklistReasons, entry, "reason", what, { scope: `${factionString}/` });
  },
});

export const remove = defineChange({
  example: "Removed the blacklist reason Betrayal.",
  input: { factionString: ofFaction, reason: existing },
  failures: { UNKNOWN_ENTRY: "The faction has no such reason." },
  change: (draft, { factionString, reason }) =>
    removeEntry(draft.blacklistReasons, "reason", reason, what, `${factionString}/`),
});
