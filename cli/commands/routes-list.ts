/** `routes list`: every route with its restriction in words. */
import type { Command } from "commander";
import { describe } from "../../src/engine/restriction.ts";
import type { Session } from "../program.ts";
import { checkedTable, tableFile } from "../table.ts";

export function addListCommand(routes: Command, session: Session): void {
  routes
    .command("list")
    .description("list every route with its restriction and its parameters")
    .action(async () => {
      const table = await checkedTable(session, await tableFile(session, undefined));
      session.output.list(
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
}
