/** `routes check`: what is wrong with a route table. */
import type { Command } from "commander";
import type { Session } from "../program.ts";
import { checkedTable, tableFile } from "../table.ts";

export function addCheckCommand(routes: Command, session: Session): void {
  routes
    .command("check")
    .description("check the route table: every fault, with line and column")
    .argument("[file]", "the table; by default that of --routes")
    .action(async (given: string | undefined) => {
      const file = await tableFile(session, given);
      const { routes: all, revision } = await checkedTable(session, file);
      session.output.result(
        { file, routes: all.length, revision, faults: [] },
        `${file}: ${all.length} routes, no faults.`,
      );
    });
}
