/** All that the data holds of one person, registered or not: for whoever asks what is stored of them. */
import * as v from "valibot";
import { type HouseBanReason, model, statisticTypes, subjectKey, type Token } from "../domain/model.ts";
import { formerPlayers, toSubject } from "../identity/players.ts";
import type { Data } from "../store/data.ts";
import { defineRead, playerReference } from "./define.ts";

/** The collections that hold nothing of anybody in particular. */
type Impersonal =
  | "names"
  | "blacklistReasons"
  | "naviPoints"
  | "wantedReasons"
  | "versions"
  | "events"
  | "scores"
  | "counters";

/** The records of somebody, by collection. A collection that is added to the model has to be added here as well. */
type Records = Readonly<Record<Exclude<keyof Data, Impersonal>, readonly unknown[]>>;

export const everything = defineRead({
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
      // Those of others that have a reason which this person has entered, too.
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

/** Nobody needs the hash who wants to know what is stored. */
function withoutHash({ hash: _, ...token }: Token): Omit<Token, "hash"> {
  return token;
}
