/** What a route table declares beside its routes: the operations that they serve follow from it. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { packaged } from "../../packaged.ts";
import { optional, text, typeSchema } from "../type-form.ts";
import { Types } from "../types.ts";
import type { Report } from "../yaml/fault.ts";
import { mapWith } from "../yaml/maps.ts";
import { readYAML } from "../yaml/read.ts";
import { unknownName } from "../yaml/wording.ts";
import { isNamed, type List, listsSchema, mostOf, toLists, usualEntries } from "./lists.ts";
import { type StatisticDeclarations, statisticEntries, toStatistics, watchSchema } from "./statistics.ts";

/** The keys of a table that declare operations. */
export const declarationEntries = {
  ...statisticEntries,
  lists: optional(listsSchema, "Lists of entries, by name; without it, the lists of the shipped table."),
  maxEntries: optional(
    mapWith({ targetlist: mostOf("The most targets"), houseban: mostOf("The most house bans") }),
    "The most entries of lists that are code; default: 1000 each.",
  ),
  houseban: optional(
    mapWith({ reasons: text("The list with the reasons: its key is a text, and it has a field days.") }),
    "How house bans use other lists.",
  ),
};

const shippedSchema = v.object({
  ...declarationEntries,
  watch: watchSchema,
  types: v.record(v.string(), typeSchema),
});
type Declared = Omit<v.InferOutput<typeof shippedSchema>, "types">;

/** What a table declares, without faults. */
export interface Declarations extends StatisticDeclarations {
  readonly lists: readonly List[];
  /** The most entries of lists that are code. */
  readonly maxEntries: { readonly targetlist: number; readonly houseban: number };
  /** The list with the reasons for house bans; undefined if there is none. */
  readonly houseBanReasons: List | undefined;
}

let shipped: Declarations | undefined;

/** Returns the declarations that a table without its own has: `data/defaults.yaml`. */
export function shippedDeclarations(): Declarations {
  shipped ??= readShipped();
  return shipped;
}

function readShipped(): Declarations {
  const text = readFileSync(packaged("data/defaults.yaml"), "utf8");
  const { value, report } = readYAML(text, { expected: "a map", schema: "core" });
  const declared = v.parse(shippedSchema, value);
  const none = { lists: [], statistics: [], ratios: [], events: [], scores: [], houseBanReasons: undefined };
  return toDeclarations(declared, new Types(declared.types, report), [], report, none);
}

/**
 * Returns what a table declares, and the shipped declarations instead of what it lacks. Reports faults.
 * @param resources the names of coded resources, which no list can have
 */
export function toDeclarations(
  declared: Declared,
  types: Types,
  resources: readonly string[],
  report: Report,
  others: Omit<Declarations, "maxEntries"> = shippedDeclarations(),
): Declarations {
  const lists =
    declared.lists === undefined ? others.lists : toLists(declared.lists, types, resources, report);
  const { targetlist = usualEntries, houseban = usualEntries } = declared.maxEntries ?? {};
  return {
    lists,
    maxEntries: { targetlist, houseban },
    houseBanReasons: toHouseBanReasons(declared, lists, others, report),
    ...toStatistics(declared, others, report),
  };
}

function toHouseBanReasons(
  { houseban, lists: own = {} }: Declared,
  lists: readonly List[],
  others: Pick<Declarations, "houseBanReasons">,
  report: Report,
): List | undefined {
  const name = houseban?.reasons ?? others.houseBanReasons?.name ?? "";
  const list = lists.find((known) => known.name === name);
  const days = list?.fields.find((field) => field.name === "days");
  if (list !== undefined && isNamed(list) && days?.type.base === "integer") return list;
  const names = lists.map((known) => known.name);
  const message =
    list === undefined
      ? unknownName("list", name, names)
      : `expected a list whose key is one text, with a whole number days, got "${name}"`;
  // One that is not among the lists although it is declared has a fault of its own.
  if (houseban !== undefined && (list !== undefined || !Object.hasOwn(own, name)))
    report(["houseban", "reasons"], message);
  return undefined;
}
