/**
 * Callers of tests of a table, described by their properties: `{ faction: GROVE, rank: 3 }`. Numbers and truth values are
 * texts here, as in the whole document.
 */
import * as v from "valibot";
import { fold, oneOf } from "../domain/text.ts";
import {
  type Caller,
  type MembershipKind,
  membershipKinds,
  nobody,
  type Traits,
  toCaller,
  type Vocabulary,
} from "../table/caller.ts";
import type { Path, Report } from "../table/yaml/fault.ts";
import { unknownName } from "../table/yaml/wording.ts";

const rankSchema = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,8}$/, "a whole number of 1 or more"),
  v.transform(Number),
);

/** The form of a description. `objectWithRest` reports every unknown key, a strict object only the first. */
export const callerSchema = v.objectWithRest(
  {
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
    members: v.optional(v.record(v.string(), rankSchema)),
    groups: v.optional(v.array(v.string())),
  },
  v.never(),
);
export type CallerDescription = v.InferOutput<typeof callerSchema>;

/** A caller, and its name in a report. */
export interface DescribedCaller {
  /** `grove3 (rank 3 in GROVE)`. */
  readonly words: string;
  readonly caller: Caller;
}

const plainPlayer = { administrator: false, ranks: new Map<string, number>(), groups: new Set<string>() };

/** The built-in callers. */
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
  const ranks = new Map<string, number>();
  const { faction, service, rank, members = {} } = form;
  const join = (kinds: readonly MembershipKind[], typed: string, as: number, at: Path, where?: "key") => {
    const name = knownName(kinds, typed, vocabulary);
    if (name === undefined) report(at, unknownWords(kinds, typed, vocabulary), where);
    else if (ranks.has(name)) report(at, `duplicate membership in ${name}`, where);
    else ranks.set(name, as);
  };
  if (rank !== undefined && faction === undefined && service === undefined) {
    report([...path, "rank"], '"rank" belongs beside "faction" or "service"', "key");
  } else if (rank !== undefined && faction !== undefined && service !== undefined) {
    const instead = `members: { ${faction}: ${rank}, ${service}: ${rank} }`;
    report([...path, "rank"], `ambiguous rank of a faction and a service; write "${instead}"`, "key");
  }
  // A member without a rank has the lowest.
  if (faction !== undefined) join(["faction"], faction, rank ?? 1, [...path, "faction"]);
  if (service !== undefined) join(["service"], service, rank ?? 1, [...path, "service"]);
  for (const [typed, as] of Object.entries(members)) {
    join(["faction", "service"], typed, as, [...path, "members", typed], "key");
  }

  const groups = new Set<string>();
  const enter = (typed: string, at: Path) => {
    const name = knownName(["group"], typed, vocabulary);
    if (name === undefined) report(at, unknownWords(["group"], typed, vocabulary));
    else groups.add(name);
  };
  if (form.group !== undefined) enter(form.group, [...path, "group"]);
  for (const [index, typed] of (form.groups ?? []).entries()) enter(typed, [...path, "groups", index]);

  const { name, administrator = false } = form;
  const traits = { name, administrator, ranks, groups };
  return { words: inWords(traits), caller: toCaller(traits) };
}

function inWords({ name, administrator, ranks, groups }: Traits & { groups: Iterable<string> }): string {
  const words = [
    ...(administrator ? ["administrator"] : []),
    ...Array.from(ranks, ([of, rank]) => `rank ${rank} in ${of}`),
    ...Array.from(groups, (group) => `member of ${group}`),
    ...(name === undefined ? [] : [`named ${name}`]),
  ];
  return words.length === 0 ? "a player without memberships" : words.join(", ");
}

function namesOf(kinds: readonly MembershipKind[], vocabulary: Vocabulary): readonly string[] {
  return kinds.flatMap((kind) => vocabulary[kind]);
}

function knownName(kinds: readonly MembershipKind[], typed: string, vocabulary: Vocabulary) {
  return namesOf(kinds, vocabulary).find((name) => fold(name) === fold(typed));
}

function unknownWords(kinds: readonly MembershipKind[], typed: string, vocabulary: Vocabulary): string {
  const actual = membershipKinds.find((kind) => knownName([kind], typed, vocabulary) !== undefined);
  if (actual !== undefined) return `expected a ${oneOf(kinds)}, got the ${actual} "${typed}"`;
  return unknownName(oneOf(kinds), typed, namesOf(kinds, vocabulary));
}
