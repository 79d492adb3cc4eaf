/** What in a table refers to a group, a faction or a service, whose removal would make the table faulty. */
import type { Named } from "../../domain/model.ts";
import { fold } from "../../domain/text.ts";
import type { Route, Table } from "../table.ts";
import { withParts } from "./restriction.ts";
import { namedTexts } from "./situations.ts";

/** A name that a table can refer to. */
export type ReferredName = Pick<Named, "kind" | "name">;

export type References = ReturnType<typeof referencesTo>;

/** Returns the lists that have a name as a default, the paths of routes in the tables' order, and whether it is the excluded group. */
export function referencesTo(
  tables: readonly Pick<Table, "routes" | "excludedGroup" | "declared">[],
  wanted: ReferredName,
) {
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
  const compared = namedTexts(restriction, new Set(ofKind.map(({ name }) => name)));
  const members = withParts(restriction).flatMap((part) =>
    part.kind === "member" && part.of === wanted.kind && "name" in part.reference ? part.reference.name : [],
  );
  const defaults = ofKind.map((parameter) => parameter.default);
  return [...compared, ...members, ...defaults].some((value) => isSame(value, wanted));
}

function isSame(value: unknown, { name }: ReferredName): boolean {
  return typeof value === "string" && fold(value) === fold(name);
}
