/**
 * What is legal in a table, but suspicious: it can be served, and may still not be what was meant. A route says with
 * `intended: [open-change]` that it is, the table with `unserved` which operations it leaves out.
 */
import { integerRange } from "../domain/limits.ts";
import { oneOf } from "../domain/text.ts";
import { type Fault, type intentions, type Path, parseTable, type RouteDeclaration } from "./document.ts";
import { needOf } from "./need.ts";
import type { Operation, Operations } from "./operation.ts";
import { implies } from "./restriction/implication.ts";
import { describe, isCompound, type Restriction } from "./restriction/restriction.ts";
import type { Route, Table } from "./table.ts";

type Intention = (typeof intentions)[number];

/**
 * What is suspicious:
 *
 * - `open-change`: a change that a public token can make
 * - `unknown-caller`: a change that keeps who made it, and that callers can make whom nobody knows
 * - `empty-group`: a restriction to a group that has no members
 * - `unheld-rank`: a rank that no member of the faction or service has, or that none can have
 * - `excluded-group`: a restriction to the group whose members may call nothing
 * - `player-condition`: a case for a player by name, which the player's UUID does not meet, or the other way round
 * - `redundant-part`: a part of an `allOf` that another part asks for anyway
 * - `unserved-operation`: operations that no route serves
 * - `not-needed`: an intention that says nothing, since there is nothing to warn of
 */
export type WarningKind = Intention | "unserved-operation" | "not-needed";

/** Something suspicious. Lines and columns count from 1. */
export interface Warning extends Fault {
  readonly kind: WarningKind;
}

/** What the table is looked at with. */
export interface WarningOptions {
  readonly operations: Operations;
  /** How many members each group has; without it, groups are not looked at. */
  readonly members?: ReadonlyMap<string, number> | undefined;
  /** The highest rank in each faction and service that has members; without it, only ranks that none can have are found. */
  readonly ranks?: HighestRanks | undefined;
}

/** The highest rank by the name of the faction or service, for those that have members. */
export type HighestRanks = Readonly<Record<"faction" | "service", ReadonlyMap<string, number>>>;

/** The highest rank that a member can have: ranks fit a signed 32-bit integer, as all numbers do. */
const highestRank = integerRange.maximum;

/** A restriction or a part of one, and where it stands. */
interface Place {
  readonly restriction: Restriction;
  readonly path: Path;
}

/** Everything suspicious, in the order of the file. @param text that of the table */
export function warningsOf(table: Table, text: string, options: WarningOptions): Warning[] {
  const { content, faults: places, report } = parseTable(text);
  const warnings: Warning[] = [];
  const warn = (kind: WarningKind, path: Path, message: string, where: "key" | "value" = "value") => {
    report(path, message, where);
    warnings.push({ ...(places.at(-1) as Fault), kind });
  };

  for (const route of table.routes) {
    const declaration = content?.routes[route.path];
    if (declaration !== undefined) warnOfRoute(route, declaration, table, options, warn);
  }
  const served = new Set(table.routes.map(({ handler }) => handler));
  const unserved = content?.unserved ?? [];
  if (table.missing.length > 0) warn("unserved-operation", ["routes"], missingWords(table.missing), "key");
  for (const [index, name] of unserved.entries()) {
    if (served.has(name)) warn("not-needed", ["unserved", index], `a route serves ${name}; leave this out`);
  }
  return warnings.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Which operations a table lacks, such as after an upgrade, and how to take them up. @param names at least one */
export function missingWords(names: readonly string[]): string {
  const them = names.length === 1 ? "its route" : "their routes";
  return (
    `no route serves ${oneOf(names, "and")}; copy ${them} from the routes.yaml that came with this version, ` +
    `or if that is meant, add "unserved: [${names.join(", ")}]"`
  );
}

function warnOfRoute(
  { path, restriction, operation, handler }: Route,
  declaration: RouteDeclaration,
  { excludedGroup }: Table,
  { members, ranks }: WarningOptions,
  warn: (kind: WarningKind, path: Path, message: string) => void,
): void {
  const at = ["routes", path];
  const places = [...placesIn(restriction, [...at, "restriction"], declaration.restriction)];
  const intended = new Set(declaration.intended);
  const found = new Set<Intention>();
  const suspect = (kind: Intention, place: Place, message: string) => {
    found.add(kind);
    if (!intended.has(kind))
      warn(kind, place.path, `${message}; if that is meant, add "intended: [${kind}]"`);
  };

  const open = permitsPublic(restriction)
    ? places.find((place) => place.restriction.kind === "open")
    : undefined;
  if (open !== undefined && operation.effect === "change") {
    suspect("open-change", open, `${handler} changes data, and everyone with a public token may call it`);
    if (operation.recordsCaller === true) {
      const message = `${handler} keeps who called it, and a public token does not tell who that is`;
      suspect("unknown-caller", open, message);
    }
  }
  for (const place of places) {
    const group = groupOf(place.restriction);
    if (group !== undefined && group === excludedGroup) {
      suspect("excluded-group", place, `members of the group ${group} may call nothing: this lets nobody in`);
    } else if (group !== undefined && members !== undefined && (members.get(group) ?? 0) === 0) {
      suspect("empty-group", place, `the group ${group} has no members: this lets nobody in`);
    }
    const rank = unheldRank(place.restriction, ranks);
    if (rank !== undefined)
      suspect("unheld-rank", { ...place, path: [...place.path.slice(0, -1), "rank"] }, rank);
    for (const at of playerConditions(place, operation)) {
      const message =
        "a player can be named by name and by UUID, so this case holds for one spelling only; use self or a group";
      suspect("player-condition", { ...place, path: at }, message);
    }
    for (const [index, words] of redundantParts(place.restriction)) {
      const message = `this part makes no difference: the part beside it, for ${words}, asks for it anyway`;
      suspect("redundant-part", { ...place, path: [...place.path, "allOf", index] }, message);
    }
  }
  for (const [index, kind] of (declaration.intended ?? []).entries()) {
    // Who is a member, and with which rank, is another thing tomorrow, and not known without data.
    if (found.has(kind) || kind === "empty-group" || kind === "unheld-rank") continue;
    const message = `there is nothing of the kind ${kind} here to be intended; leave it out`;
    warn("not-needed", [...at, "intended", index], message);
  }
}

/** Whether a public token is let in, in some case at least: only `open` does that, and in an `allOf` each part has to. */
function permitsPublic(restriction: Restriction): boolean {
  switch (restriction.kind) {
    case "anyOf":
      return restriction.restrictions.some(permitsPublic);
    case "allOf":
      return restriction.restrictions.every(permitsPublic);
    case "cases":
      return restriction.cases.some((each) => permitsPublic(each.restriction));
    default:
      return restriction.kind === "open";
  }
}

function groupOf(restriction: Restriction): string | undefined {
  if (restriction.kind !== "member" || restriction.of !== "group") return undefined;
  return "name" in restriction.reference ? restriction.reference.name : undefined;
}

/** Why nobody has the rank that a restriction asks for; undefined where somebody has, or where nobody is a member. */
function unheldRank(restriction: Restriction, ranks: HighestRanks | undefined): string | undefined {
  if (restriction.kind !== "member" || restriction.of === "group" || restriction.rank === undefined)
    return undefined;
  const { of, reference, rank } = restriction;
  if (rank > highestRank)
    return `nobody can have rank ${rank}; the highest that there can be is ${highestRank}`;
  const known = ranks?.[of] ?? new Map<string, number>();
  const held = "name" in reference ? [known.get(reference.name) ?? 0] : [...known.values()];
  const highest = Math.max(0, ...held);
  if (highest === 0 || rank <= highest) return undefined;
  const where = "name" in reference ? `the ${of} ${reference.name}` : `any ${of}`;
  return `nobody has rank ${rank} or higher in ${where}; the highest is ${highest}`;
}

/** Where cases depend on a parameter that names a player. */
function playerConditions({ restriction, path }: Place, operation: Operation): Path[] {
  if (restriction.kind !== "cases") return [];
  return restriction.cases.flatMap(({ when }, index) =>
    Object.keys(when ?? {})
      .filter((name) => needOf(operation, name)?.player === true)
      .map((name) => [...path, index, "when", name]),
  );
}

/** The parts of an `allOf` that another part implies, by index, each with the words for that one. Of equal parts the first is left. */
function redundantParts(restriction: Restriction): [index: number, words: string][] {
  if (restriction.kind !== "allOf") return [];
  const { restrictions } = restriction;
  return restrictions.flatMap((part, index): [number, string][] => {
    const other = restrictions.find(
      (each, place) => place !== index && implies(each, part) && (place < index || !implies(part, each)),
    );
    return other === undefined ? [] : [[index, describe(other)]];
  });
}

/** A restriction and its parts, each where it stands in the file. @param form the restriction as it is written there */
function* placesIn(restriction: Restriction, path: Path, form: unknown): Generator<Place> {
  if (isCompound(restriction)) {
    yield { restriction, path };
    const { kind } = restriction;
    const forms = childOf(form, kind);
    for (const [index, each] of restriction.restrictions.entries())
      yield* placesIn(each, [...path, kind, index], childOf(forms, index));
  } else if (restriction.kind === "cases") {
    yield { restriction, path };
    for (const [index, each] of restriction.cases.entries()) {
      const whole = childOf(form, index);
      const inner = childOf(whole, "restriction");
      const at = [...path, index];
      yield* inner === undefined
        ? placesIn(each.restriction, at, whole)
        : placesIn(each.restriction, [...at, "restriction"], inner);
    }
  } else if (restriction.kind === "member") {
    yield { restriction, path: [...path, restriction.of] };
  } else {
    yield { restriction, path };
  }
}

function childOf(form: unknown, key: string | number): unknown {
  if (typeof form !== "object" || form === null) return undefined;
  return Object.hasOwn(form, key) ? Reflect.get(form, key) : undefined;
}
