/** Applies a roster: registers and renames players, and sets their memberships, groups and administrator flags. */
import { Sheet } from "../../backup/csv.ts";
import { groupMemberKey, type Player } from "../../domain/model.ts";
import { compareTexts, fold } from "../../domain/text.ts";
import { bindRecords } from "../../identity/references.ts";
import type { Draft } from "../../store/data.ts";
import type { FileEdit } from "../input.ts";
import { type Listed, RosterReader, rosterColumns } from "./rows.ts";

/** What changes for people, in the order in which it is shown; `readmitted` left the group of the excluded. */
const kinds = [
  ...(["registered", "renamed", "ranksGained", "ranksLost", "groupsGained", "groupsLost"] as const),
  ...(["readmitted", "administratorsGained", "administratorsLost", "notInTheFile"] as const),
];
type Note = (kind: (typeof kinds)[number], who: string) => void;

/** The people of each kind, such as `Ada GROVE:4`. */
export type People = Readonly<Record<string, readonly string[]>>;

/** Applies a roster to a draft. @throws Failure `PARAMETER_INVALID` with all faults of the file */
export function applyRoster(
  draft: Draft,
  { file, text, only, remove }: FileEdit,
  excludedGroup: string | undefined,
  now: number,
): People {
  const sheet = new Sheet(file, text, rosterColumns, ["name", ...(only ?? [])]);
  const counts = (column: string) => only?.includes(column) ?? sheet.columns.includes(column);
  const reader = new RosterReader(draft, sheet, counts);
  const listed = sheet.rows.map((row) => reader.read(row, now));
  const absent = absentFrom(draft, listed, sheet);
  sheet.requireSound();

  const people = new Map(kinds.map((kind): [string, string[]] => [kind, []]));
  const note: Note = (kind, who) => people.get(kind)?.push(who);
  for (const { player, known } of listed) {
    const { name, administrator } = player;
    if (known === undefined) note("registered", name);
    else if (known.name !== name) note("renamed", `${known.name} to ${name}`);
    if (administrator !== (known?.administrator ?? false))
      note(administrator ? "administratorsGained" : "administratorsLost", name);
    draft.players.put(player);
  }
  const named = listed.filter(({ player, known }) => known?.name !== player.name);
  bindRecords(draft, ...named.map(({ player }) => player));
  for (const { name } of absent) note("notInTheFile", name);
  const ranks = counts("organisations") ? new Map<string, number>() : undefined;
  const groups = counts("groups") ? new Map<string, true>() : undefined;
  const ended = remove ? absent.map((player) => ({ player, ranks, groups })) : [];
  setMemberships(draft, [...listed, ...ended], excludedGroup, note);
  return Object.fromEntries(people);
}

/** Returns the players whom a roster lacks, and notes names and UUIDs that two have. */
function absentFrom(draft: Draft, listed: readonly Listed[], sheet: Sheet): Player[] {
  const uuids = new Set(listed.map(({ player }) => player.uuid));
  const absent = Array.from(draft.players.values()).filter(({ uuid }) => !uuids.has(uuid));
  const holders = new Map(absent.map(({ name, uuid }) => [fold(name), `the player ${uuid}`]));
  for (const { player, at } of listed.filter(({ player }) => player.name !== "")) {
    const [name, uuid] = [fold(player.name), player.uuid];
    const [key, what] = holders.has(name) ? [name, `name ${player.name}`] : [uuid, `UUID ${uuid}`];
    const holder = holders.get(key);
    if (holder !== undefined) sheet.fault(at, `the ${what} is also that of ${holder}`);
    for (const one of [name, uuid]) holders.set(one, `line ${sheet.lineOf(at)}`);
  }
  return absent.sort((a, b) => compareTexts(a.name, b.name));
}

/** Replaces ranks and groups. */
function setMemberships(
  draft: Draft,
  all: readonly Pick<Listed, "player" | "ranks" | "groups">[],
  excludedGroup: string | undefined,
  note: Note,
): void {
  // Read before anything is written: a draft searches what it has written in order.
  const former = all.map(({ player: { uuid } }) => ({
    ranks: new Map(
      draft.memberships.find("player", uuid).map(({ organisation, rank }) => [organisation, rank]),
    ),
    groups: new Map(draft.groupMembers.find("subject", uuid).map(({ group }) => [group, true as const])),
  }));
  for (const [index, { player, ranks, groups }] of all.entries()) {
    const { name, uuid } = player;
    for (const { key: organisation, was = 0, is = 0 } of differences(former[index]?.ranks, ranks)) {
      if (is === 0) draft.memberships.delete(`${organisation}/${uuid}`);
      else draft.memberships.put({ uuid, organisation, rank: is });
      const before = is > 0 && was > 0 ? ` (was ${was})` : "";
      note(is > was ? "ranksGained" : "ranksLost", `${name} ${organisation}:${is || was}${before}`);
    }
    for (const { key: group, is } of differences(former[index]?.groups, groups)) {
      if (is) draft.groupMembers.put({ group, name, uuid });
      else draft.groupMembers.delete(groupMemberKey(group, player));
      if (!is && group === excludedGroup) note("readmitted", name);
      else note(is ? "groupsGained" : "groupsLost", `${name} ${group}`);
    }
  }
}

/** Returns what differs between two maps; nothing without the second one. */
function differences<T>(before: ReadonlyMap<string, T> = new Map(), after: ReadonlyMap<string, T> = before) {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({ key, was: before.get(key), is: after.get(key) }))
    .filter(({ was, is }) => was !== is);
}
