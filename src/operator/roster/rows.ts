/**
 * The rows of a roster:
 *
 *     name,uuid,organisations,groups,administrator
 *     Ada,069a79f444e94726a5befca90e38aaf5,GROVE:4 RESCUE:2,VIP,yes
 */
import * as v from "valibot";
import type { Cell, Row, Sheet } from "../../backup/csv.ts";
import type { Player } from "../../domain/model.ts";
import { fold } from "../../domain/text.ts";
import { newUUID, toUUID } from "../../domain/uuid.ts";
import { namesOf } from "../../identity/memberships.ts";
import { formerPlayers } from "../../identity/players.ts";
import type { Draft } from "../../store/data.ts";
import { unknownName } from "../../table/yaml/wording.ts";
import { newPlayerName, rank } from "../input.ts";

/** The columns, in the order of an export. */
export const rosterColumns = ["name", "uuid", "organisations", "groups", "administrator"] as const;

/** A player in a roster. */
export interface Listed {
  /** Where the row begins. */
  readonly at: number;
  readonly player: Player;
  /** The player before; undefined for a new one. */
  readonly known: Player | undefined;
  /** Undefined if they stay as they are. */
  readonly ranks: ReadonlyMap<string, number> | undefined;
  readonly groups: ReadonlyMap<string, true> | undefined;
}

/** Reads rows, and notes the faults of their cells in the sheet. */
export class RosterReader {
  readonly #draft: Draft;
  readonly #sheet: Sheet;
  readonly #counts: (column: string) => boolean;
  readonly #names: Readonly<Record<"group" | "faction or service", readonly string[]>>;

  /** @param counts whether a column is to be applied */
  constructor(draft: Draft, sheet: Sheet, counts: (column: string) => boolean) {
    this.#draft = draft;
    this.#sheet = sheet;
    this.#counts = counts;
    const organisations = [...namesOf(draft, "faction"), ...namesOf(draft, "service")];
    this.#names = { group: namesOf(draft, "group"), "faction or service": organisations };
  }

  /** Reads a row. Its player is found by the UUID, or else by the name. */
  read(row: Row, now: number): Listed {
    const read = <T>(column: string, as: (cell: Cell) => T) => {
      const cell = row.get(column);
      return cell === undefined || !this.#counts(column) ? undefined : as(cell);
    };
    const { text = "", at = 0 } = row.get("name") ?? {};
    const name = text.normalize("NFC");
    const { players } = this.#draft;
    const stated = row.get("uuid");
    const uuid = stated === undefined || stated.text === "" ? undefined : this.#uuid(stated);
    const known = uuid === undefined ? players.find("name", fold(name))[0] : players.get(uuid);
    if (name === "") this.#sheet.fault(at, "expected a player name, got nothing");
    else if (this.#counts("name") && known?.name !== name) this.#checkNew(name, at);
    else if (known === undefined) this.#sheet.fault(at, `there is no player "${name}"`);
    // A former player keeps the UUID: removal and new registration must not end an exclusion.
    const fresh = () => uuid ?? formerPlayers(this.#draft, name)[0]?.uuid ?? newUUID();
    const former = known ?? { uuid: fresh(), name, administrator: false, registeredAt: now };
    const player = {
      ...former,
      name: this.#counts("name") ? name : former.name,
      administrator: read("administrator", (cell) => this.#flag(cell)) ?? former.administrator,
    };
    const ranks = read("organisations", (cell) => this.#ranks(cell));
    return { at, player, known, ranks, groups: read("groups", (cell) => this.#groups(cell)) };
  }

  #checkNew(name: string, at: number): void {
    const parsed = v.safeParse(newPlayerName, name);
    if (date.test(name)) this.#sheet.fault(at, `expected a player name, got the date "${name}"${asText}`);
    else if (!parsed.success) this.#sheet.fault(at, `${parsed.issues[0].message}, got "${name}"`);
  }

  #uuid({ text, at }: Cell): string | undefined {
    const uuid = toUUID(text);
    const advice = /^[\da-f]{1,31}$|^\d+([.,]\d+)?e\+?\d+$/i.test(text) ? asText : "";
    if (uuid === undefined)
      this.#sheet.fault(at, `expected a UUID of 32 hex digits, or nothing, got "${text}"${advice}`);
    return uuid;
  }

  #ranks(cell: Cell): Map<string, number> {
    const ranks = new Map<string, number>();
    for (const { text, at } of words(cell)) {
      const [, name, digits, end] = /^(.+?):(\d+)(@.*)?$/.exec(text) ?? [];
      const parsed = v.safeParse(rank, Number(digits));
      if (name === undefined) {
        this.#sheet.fault(at, `expected <organisation>:<rank>, such as GROVE:4, got "${text}"`);
        continue;
      }
      const organisation = this.#known("faction or service", { text: name, at });
      if (end !== undefined)
        this.#sheet.fault(at, `memberships do not end by themselves yet: leave out "${end}"`);
      if (!parsed.success) this.#sheet.fault(at, `${parsed.issues[0].message}, got ${digits}`);
      if (ranks.has(organisation)) this.#sheet.fault(at, `${organisation} is in the cell twice`);
      ranks.set(organisation, Number(digits));
    }
    return ranks;
  }

  #groups(cell: Cell): Map<string, true> {
    return new Map(words(cell).map((word) => [this.#known("group", word), true]));
  }

  #flag({ text, at }: Cell): boolean {
    if (!/^(?:yes|no|true|false|)$/i.test(text))
      this.#sheet.fault(at, `expected yes, no or nothing, got "${text}"`);
    return /^(?:yes|true)$/i.test(text);
  }

  /** Returns a name as it is seeded. */
  #known(kind: "group" | "faction or service", { text, at }: Cell): string {
    const known = this.#names[kind].find((name) => fold(name) === fold(text));
    if (known === undefined) this.#sheet.fault(at, unknownName(kind, text, this.#names[kind]));
    return known ?? text;
  }
}

const asText = ": a spreadsheet may have changed it; format the column as text";

/** What spreadsheets make of names such as `3-4` and `May7`. */
const month = "(?:jan|feb|m[aä]r|mrz|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])";
const date = new RegExp(
  `^(?:\\d{1,4}([./-])\\d{1,2}(?:\\1\\d{1,4})?|\\d{1,2}[-. ]+${month}|${month}[-. ]+\\d{2,4})$`,
  "iu",
);

function words({ text, at }: Cell): Cell[] {
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({ text: word, at: at + index }));
}
