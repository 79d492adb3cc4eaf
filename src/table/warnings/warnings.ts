/**
 * Warnings: what is valid in a table, but possibly not intended. A route declares with `intended: [open-change]` what is
 * intended, and the table with `unserved` which operations it leaves without a route.
 */
import { integerRange } from "../../domain/limits.ts";
import { allOf } from "../../domain/text.ts";
import type { Finding } from "../declared/entries.ts";
import type { ParsedDocument } from "../document.ts";
import type { Operation } from "../operation.ts";
import { requirementOf } from "../requirement.ts";
import { publicAccessOf } from "../restriction/access.ts";
import { implies } from "../restriction/implication.ts";
import { applies, describe, type Restriction, withParts } from "../restriction/restriction.ts";
import type { Route, Table } from "../table.ts";
import { type Fault, inOrder, type Path, type Side, toFault } from "../yaml/fault.ts";
import type { Intention, WarningKind } from "./kinds.ts";

/** A warning, and where it is. */
export interface Warning extends Fault {
  readonly kind: WarningKind;
}

/** What is known of the data. */
export interface WarningOptions {
  /** What the lists mean for the entries in the data. */
  readonly findings?: readonly Finding[];
  /** The number of members of each group; without it there is no `empty-group`. */
  readonly members?: ReadonlyMap<string, number> | undefined;
  /** Without it, `unheld-rank` has only ranks that no member can have. */
  readonly ranks?: HighestRanks | undefined;
}

/** The highest rank of a member, by the name of the faction or service; for those that have members. */
export type HighestRanks = Readonly<Record<"faction" | "service", ReadonlyMap<string, number>>>;

/** The highest rank that a member can have: ranks are integers of the interface. */
const highestRank = integerRange.maximum;

interface Place {
  readonly restriction: Restriction;
  readonly path: Path;
}

/** Returns all warnings about a table, in the order of its file. */
export function warningsOf(table: Table, document: ParsedDocument, options: WarningOptions): Warning[] {
  const { content, locate } = document;
  const warnings: Warning[] = [];
  const warn = (kind: WarningKind, path: Path, message: string, side?: Side) =>
    warnings.push({ ...toFault(locate(path, side), message), kind });

  for (const route of table.routes) {
    const declaration = content?.routes[route.path];
    const places = placesIn(route.restriction, document);
    warnOfRoute(route, places, declaration?.intended ?? [], table, options, warn);
  }
  const unserved = content?.unserved ?? [];
  if (table.missing.length > 0) warn("unserved-operation", ["routes"], missingWords(table.missing), "key");
  for (const { path, message, isFault } of options.findings ?? [])
    if (!isFault) warn("kept-entries", path, message, "key");
  for (const [index, name] of unserved.entries()) {
    const words = name.includes(".") ? `a route serves ${name}` : `routes serve all of ${name}`;
    if (table.needless.includes(name)) warn("not-needed", ["unserved", index], `${words}; leave this out`);
  }
  return inOrder(warnings);
}

/** Returns which operations, at least one, have no route, such as after an upgrade or a new declaration, and what to do. */
export function missingWords(names: readonly string[]): string {
  const what = names.length === 1 ? "one" : "one for each";
  return (
    `no route serves ${allOf(names)}; add ${what} (the routes.yaml of this version has those of shipped operations), ` +
    `or if this is intended, add "unserved: [${names.join(", ")}]"`
  );
}

function warnOfRoute(
  { path, restriction, operation, handler }: Route,
  places: readonly Place[],
  intended: readonly Intention[],
  { excludedGroup }: Table,
  { members, ranks }: WarningOptions,
  warn: (kind: WarningKind, path: Path, message: string) => void,
): void {
  const at = ["routes", path];
  const found = new Set<Intention>();
  const suspect = (kind: Intention, place: Place, message: string) => {
    found.add(kind);
    if (!intended.includes(kind))
      warn(kind, place.path, `${message}; if this is intended, add "intended: [${kind}]"`);
  };

  // Of all restrictions, only `open` allows public tokens.
  const isPublic = publicAccessOf(restriction) !== "no";
  const open = isPublic ? places.find((place) => place.restriction.kind === "open") : undefined;
  if (open !== undefined && operation.effect === "change") {
    suspect("open-change", open, `${handler} changes data, and everyone with a public token may call it`);
    if (operation.recordsCaller === true) {
      const message = `${handler} stores who called it, and a public token does not identify its holder`;
      suspect("unknown-caller", open, message);
    }
  }
  for (const place of places) {
    const group = groupOf(place.restriction);
    if (group !== undefined && group === excludedGroup) {
      suspect(
        "excluded-group",
        place,
        `members of the group ${group} may call nothing, so this allows nobody`,
      );
    } else if (group !== undefined && members !== undefined && (members.get(group) ?? 0) === 0) {
      suspect("empty-group", place, `the group ${group} has no members, so this allows nobody`);
    }
    const rank = unheldRank(place.restriction, ranks);
    if (rank !== undefined)
      suspect("unheld-rank", { ...place, path: [...place.path.slice(0, -1), "rank"] }, rank);
    for (const at of playerConditions(place, operation)) {
      const message =
        "a player can be named by name or by UUID, and this case applies to one of them only; use self or a group";
      suspect("player-condition", { ...place, path: at }, message);
    }
    for (const [index, earlier] of unreachableCases(place.restriction)) {
      const message = `this case never applies, because case ${earlier + 1} does wherever it would; to allow several, use anyOf in one case`;
      suspect("unreachable-case", { ...place, path: [...place.path, index, "when"] }, message);
    }
    for (const [index, words] of redundantParts(place.restriction)) {
      const message = `this part is redundant: the part for ${words} implies it`;
      suspect("redundant-part", { ...place, path: [...place.path, "allOf", index] }, message);
    }
  }
  for (const [index, kind] of intended.entries()) {
    // Members and ranks change every day, and are unknown without data.
    if (found.has(kind) || kind === "empty-group" || kind === "unheld-rank") continue;
    const message = `there is no warning ${kind} here; leave this out`;
    warn("not-needed", [...at, "intended", index], message);
  }
}

function groupOf(restriction: Restriction): string | undefined {
  if (restriction.kind !== "member" || restriction.of !== "group") return undefined;
  return "name" in restriction.reference ? restriction.reference.name : undefined;
}

/** Returns why nobody has the rank of a restriction; undefined if somebody has, or if there are no members at all. */
function unheldRank(restriction: Restriction, ranks: HighestRanks | undefined): string | undefined {
  if (restriction.kind !== "member" || restriction.of === "group" || restriction.rank === undefined)
    return undefined;
  const { of, reference, rank } = restriction;
  if (rank > highestRank) return `nobody can have rank ${rank}; the highest possible rank is ${highestRank}`;
  const known = ranks?.[of] ?? new Map<string, number>();
  const held = "name" in reference ? [known.get(reference.name) ?? 0] : [...known.values()];
  const highest = Math.max(0, ...held);
  if (highest === 0 || rank <= highest) return undefined;
  const where = "name" in reference ? `the ${of} ${reference.name}` : `any ${of}`;
  return `nobody has rank ${rank} or higher in ${where}; the highest is ${highest}`;
}

/** Returns where cases compare a parameter that names a player. */
function playerConditions({ restriction, path }: Place, operation: Operation): Path[] {
  if (restriction.kind !== "cases") return [];
  return restriction.cases.flatMap(({ when }, index) =>
    Object.keys(when ?? {})
      .filter((name) => requirementOf(operation, name)?.player === true)
      .map((name) => [...path, index, "when", name]),
  );
}

/** Returns the cases that never apply, each with the earlier one that does instead, by index. */
function unreachableCases(restriction: Restriction): [index: number, earlier: number][] {
  if (restriction.kind !== "cases") return [];
  const { cases } = restriction;
  return cases.flatMap(({ when }, index): [number, number][] => {
    const earlier =
      when === undefined ? -1 : cases.slice(0, index).findIndex((other) => applies(other, when));
    return earlier === -1 ? [] : [[index, earlier]];
  });
}

/** Returns the parts of an `allOf` that another part implies, by index, each with that part in words. Of equal parts, the first stays. */
function redundantParts(restriction: Restriction): [index: number, words: string][] {
  if (restriction.kind !== "allOf") return [];
  const { restrictions } = restriction;
  return restrictions.flatMap((part, index): [number, string][] => {
    const other = restrictions.find(
      (twin, place) => place !== index && implies(twin, part) && (place < index || !implies(part, twin)),
    );
    return other === undefined ? [] : [[index, describe(other)]];
  });
}

/** Returns a restriction and its parts, each with its place; that of a member at the key that says of what. */
function placesIn(restriction: Restriction, { places }: ParsedDocument): Place[] {
  return withParts(restriction).map((part) => {
    const path = places.get(part) ?? [];
    return { restriction: part, path: part.kind === "member" ? [...path, part.of] : path };
  });
}
