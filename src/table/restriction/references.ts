/** What in a table refers to a group, a faction or a service, whose removal would make the table faulty. */
import { fold } from "../../domain/text.ts";
import type { MembershipKind } from "../caller.ts";
import type { Route, Table } from "../table.ts";
import { type Restriction, withParts } from "./restriction.ts";

/** A name that a table can refer to. */
export interface ReferredName {
  readonly kind: MembershipKind;
  readonly name: string;
}

/** What in some tables refers to a name. */
export interface References {
  /** The paths of routes, in the tables' order. */
  readonly routes: readonly string[];
  /** The lists that have it as a default. */
  readonly lists: readonly string[];
  /** Whether it is the excluded group. */
  readonly isExcluded: boolean;
}

/** Returns what refers to a name. */
export function referencesTo(
  tables: readonly Pick<Table, "routes" | "excludedGroup" | "declared">[],
  wanted: ReferredName,
): References {
  const referring = tables.flatMap(({ routes }) => routes.filter((route) => refersTo(route, wanted)));
  const lists = tables.flatMap(({ declared }) =>
    declared.lists.filter(({ fields }) =>
      fields.some((field) => field.type.base === wanted.kind && isSame(field.default, wanted)),
    ),
  );
  return {
    lists: [...new Set(lists.map(({ name }) => name))],
    routes: [...new Set(referring.map(({ path }) => path))],
    isExcluded: wanted.kind === "group" && tables.some(({ excludedGroup }) => isSame(excludedGroup, wanted)),
  };
}

function refersTo({ restriction, parameters }: Route, wanted: ReferredName): boolean {
  const ofKind = parameters.filter(({ type }) => type.base === wanted.kind);
  if (ofKind.some((parameter) => isSame(parameter.default, wanted))) return true;
  const names = new Set(ofKind.map(({ name }) => name));
  return restrictionRefersTo(restriction, wanted, names);
}

/** @param parameters the names of the parameters whose values are names of the wanted kind */
function restrictionRefersTo(
  restriction: Restriction,
  wanted: ReferredName,
  parameters: ReadonlySet<string>,
): boolean {
  return withParts(restriction).some((part) => {
    if (part.kind === "member")
      return part.of === wanted.kind && "name" in part.reference && isSame(part.reference.name, wanted);
    if (part.kind !== "cases") return false;
    const compared = part.cases.flatMap(({ when }) => Object.entries(when ?? {}));
    return compared.some(([name, value]) => parameters.has(name) && isSame(value, wanted));
  });
}

function isSame(value: unknown, { name }: ReferredName): boolean {
  return typeof value === "string" && fold(value) === fold(name);
}
