/** Implements `player remove`: shows what is removed and what remains, asks, and removes the player. */
import { isEntry } from "../../src/domain/entry.ts";
import { dayMilliseconds } from "../../src/domain/instant.ts";
import { definitionOf } from "../../src/domain/model.ts";
import { allOf, counted } from "../../src/domain/text.ts";
import { defaultRetention } from "../../src/store/retention.ts";
import type { Context } from "../context.ts";
import { confirm } from "../terminal/confirm.ts";
import { formatInstant } from "../terminal/output.ts";

export async function removePlayer(context: Context, player: string): Promise<void> {
  const { read, output, run } = context;
  const { name, uuid, groups, members, tokens } = await read("player.show", { player });
  const { records } = await read("player.everything", { player: uuid });
  const { isExcluded } = await run("edits", "player.remove", { player: uuid, dryRun: true });
  const goes = [
    "statistics",
    ...someOf(members.length, "membership"),
    ...someOf(groups.length - Number(isExcluded), "group"),
    ...someOf(tokens.length, "token"),
    ...someOf(records.invitations?.length ?? 0, "invitation"),
  ];
  // `player.remove` keeps these: they record what the player has done, or concern others.
  const stays = [
    ...Object.entries(records).flatMap(([name, found]) => {
      const { noun = "", refersTo, isBookkeeping } = definitionOf(name) ?? {};
      const isKept = name !== "groupMembers" && refersTo?.player?.outlives !== false && !isBookkeeping;
      const words = name !== "players" && isKept ? someOf(found.length, noun) : [];
      const lists = new Set(found.flatMap((record) => (isEntry(record) ? [record.list] : [])));
      return lists.size === 0 ? words : words.map((counted) => `${counted} (${allOf([...lists])})`);
    }),
    ...(isExcluded ? ["the exclusion"] : []),
  ];
  const historyUntil = Date.now() + defaultRetention.milliseconds;
  const days = defaultRetention.milliseconds / dayMilliseconds;
  if (!output.wantsJSON) {
    output.remark(`This removes ${name} with ${allOf(goes)}.`);
    if (stays.length > 0) output.remark(`It keeps ${allOf(stays)}.`);
    output.remark(
      `The journal and the snapshots keep the history for at least ${days} days, until ${formatInstant(historyUntil).slice(0, 10)}; ` +
        "for up to eight weeks while there are changes, and longer without. Backups and exports contain it as long as you keep them.",
    );
  }
  await confirm(context, { asks: `Remove ${name}?`, does: `This removes ${name}` });
  const { info, sequence } = await run("edits", "player.remove", { player: uuid });
  output.result({ info, sequence, historyUntil }, info);
  if (!output.wantsJSON) output.remark(`\`addon-cli undo ${sequence}\` undoes it.`);
}

function someOf(count: number, noun: string): string[] {
  return count === 0 ? [] : [counted(count, noun)];
}
