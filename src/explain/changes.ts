/** The changes between two route tables, in words: their routes, parameters and settings. */
import { isDeepStrictEqual } from "node:util";
import { lengthsOf, type ParameterType, rangeOf } from "../table/base-types.ts";
import type { Field, List } from "../table/declared/lists.ts";
import { limitNames, limitWords } from "../table/limits.ts";
import type { Parameter } from "../table/parameters.ts";
import { describe } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { isMap } from "../table/yaml/wording.ts";

/** Something of each of two tables. */
export interface BeforeAfter<T> {
  readonly before: T;
  readonly after: T;
}

/** The text before and after a change; null if it did not exist. */
export interface Change {
  readonly before: string | null;
  readonly after: string | null;
}

export interface NamedChange extends Change {
  readonly name: string;
}

export type RouteChange = Readonly<NonNullable<ReturnType<typeof changeOfRoute>>>;

/** Returns how a route changes, or undefined if it does not. What is unchanged is null. */
export function changeOfRoute(path: string, { before, after }: BeforeAfter<Route | undefined>) {
  const changed = (of: (route: Route) => string | undefined) =>
    change(before && of(before), after && of(after));
  const parameters = valueChanges([], parametersOf(before), parametersOf(after));
  const changes = {
    path,
    /** In words. */
    restriction: changed((route) => describe(route.restriction)),
    handler: changed((route) => route.handler),
    summary: changed((route) => route.summary),
    /** The route's own limit, such as `10/s, burst 60` or `off`. */
    limit: changed(({ limit }) => limit && limitWords(limit)),
    parameters,
    /** Whether it refuses calls that it accepted because of their parameters, or takes another value for one they leave out. */
    narrows: before !== undefined && after !== undefined && narrows(before, after),
  };
  if (before === undefined) return { ...changes, change: "added" as const };
  if (after === undefined) return { ...changes, change: "removed" as const };
  const { restriction, handler, summary, limit } = changes;
  const isSame = [restriction, handler, summary, limit].every((difference) => difference === null);
  const decides = !isDeepStrictEqual(before.restriction, after.restriction);
  return isSame && parameters.length === 0 && !decides
    ? undefined
    : { ...changes, change: "changed" as const };
}

function narrows(before: Route, after: Route): boolean {
  const own = new Map(after.parameters.map((parameter) => [parameter.name, parameter]));
  const known = new Set(before.parameters.map(({ name }) => name));
  return (
    after.parameters.some((parameter) => parameter.default === undefined && !known.has(parameter.name)) ||
    before.parameters.some(({ name, type, default: fallback }) => {
      const present = own.get(name);
      if (present === undefined || narrowsType(type, present.type)) return true;
      return fallback !== undefined && fallback !== present.default;
    })
  );
}

function narrowsType(before: ParameterType, after: ParameterType): boolean {
  const boundsOf = (type: ParameterType) => ({ ...lengthsOf(type), ...rangeOf(type) });
  const [old, fresh] = [boundsOf(before), boundsOf(after)];
  return (
    before.base !== after.base ||
    (after.pattern !== undefined && String(before.pattern) !== String(after.pattern)) ||
    (before.roundsDown === true && after.roundsDown !== true) ||
    (after.values !== undefined && before.values?.every((value) => after.values?.includes(value)) !== true) ||
    fresh.minLength > old.minLength ||
    fresh.maxLength < old.maxLength ||
    fresh.minimum > old.minimum ||
    fresh.maximum < old.maximum
  );
}

function change(before: string | undefined, after: string | undefined): Change | null {
  return before === after ? null : { before: before ?? null, after: after ?? null };
}

/** Returns the parameters of a route in words, by name. */
function parametersOf(route: Route | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(route?.parameters.map((own) => [own.name, parameterWords(own)]) ?? []);
}

/** Returns a parameter's type in words: "integer, minimum 1, maximum 30, default 7". */
function parameterWords({ type, default: fallback }: Pick<Parameter, "type" | "default">): string {
  const { base, name: _name, description: _description, roundsDown, values, ...refinements } = type;
  const bounds = { ...refinements, round: roundsDown && "down" };
  const words = Object.entries(bounds).flatMap(([key, value]) =>
    value === undefined ? [] : `${key} ${value}`,
  );
  const listed = values === undefined ? [] : [`of ${values.join(" ")}`];
  return [base, ...listed, ...words, ...(fallback === undefined ? [] : [`default ${fallback}`])].join(", ");
}

/** Returns the settings that change, by their keys in the table: `prefix`, `limits.reads`, `lists.plates.maxEntries`. */
export function settingsChanged({ before, after }: BeforeAfter<Table>): NamedChange[] {
  return valueChanges([], settingsOf(before), settingsOf(after));
}

/** Returns all of a table but its routes, in words; of what it declares, by name. */
function settingsOf({ declared, ...table }: Table) {
  const { prefix, language, product, title, excludedGroup, invitations, stream, pages, limits } = table;
  const { lists, maxEntries, maxEntriesPerCreator, banReasons, ...others } = declared;
  const { statistics, ratios, events, scores } = others;
  return {
    ...{ prefix, language, product, title, excluded: excludedGroup, invitations: invitations?.valid.words },
    stream: stream && `at most ${stream.most}`,
    pages: Object.fromEntries(pages.map(({ path, operation }) => [path, `shows ${operation}`])),
    limits: Object.fromEntries(limitNames.map((name) => [name, limitWords(limits[name])])),
    lists: byName(lists.map(listWords)),
    ...{ maxEntries, maxEntriesPerCreator, houseban: { reasons: banReasons?.name } },
    ...{ statistics: byName(statistics), ratios: byName(ratios), scores: byName(scores) },
    events: Object.fromEntries(
      events.map(({ name, field, lead, ...event }) => [name, { ...event, name: field, lead: lead.words }]),
    ),
  };
}

function listWords({ key, fields, order, keep, ...list }: List) {
  const fieldWords = ({ list, reserved }: Field) => [
    ...(list === undefined ? [] : [`of ${list}`]),
    ...(reserved.length === 0 ? [] : [`reserved ${reserved.join(" ")}`]),
  ];
  return {
    ...list,
    key: key.map(({ name }) => name),
    fields: Object.fromEntries(
      fields.map((field) => [field.name, [parameterWords(field), ...fieldWords(field)].join(", ")]),
    ),
    order: order.map(({ field, descending }) => `${descending ? "-" : ""}${field.name}`),
    keep: keep && `${keep.field.name}: ${keep.best}`,
  };
}

function byName<T extends { readonly name: string }>(all: readonly T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(all.map((one) => [one.name, one]));
}

/** What answers have in the order of the table. */
const ordered = /^(?:statistics|ratios|events|scores|lists\.[^.]+\.fields)$/;

/** Returns what differs in two values; of two maps, also the order of the keys that both have, if answers follow it. */
function valueChanges(path: readonly string[], before: unknown, after: unknown): NamedChange[] {
  if (isMap(before) && isMap(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    // A name can be that of a property of every object.
    const own = (map: Record<string, unknown>, key: string) =>
      Object.hasOwn(map, key) ? map[key] : undefined;
    const common = (map: object, other: object) =>
      Object.keys(map).filter((key) => Object.hasOwn(other, key));
    const order = ordered.test(path.join("."))
      ? valueChanges(path, common(before, after), common(after, before))
      : [];
    return [
      ...order,
      ...[...keys].flatMap((key) => valueChanges([...path, key], own(before, key), own(after, key))),
    ];
  }
  if (isDeepStrictEqual(before, after)) return [];
  return [{ name: path.join("."), before: valueWords(before), after: valueWords(after) }];
}

function valueWords(value: unknown): string | null {
  if (value === undefined) return null;
  return isMap(value) ? "declared" : [value].flat().join(" ");
}
