/**
 * The rows of a roster:
 *
 *     name,uuid,organisations,groups,administrator
 *     Ada,069a79f444e94726a5befca90e38aaf5,GROVE:4 RESCUE:2@2026-12-01T00:00Z,VIP,yes
 */
import * as v from "valibot";
import { type Cell, type Row, type Sheet, toCell } from "../../backup/csv.ts";
import { latestEnd, toInstant } from "../../domain/instant.ts";
import type { Player } from "../../domain/model.ts";
import { allOf, fold } from "../../domain/text.ts";
import { newUUID, toUUID } from "../../domain/uuid.ts";
import { namesOf, type Standing, type Standings, standingsOf } from "../../identity/memberships.ts";
import { formerPlayers } from "../../identity/players.ts";
import type { Draft } from "../../store/data.ts";
import { quote } from "../../table/parameters.ts";
import { unknownName } from "../../table/yaml/wording.ts";
import { newPlayerName, rank } from "../input.ts";
import { toWord } from "./standing.ts";

type Kind = "group" | "faction or service";

/** The earliest end that a cell can have: what reads as an earlier one was not meant as such. */
const earliestEnd = Date.UTC(2000, 0);

/** A player in a roster. Without ranks or groups, those of the player stay as they are. */
export type Listed = ReturnType<ReturnType<typeof rosterReader>>;

/**
 * Returns a function that reads a row, and notes the faults of its cells in the sheet.
 * @param counts whether a column is to be applied
 */
export function rosterReader(draft: Draft, sheet: Sheet, counts: (column: string) => boolean, now: number) {
  const folded = (...names: readonly string[]) => new Map(names.map((name) => [fold(name), name]));
  /** The names as they are seeded, by the folded ones. */
  const seeded: Readonly<Record<Kind, ReadonlyMap<string, string>>> = {
    group: folded(...namesOf(draft, "group")),
    "faction or service": folded(...namesOf(draft, "faction"), ...namesOf(draft, "service")),
  };

  function checkNew(name: string, at: number): void {
    const parsed = v.safeParse(newPlayerName, name);
    const got = `got ${quote(name)}`;
    if (converted.test(name))
      sheet.fault(at, `expected a player name, ${got}${asText}, or use \`player add\``);
    else if (!parsed.success) sheet.fault(at, `${parsed.issues[0].message}, ${got}`);
  }

  function toStated({ text, at }: Cell): string | undefined {
    const uuid = toUUID(text);
    const advice = /^[\da-f]{1,31}$|^\d+([.,]\d+)?e\+?\d+$/i.test(text) ? asText : "";
    if (uuid === undefined)
      sheet.fault(at, `expected a UUID of 32 hex digits, or nothing, got ${quote(text)}${advice}`);
    return uuid;
  }

  /**
   * Returns the memberships of a cell. One that has ended since the file was written is as it is now: a sheet may keep it.
   * @param present returns those of the player now
   * @param past gets those that have ended, with what they are now
   */
  function toMemberships(
    kind: Kind,
    cell: Cell,
    present: () => Standings,
    past: string[],
  ): Map<string, Standing> {
    const all = new Map<string, Standing>();
    for (const { 0: word, index } of cell.text.matchAll(/\S+/g)) {
      const at = cell.at + index;
      const form = kind === "group" ? /^(.+?)()(?:@(\d[^@]*))?$/ : /^(.+?):(\d+)(?:@(.*))?$/;
      // A group can be called TEAM@1.
      const isGroup = kind === "group" && seeded.group.has(fold(word));
      const [, typed, digits, end] = isGroup ? [word, word, ""] : (form.exec(word) ?? []);
      if (typed === undefined) {
        sheet.fault(at, `expected <organisation>:<rank>, such as GROVE:4, got ${quote(word)}`);
        continue;
      }
      const name = seeded[kind].get(fold(typed));
      if (name === undefined) sheet.fault(at, unknownName(kind, typed, [...seeded[kind].values()]));
      const parsed = kind === "group" ? undefined : v.safeParse(rank, Number(digits));
      if (parsed?.success === false) sheet.fault(at, `${parsed.issues[0].message}, got ${digits}`);
      const stated = end === undefined ? undefined : toInstant(end);
      // A year alone, or seconds since 1970, would be milliseconds.
      const isValid = stated === undefined || (stated >= earliestEnd && stated <= latestEnd);
      if (!isValid) {
        const expected =
          stated > latestEnd ? "an end before the year 10000" : "an end with date, time and zone";
        sheet.fault(at, `expected ${expected}, such as @2099-12-31T00:00Z, got ${quote(`@${end}`)}`);
      }
      const known = name ?? typed;
      if (all.has(known)) sheet.fault(at, `${known} is in the cell twice`);
      all.set(known, { rank: Number(digits), until: isValid ? stated : undefined });
    }
    for (const [name, standing] of all) {
      if (standing.until === undefined || standing.until > now) continue;
      const kept = present().get(name);
      if (kept === undefined) all.delete(name);
      else all.set(name, kept);
      past.push(`${toWord(name, standing)}${kept === undefined ? "" : ` (stays ${toWord(name, kept)})`}`);
    }
    return all;
  }

  function toFlag({ text, at }: Cell): boolean {
    if (!/^(?:yes|no|true|false|)$/i.test(text))
      sheet.fault(at, `expected yes, no or nothing, got ${quote(text)}`);
    return /^(?:yes|true)$/i.test(text);
  }

  return (row: Row) => {
    // Its player is found by the UUID, or else by the name.
    const read = <T>(column: string, as: (cell: Cell) => T) => {
      const cell = row.get(column);
      return cell === undefined || !counts(column) ? undefined : as(cell);
    };
    const { text = "", at = 0 } = row.get("name") ?? {};
    const { players } = draft;
    const stated = row.get("uuid");
    const uuid = stated === undefined || stated.text === "" ? undefined : toStated(stated);
    const holder = players.find("name", fold(text))[0];
    const known = uuid === undefined ? holder : players.get(uuid);
    // Only a UUID makes another spelling a new name. The name in older data may be one that a cell cannot have.
    const isSame = known !== undefined && (uuid === undefined || toCell(known.name) === text);
    const name = isSame ? known.name : text.normalize("NFC");
    if (name === "") sheet.fault(at, "expected a player name, got nothing");
    else if (counts("name") && known?.name !== name) checkNew(name, at);
    else if (known === undefined && holder === undefined) sheet.fault(at, `there is no player "${name}"`);
    // A former player keeps the UUID: removal and new registration must not end an exclusion.
    const fresh = () => {
      if (uuid !== undefined) return uuid;
      const removed = formerPlayers(draft, name);
      const uuids = removed.map((player) => player.uuid);
      if (removed.length > 1)
        sheet.fault(at, `several removed players were called ${name}: ${allOf(uuids)}; give the UUID`);
      return uuids[0] ?? newUUID();
    };
    const former = known ?? { uuid: fresh(), name, administrator: false, registeredAt: now };
    const player: Player = {
      ...former,
      name: counts("name") ? name : former.name,
      administrator: read("administrator", toFlag) ?? former.administrator,
    };
    const past: string[] = [];
    const present = () => standingsOf(draft, player.uuid, now);
    const ranks = read("organisations", (cell) =>
      toMemberships("faction or service", cell, () => present().ranks, past),
    );
    const groups = read("groups", (cell) => toMemberships("group", cell, () => present().groups, past));
    return { at, uuidAt: stated?.at ?? at, player, known, ranks, groups, past };
  };
}

const asText = ": a spreadsheet may have changed it; format the column as text";

/** What spreadsheets make of names such as `3-4-26`, `May7` and `1E5`. */
const month = "(?:jan|feb|m[aä]r|mrz|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])";
const converted = new RegExp(
  `^(?:\\d{1,4}([./-])\\d{1,2}\\1\\d{1,4}|\\d{1,2}[-. ]+${month}|${month}[-. ]+\\d{2,4}|\\d[.,]?\\d*E\\+\\d+)$`,
  "iu",
);
