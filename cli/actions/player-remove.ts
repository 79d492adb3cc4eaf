/** What `player remove` does: it says what goes and what stays, asks, and removes the player. */

import { oneOf } from "../../src/domain/text.ts";
import { defaultRetention } from "../../src/store/retention.ts";
import type { Session } from "../context.ts";
import { type ConfirmOptions, confirm } from "../terminal/confirm.ts";
import { toDate } from "../terminal/output.ts";

const dayMilliseconds = 24 * 60 * 60 * 1000;

export async function removePlayer(session: Session, player: string, options: ConfirmOptions): Promise<void> {
  const { look, output, withControl } = session;
  const { name, uuid, groups, members, tokens } = await look("player.show", { player });
  const { records } = await look("player.everything", { player: uuid });
  const goes = [
    "statistics",
    ...counted(members.length, "membership"),
    ...counted(groups.length, "group"),
    ...counted(tokens.length, "token"),
  ];
  // As `player.remove` leaves them: they are about what the player has done, or for others.
  const stays = [
    ...counted(records.targets.length, "entry of the target list", "entries of the target list"),
    ...counted(records.houseBans.length, "house ban of or by the player", "house bans of or by the player"),
    ...counted(
      records.houseBanReasons.length,
      "house-ban reason by the player",
      "house-ban reasons by the player",
    ),
    ...counted(records.closedCases.length, "closed case", "closed cases"),
    "an exclusion where there is one",
  ];
  const historyUntil = Date.now() + defaultRetention.milliseconds;
  const days = defaultRetention.milliseconds / dayMilliseconds;
  if (!output.wantsJSON) {
    output.remark(`${name} goes, with ${oneOf(goes, "and")}.`);
    output.remark(`What stays: ${oneOf(stays, "and")}.`);
    output.remark(
      `The journal and the snapshots keep the history for ${days} days at least, until ${toDate(historyUntil).slice(0, 10)}; ` +
        "backups and exports have it for as long as you keep them.",
    );
  }
  await confirm(session, options, { asks: `Remove ${name}?`, does: `This removes ${name}` });
  const result = await withControl("changes", (control) =>
    control.administer("player.remove", { player: uuid }),
  );
  output.result({ ...result, historyUntil }, result.info);
}

function counted(count: number, one: string, several = `${one}s`): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
}
