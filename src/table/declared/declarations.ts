/** What a route table declares beside its routes: the operations that they serve follow from it. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { packaged } from "../../packaged.ts";
import { optional, text, typeSchema } from "../type-form.ts";
import { toTypes } from "../types.ts";
import { mapWith } from "../yaml/maps.ts";
import { readYAML } from "../yaml/read.ts";
import { unknownName } from "../yaml/wording.ts";
import {
  type DeclarationContext,
  type Field,
  isNamed,
  type List,
  listsSchema,
  mostOf,
  mostPerCreator,
  toLists,
  usualEntries,
} from "./lists.ts";
import { type StatisticDeclarations, statisticEntries, toStatistics } from "./statistics.ts";

/** The keys of a table that declare operations. */
export const declarationEntries = {
  ...statisticEntries,
  lists: optional(listsSchema, "Lists of entries, by name; without it, the lists of the shipped table."),
  maxEntries: optional(
    mapWith({ targetlist: mostOf("The most targets"), houseban: mostOf("The most house bans") }),
    "The most entries of lists that are code; default: 1000 each.",
  ),
  maxEntriesPerCreator: optional(
    mapWith({
      targetlist: mostPerCreator("The most targets."),
      houseban: mostPerCreator("The most reasons of house bans that have not expired."),
    }),
    "The most entries that one player can add to lists that are code; default: as in the shipped table.",
  ),
  houseban: optional(
    mapWith({ reasons: text("The list with the reasons: its key is a text, and it has a field days.") }),
    "How house bans use other lists.",
  ),
};

const defaultsSchema = v.object({
  ...declarationEntries,
  types: v.record(v.string(), typeSchema),
});
type Declared = Omit<v.InferOutput<typeof defaultsSchema>, "types">;

/** What a table declares, without faults. */
export interface Declarations extends StatisticDeclarations {
  readonly lists: readonly List[];
  /** The most entries of lists that are code, and the most of one player. */
  readonly maxEntries: { readonly targetlist: number; readonly houseban: number };
  readonly maxEntriesPerCreator: NonNullable<Declared["maxEntriesPerCreator"]>;
  /** The list with the reasons for house bans; undefined if there is none. */
  readonly banReasons: List | undefined;
}

let defaults: Declarations | undefined;

/** Returns the declarations that a table without its own has: `routes.defaults.yaml`. */
export function defaultDeclarations(): Declarations {
  defaults ??= readDefaults();
  return defaults;
}

function readDefaults(): Declarations {
  const text = readFileSync(packaged("routes.defaults.yaml"), "utf8");
  const { value, report, textOf } = readYAML(text, { expected: "a map", schema: "core" });
  const declared = v.parse(defaultsSchema, value);
  const types = toTypes(declared.types, report);
  const none = { lists: [], statistics: [], ratios: [], events: [], scores: [], banReasons: undefined };
  const others = { ...none, maxEntriesPerCreator: {} };
  return toDeclarations(declared, { types, resources: [], report, textOf }, others);
}

/** Returns what a table declares, and the default declarations instead of what it lacks. Reports faults. */
export function toDeclarations(
  declared: Declared,
  context: DeclarationContext,
  others: Omit<Declarations, "maxEntries"> = defaultDeclarations(),
): Declarations {
  const { report } = context;
  const lists = declared.lists === undefined ? others.lists : toLists(declared.lists, context);
  const { targetlist = usualEntries, houseban = usualEntries } = declared.maxEntries ?? {};
  return {
    lists,
    maxEntries: { targetlist, houseban },
    maxEntriesPerCreator: { ...others.maxEntriesPerCreator, ...declared.maxEntriesPerCreator },
    banReasons: toBanReasons(declared, lists, others, report),
    ...toStatistics(declared, others, report),
  };
}

/** The most days of a reason: a ban with a thousand of them still ends at an instant. */
const mostDays = 36_500;

/** Whether a field has the days that a reason adds to a ban. */
export const isDays = ({ name }: Pick<Field, "name">) => name === "days";

function toBanReasons(
  { houseban, lists: own = {} }: Declared,
  lists: readonly List[],
  others: Pick<Declarations, "banReasons">,
  report: DeclarationContext["report"],
): List | undefined {
  const name = houseban?.reasons ?? others.banReasons?.name ?? "";
  const list = lists.find((known) => known.name === name);
  const { base, minimum = -1, maximum = mostDays + 1 } = list?.fields.find(isDays)?.type ?? {};
  const isFit = base === "integer" && minimum >= 0 && maximum <= mostDays;
  if (list !== undefined && isNamed(list) && isFit) return list;
  const names = lists.map((known) => known.name);
  const message =
    list === undefined
      ? unknownName("list", name, names)
      : `expected a list whose key is one text, with a whole number days from 0 to ${mostDays} at most, got "${name}"`;
  // One that is not among the lists although it is declared has a fault of its own.
  if (houseban !== undefined && (list !== undefined || !Object.hasOwn(own, name)))
    report(["houseban", "reasons"], message);
  return undefined;
}
