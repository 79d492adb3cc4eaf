/**
 * Callers of tests of a table, described by their properties: `{ faction: GROVE, rank: 3 }`. Numbers and truth values are
 * texts here, as in the whole document.
 */
import * as v from "valibot";
import { fold, oneOf } from "../domain/text.ts";
import {
  type Caller,
  type MembershipKind,
  nobody,
  type Traits,
  toCaller,
  type Vocabulary,
} from "../table/caller.ts";
import type { Path, Report, Side } from "../table/yaml/fault.ts";
import { mapOf, mapWith } from "../table/yaml/maps.ts";
import { unknownName } from "../table/yaml/wording.ts";

const rankSchema = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,14}$/, "a whole number of 1 or more"),
  v.transform(Number),
);

export const callerSchema = mapWith({
  name: v.optional(v.pipe(v.string(), v.minLength(1, "a name"))),
  administrator: v.optional(
    v.pipe(
      v.picklist(["true", "false"]),
      v.transform((text) => text === "true"),
    ),
  ),
  faction: v.optional(v.string()),
  service: v.optional(v.string()),
  rank: v.optional(rankSchema),
  group: v.optional(v.string()),
  members: v.optional(mapOf(rankSchema)),
  groups: v.optional(v.array(v.string())),
});
export type CallerDescription = v.InferOutput<typeof callerSchema>;

/** A caller, and its name in a report. */
export interface DescribedCaller {
  /** `grove3 (rank 3 in GROVE)`. */
  readonly words: string;
  readonly caller: Caller;
}

const plainPlayer = { administrator: false, ranks: new Map(), groups: new Set<string>() };

export const builtInCallers: ReadonlyMap<string, DescribedCaller> = new Map([
  ["public", { words: "public (a public token)", caller: nobody }],
  ["player", named("player", { words: inWords(plainPlayer), caller: toCaller(plainPlayer) })],
]);

/** Gives a described caller a name, for reports. */
export function named(name: string, { words, caller }: DescribedCaller): DescribedCaller {
  return { words: `${name} (${words})`, caller };
}

/** Parses a description. Reports faults, and omits what has one. */
export function describedCaller(
  form: CallerDescription,
  path: Path,
  vocabulary: Vocabulary,
  report: Report,
): DescribedCaller {
  const nameOf = (kinds: readonly MembershipKind[], typed: string, at: Path, side?: Side) => {
    const names = kinds.flatMap((kind) => vocabulary[kind]);
    const found = names.find((known) => fold(known) === fold(typed));
    return found ?? report(at, unknownName(oneOf(kinds), typed, names), side);
  };
  const ranks = new Map<string, { readonly rank: number }>();
  const join = (kinds: readonly MembershipKind[], typed: string, as: number, at: Path, side?: Side) => {
    const found = nameOf(kinds, typed, at, side);
    if (found !== undefined && ranks.has(found)) report(at, `duplicate membership in ${found}`, side);
    else if (found !== undefined) ranks.set(found, { rank: as });
  };
  const { faction, service, rank, group, members = {}, groups: others = [] } = form;
  if (rank !== undefined && faction === undefined && service === undefined)
    report([...path, "rank"], '"rank" belongs beside "faction" or "service"', "key");
  // A member without a rank has the lowest.
  if (faction !== undefined) join(["faction"], faction, rank ?? 1, [...path, "faction"]);
  if (service !== undefined) join(["service"], service, rank ?? 1, [...path, "service"]);
  for (const [typed, as] of Object.entries(members))
    join(["faction", "service"], typed, as, [...path, "members", typed], "key");
  const found = group === undefined ? [] : [nameOf(["group"], group, [...path, "group"])];
  for (const [index, typed] of others.entries())
    found.push(nameOf(["group"], typed, [...path, "groups", index]));
  const groups = new Set(found.filter((known) => known !== undefined));

  const { name, administrator = false } = form;
  const traits = { name, administrator, ranks, groups };
  return { words: inWords(traits), caller: toCaller(traits) };
}

function inWords({ name, administrator, ranks, groups }: Traits): string {
  const words = [
    ...(administrator ? ["administrator"] : []),
    ...Array.from(ranks, ([of, { rank }]) => `rank ${rank} in ${of}`),
    ...Array.from(groups.keys(), (group) => `member of ${group}`),
    ...(name === undefined ? [] : [`named ${name}`]),
  ];
  return words.length === 0 ? "a player without memberships" : words.join(", ");
}
