/** Applies a roster: registers and renames players, and sets their memberships, groups and administrator flags. */
import { Sheet } from "../../backup/csv.ts";
import { groupMemberKey, type Player } from "../../domain/model.ts";
import type { Slices } from "../../domain/slices.ts";
import { allOf, byName, fold } from "../../domain/text.ts";
import type { Move } from "../../explain/moves.ts";
import { type Standing, type Standings, standingsOf } from "../../identity/memberships.ts";
import { formerName } from "../../identity/players.ts";
import { bindSubjects, renameCreators } from "../../identity/references.ts";
import type { Draft } from "../../store/data.ts";
import { contradictionOf, type FileEdit } from "../input.ts";
import { formerNote } from "../players.ts";
import { type Listed, rosterReader } from "./rows.ts";
import { endWord, rosterColumns, toWord } from "./standing.ts";

/** What changes for people, in the order in which it is shown; `readmitted` left the group of the excluded. */
const kinds = [
  "registered",
  "renamed",
  "ranksGained",
  "ranksLost",
  "groupsGained",
  "groupsLost",
  "endsChanged",
  "alreadyEnded",
  "readmitted",
  "administratorsGained",
  "administratorsLost",
  "notInTheFile",
] as const;
type Note = (kind: (typeof kinds)[number], who: string) => void;

/** The people of each kind, such as `Ada GROVE:4`. */
export type People = Readonly<Record<string, readonly string[]>>;

/** Applies a roster to a draft. @throws Failure `PARAMETER_INVALID` with all faults of the file */
export async function applyRoster(
  draft: Draft,
  { only, ...file }: FileEdit & { readonly only?: readonly string[] | undefined },
  excludedGroup: string | undefined,
  now: number,
  slices: Slices,
): Promise<{ readonly people: People; readonly moves: readonly Move[] }> {
  const sheet = new Sheet(file, rosterColumns, ["name", ...(only ?? [])]);
  const counts = (column: string) => only?.includes(column) ?? sheet.columns.includes(column);
  const read = rosterReader(draft, sheet, counts, now);
  const listed: Listed[] = [];
  for (const row of sheet.rows) {
    if (slices.isOver) await slices.next();
    listed.push(read(row));
  }
  const absent = absentFrom(draft, listed, sheet);
  sheet.requireSound();

  const people = new Map(kinds.map((kind): [string, string[]] => [kind, []]));
  const note: Note = (kind, who) => people.get(kind)?.push(who);
  for (const { player, known, past } of listed) {
    const { name, administrator } = player;
    for (const word of past) note("alreadyEnded", `${name} ${word}`);
    if (administrator !== (known?.administrator ?? false))
      note(administrator ? "administratorsGained" : "administratorsLost", name);
    draft.players.put(player);
  }
  const named = listed.filter(({ player, known }) => known?.name !== player.name);
  const groupsBefore = new Map<string, Standings>();
  for (const { player } of named) {
    if (slices.isOver) await slices.next();
    groupsBefore.set(player.uuid, standingsOf(draft, player.uuid, now).groups);
    bindSubjects(draft, player);
  }
  renameCreators(
    draft,
    named.map(({ player }) => player),
  );
  for (const { name } of absent) note("notInTheFile", name);
  const none: Standings = new Map();
  const ended = absent.map((player) => ({
    ...{ player, known: player },
    ranks: counts("organisations") ? none : undefined,
    groups: counts("groups") ? none : undefined,
  }));
  const moves: Move[] = [];
  for (const { player, known, ranks, groups } of [...listed, ...(file.remove ? ended : [])]) {
    if (slices.isOver) await slices.next();
    const before = standingsOf(draft, player.uuid, now);
    const own = groupsBefore.get(player.uuid);
    // Who gets the name of somebody excluded is not readmitted: an export does not show the exclusion of a name that is not
    // registered.
    const isKept = (group: string) =>
      group === excludedGroup && (known === undefined || own?.has(group) === false);
    const kept = new Map([...before.groups].filter(([group]) => isKept(group)));
    const after = {
      ranks: ranks ?? before.ranks,
      groups: groups === undefined ? before.groups : new Map([...kept, ...groups]),
    };
    if (known?.name !== player.name) {
      const stay = known === undefined ? [...(groups === undefined ? before.groups : kept).keys()] : [];
      const next = groups === undefined ? "" : "; add that to the cell, or the next roster readmits";
      const already = stay.length === 0 ? "" : `already in ${allOf(stay)}${next}`;
      const taken = differences(own ?? none, before.groups).map(({ key }) => key);
      const takes = known === undefined || taken.length === 0 ? "" : `takes over ${allOf(taken)}`;
      const notes = [already, takes, formerNote(draft, player, now)].filter((text) => text !== "");
      const words = `${player.name}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
      if (known === undefined) note("registered", words);
      else note("renamed", `${known.name} to ${words}`);
    }
    setMemberships(draft, player, before, after, excludedGroup, note);
    const former = known && {
      ...{ administrator: known.administrator, ...before },
      groups: own ?? before.groups,
    };
    moves.push({ player, before: former, after: { administrator: player.administrator, ...after } });
  }
  return { people: Object.fromEntries(people), moves };
}

/** Returns the players whom a roster lacks, by name, and notes names and UUIDs that two have. */
function absentFrom(draft: Draft, listed: readonly Listed[], sheet: Sheet): Player[] {
  const uuids = new Set(listed.map(({ player }) => player.uuid));
  const lines = new Map<string, number>();
  for (const { player, known, at, uuidAt } of listed) {
    const { name, uuid } = player;
    if (name === "") continue;
    const holder = draft.players.find("name", fold(name)).find((other) => !uuids.has(other.uuid));
    const twin = lines.has(fold(name)) ? fold(name) : uuid;
    const what = twin === uuid ? `UUID ${uuid}` : `name ${name}`;
    if (holder !== undefined)
      sheet.fault(uuidAt, contradictionOf(holder, known?.name ?? formerName(draft, uuid)));
    else if (lines.has(twin)) sheet.fault(at, `the ${what} is also that of line ${lines.get(twin)}`);
    for (const one of [fold(name), uuid]) lines.set(one, sheet.lineOf(at));
  }
  return byName(Array.from(draft.players.values()).filter(({ uuid }) => !uuids.has(uuid)));
}

function setMemberships(
  draft: Draft,
  { name, uuid }: Player,
  before: ReturnType<typeof standingsOf>,
  after: ReturnType<typeof standingsOf>,
  excludedGroup: string | undefined,
  note: Note,
): void {
  for (const { key: organisation, was, is } of differences(before.ranks, after.ranks)) {
    if (is === undefined) draft.memberships.delete(`${organisation}/${uuid}`);
    else draft.memberships.put({ uuid, organisation, rank: is.rank, ...ending(is) });
    const [gained = 0, lost = 0] = [is?.rank, was?.rank];
    const kind = gained === lost ? "endsChanged" : gained > lost ? "ranksGained" : "ranksLost";
    note(kind, `${name} ${changeWords(organisation, was, is)}`);
  }
  for (const { key: group, was, is } of differences(before.groups, after.groups)) {
    const key = groupMemberKey(group, { name, uuid });
    const { until: _, ...known } = (was && draft.groupMembers.get(key)) ?? { group, name, uuid };
    if (is === undefined) draft.groupMembers.delete(key);
    else draft.groupMembers.put({ ...known, ...ending(is) });
    if (is === undefined && group === excludedGroup) note("readmitted", name);
    else {
      const kind = is && was ? "endsChanged" : is ? "groupsGained" : "groupsLost";
      note(kind, `${name} ${changeWords(group, was, is)}`);
    }
  }
}

function ending({ until }: Standing): { until?: number } {
  return until === undefined ? {} : { until };
}

/** Returns a membership in words: `GROVE:3 (was 2)`. */
function changeWords(name: string, was: Standing | undefined, is: Standing | undefined): string {
  if (is === undefined || was === undefined) return toWord(name, is ?? was ?? { rank: 0, until: undefined });
  const earlier = is.rank === was.rank ? toWord(name, was) : `${was.rank}${endWord(was.until)}`;
  return `${toWord(name, is)} (was ${earlier})`;
}

function differences(before: Standings, after: Standings) {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({ key, was: before.get(key), is: after.get(key) }))
    .filter(({ was, is }) => was?.rank !== is?.rank || endWord(was?.until) !== endWord(is?.until));
}
