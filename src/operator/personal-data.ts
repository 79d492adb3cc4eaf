/** All records about one person, registered or not, for requests about stored personal data. */
import * as v from "valibot";
import { type HouseBanReason, model, statisticTypes, subjectKey, type Token } from "../domain/model.ts";
import { formerPlayers, toSubject } from "../identity/players.ts";
import type { Data } from "../store/data.ts";
import { defineRead } from "./define.ts";
import { playerReference } from "./input.ts";

/** The collections without personal data. */
type Impersonal =
  | "names"
  | "blacklistReasons"
  | "naviPoints"
  | "wantedReasons"
  | "versions"
  | "events"
  | "scores"
  | "counters";

/** A person's records, by collection. A collection that is added to the model must be added here too. */
type Records = Readonly<Record<Exclude<keyof Data, Impersonal>, readonly unknown[]>>;

export const personalData = defineRead({
  input: v.object({ player: playerReference }),
  read(data, input, { activity }) {
    const { name, uuid } = toSubject(data, input.player);
    const former = uuid !== null && data.players.has(uuid) ? [] : formerPlayers(data, name);
    const uuids = [...new Set([uuid, ...former.map((each) => each.uuid)])].filter((each) => each !== null);
    const keys = [subjectKey({ name, uuid: null }), ...uuids];
    const isTheirs = ({ creatorUUID }: Pick<HouseBanReason, "creatorUUID">) =>
      creatorUUID != null && uuids.includes(creatorUUID);
    const records = {
      players: uuids.flatMap((each) => present(data.players.get(each))),
      statistics: uuids.flatMap((each) => present(data.statistics.get(each))),
      closedCases: uuids.flatMap((each) =>
        statisticTypes.flatMap((type) =>
          present(data.closedCases.get(model.closedCases.key({ uuid: each, type, through: 0 }))),
        ),
      ),
      memberships: uuids.flatMap((each) => data.memberships.find("player", each)),
      groupMembers: keys.flatMap((key) => data.groupMembers.find("subject", key)),
      targets: keys.flatMap((key) => present(data.targets.get(key))),
      // Includes the bans of others to which this person added a reason.
      houseBans: Array.from(data.houseBans.values()).filter(
        (ban) => keys.includes(subjectKey(ban)) || ban.reasons.some(isTheirs),
      ),
      houseBanReasons: Array.from(data.houseBanReasons.values()).filter(isTheirs),
      tokens: uuids.flatMap((each) => data.tokens.find("player", each)).map(withoutHash),
      activity: uuids.flatMap((each) => present(activity.of(each))),
      repetitions: uuids.flatMap((each) => data.repetitions.find("scope", each)),
    } satisfies Records;
    return { name, uuids, records };
  },
});

function present<T>(record: T | undefined): readonly T[] {
  return record === undefined ? [] : [record];
}

/** The hash is of no use to the person, and must not leave the service. */
function withoutHash({ hash: _, ...token }: Token): Omit<Token, "hash"> {
  return token;
}
