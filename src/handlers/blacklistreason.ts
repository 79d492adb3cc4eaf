/** Blacklist reasons, each of one faction (specification, section 4.4). */
import * as v from "valibot";
import { compareTexts, fold } from "../text.ts";
import { defineChange, defineRead } from "./define.ts";
import { addEntry, removeEntry } from "./entries.ts";
import { count, faction, text } from "./values.ts";

const what = "blacklist reason";

export const list = defineRead({
  input: { factionString: faction },
  answer: v.array(v.object({ reason: v.string(), price: count, kills: count })),
  read: (data, { factionString }) =>
    data.blacklistReasons
      .find("faction", factionString)
      .map(({ reason, price, kills }) => ({ reason, price, kills }))
      .sort((a, b) => compareTexts(a.reason, b.reason)),
});

export const add = defineChange({
  input: { factionString: faction, reason: text, price: count, kills: count },
  change(draft, { factionString, reason, price, kills }) {
    const entry = { faction: factionString, reason, price, kills };
    return addEntry(draft.blacklistReasons, `${factionString}/${fold(reason)}`, entry, "reason", what);
  },
});

export const remove = defineChange({
  input: { factionString: faction, reason: text },
  change: (draft, { factionString, reason }) =>
    removeEntry(draft.blacklistReasons, `${factionString}/${fold(reason)}`, "reason", reason, what),
});
