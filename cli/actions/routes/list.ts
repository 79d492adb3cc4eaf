/** Implements `routes list`. */
import { Failure } from "../../../src/domain/errors.ts";
import { allOf, compareTexts, didYouMean, fold } from "../../../src/domain/text.ts";
import { publicCaller } from "../../../src/identity/callers.ts";
import { isExcluded } from "../../../src/table/authorization.ts";
import { type Caller, toCaller } from "../../../src/table/caller.ts";
import { type Access, accessOf } from "../../../src/table/restriction/access.ts";
import { describe } from "../../../src/table/restriction/restriction.ts";
import type { Route, Table } from "../../../src/table/table.ts";
import type { Context } from "../../context.ts";
import { tableInForce } from "../../data/served-table.ts";
import type { Columns } from "../../terminal/output.ts";
import { toMarkdown } from "./markdown.ts";
import { checkedTable, vocabularyOf } from "./table.ts";

type Row = ReturnType<typeof toRow>;

const columns: Columns<Row> = {
  PATH: ({ path }) => path,
  RESTRICTION: ({ restriction }) => restriction,
  PARAMETERS: ({ parameters }) => parameters.map(({ name }) => name).join(" ") || "-",
};
const columnsFor: Columns<Row> = {
  PATH: ({ path }) => path,
  MAY: ({ may, dependsOn = [] }) => (may === "depends" ? `depends on ${allOf(dependsOn)}` : "yes"),
  ...columns,
};

export async function listRoutes(
  context: Context,
  { resource, for: who, markdown: isMarkdown }: { resource?: string; for?: string; markdown?: boolean },
): Promise<void> {
  const { file, table } = await checkedTable(context);
  const served = await tableInForce(context.workspace());
  if (served !== undefined && served.revision !== table.revision)
    context.output.remark(`${file} is not in force: the service has revision ${served.revision}.`);
  const chosen = ofResource(table.routes, resource);
  const verdicts = who === undefined ? undefined : await verdictsFor(context, table, chosen, who);
  const routes = chosen.filter((route) => verdicts?.get(route) !== "no");
  if (isMarkdown === true) {
    const markdown = toMarkdown(routes, table.excludedGroup);
    context.output.verbatim({ markdown }, markdown);
    return;
  }
  const rows = routes.map((route) => toRow(route, verdicts?.get(route)));
  context.output.list(rows, verdicts === undefined ? columns : columnsFor, `${who} may call none of them.`);
}

/** @param may whether the caller of `--for` may call it; then the row has the parameters on which that depends */
function toRow(route: Route, may: Access | undefined) {
  const dependsOn = may === "depends" ? [...route.decisive] : [];
  return {
    path: route.path,
    restriction: describe(route.restriction),
    parameters: route.parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      type: parameter.type.name,
      ...(parameter.default === undefined ? {} : { default: parameter.default }),
    })),
    summary: route.summary,
    ...(may === undefined ? {} : { may, dependsOn }),
  };
}

/** Returns the routes of a resource. @throws Failure if there are none */
function ofResource(routes: readonly Route[], wanted: string | undefined): readonly Route[] {
  if (wanted === undefined) return routes;
  const resourceOf = ({ path }: Route) => path.split("/")[1] ?? "";
  const name = fold(wanted.replace(/^\//, ""));
  const found = routes.filter((route) => fold(resourceOf(route)) === name);
  if (found.length > 0) return found;
  const known = [...new Set(routes.map(resourceOf))].sort(compareTexts);
  throw new Failure("UNKNOWN_PATH", `There is no resource "${wanted}".${didYouMean(wanted, known)}`, {
    hint: `Known resources: ${allOf(known)}.`,
  });
}

/** Returns whether a caller may call each route. @throws Failure `UNKNOWN_PLAYER` */
async function verdictsFor(
  context: Context,
  table: Table,
  routes: readonly Route[],
  who: string,
): Promise<ReadonlyMap<Route, Access>> {
  const caller = fold(who) === "public" ? publicCaller({ id: "-" }) : await playerCaller(context, who);
  const vocabulary = await vocabularyOf(context);
  const excluded = isExcluded(table, caller);
  return new Map(
    routes.map((route) => [route, excluded ? "no" : accessOf(route.restriction, caller, vocabulary)]),
  );
}

async function playerCaller({ read }: Context, player: string): Promise<Caller> {
  const { members, groups, ...shown } = await read("player.show", { player });
  const ranks = new Map(members.map((member) => [member.organisation, member]));
  return toCaller({ ...shown, ranks, groups: new Set(groups) });
}
