/** `routes`: the route table as people read it, and what is wrong with it. */
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Vocabulary } from "../../src/engine/caller.ts";
import { describe } from "../../src/engine/restriction.ts";
import { readTable, TableFaults } from "../../src/route-table.ts";
import { checkRoutes, readSeed } from "../../src/service.ts";
import type { Session } from "../program.ts";

export function addRoutesCommands(program: Command, session: Session): void {
  const { io, output, workplace } = session;
  const routes = program.command("routes").description("list and check the route table");

  routes
    .command("list")
    .description("list every route with its restriction and its parameters")
    .action(async () => {
      const { table } = await checked(session, await workplace().routesFile());
      output.list(
        table.routes.map((route) => ({
          path: route.path,
          restriction: describe(route.restriction),
          parameters: route.parameters.map((each) => ({
            name: each.name,
            in: each.in,
            type: each.type.name,
          })),
          summary: route.summary,
        })),
        [
          { heading: "PATH", cell: ({ path }) => path },
          { heading: "RESTRICTION", cell: ({ restriction }) => restriction },
          {
            heading: "PARAMETERS",
            cell: ({ parameters }) => parameters.map(({ name }) => name).join(" ") || "-",
          },
        ],
        "The table has no routes.",
      );
    });

  routes
    .command("check")
    .description("check the route table: every fault, with line and column")
    .argument("[file]", "the table; by default that of --routes")
    .action(async (given: string | undefined) => {
      const file = given === undefined ? await workplace().routesFile() : resolve(io.cwd, given);
      const { table } = await checked(session, file);
      const { length } = table.routes;
      output.result(
        { file, routes: length, revision: table.revision, faults: [] },
        `${file}: ${length} routes, no faults.`,
      );
    });
}

async function checked(session: Session, file: string) {
  const { table, faults } = checkRoutes(await readTable(file), await vocabulary(session));
  if (table === undefined) throw new TableFaults(file, faults);
  return { table };
}

/** The names that the data has; before there is data, those that it would be seeded with. */
async function vocabulary({ workplace, withControl }: Session): Promise<Vocabulary> {
  if (await workplace().hasData()) return withControl("reads", (control) => control.vocabulary());
  const { groups, factions, services } = await readSeed(await workplace().seedFile());
  return { group: groups ?? [], faction: factions ?? [], service: services ?? [] };
}
