/** `routes check`: what is wrong with a route table, and what is suspicious in it. */
import type { Command } from "commander";
import { TableFaults } from "../../src/route-table.ts";
import { countOf } from "../faults.ts";
import { examples } from "../help.ts";
import { Reported } from "../output.ts";
import type { Session } from "../session.ts";
import { type LookedThrough, lookThrough, tableFile } from "../table.ts";

export function addCheckCommand(routes: Command, session: Session): void {
  routes
    .command("check")
    .description("check the route table: every fault, and what is suspicious, with line and column")
    .argument("[file]", "the table; by default that of --routes")
    .addHelpText("after", examples("routes check", "routes check next.yaml --strict"))
    .option("--strict", "fail on warnings, too")
    .addHelpText(
      "after",
      `
Faults keep a table from being served. Warnings are of what is legal but suspicious:
  open-change         a change that everyone with a public token may make
  unknown-caller      one that keeps who made it, where a public token does not tell
  empty-group         a restriction to a group without members, in the data at hand
  unserved-operation  operations that no route serves
  not-needed          an intention that says nothing
A route says "intended: [open-change]" where it is meant, and the table "unserved: [mgmt.users]" at its top.`,
    )
    .action(async (given: string | undefined, { strict = false }: { strict?: boolean }) => {
      const file = await tableFile(session, given);
      const looked = await lookThrough(session, file);
      const failed = looked.faults.length > 0 || (strict && looked.warnings.length > 0);
      if (session.output.wantsJSON) {
        session.output.result(toDocument(file, looked, failed), "");
      } else {
        show(session, file, looked, failed);
      }
      if (failed) throw new Reported();
    });
}

function toDocument(file: string, { table, revision, faults, warnings }: LookedThrough, failed: boolean) {
  const failure = failed && {
    code: faults.length > 0 ? "TABLE_FAULTS" : "TABLE_WARNINGS",
    info: `${file} has ${faults.length > 0 ? countOf(faults.length, "fault") : countOf(warnings.length, "warning")}.`,
  };
  return { ...failure, file, revision, routes: table?.routes.length ?? null, faults, warnings };
}

function show({ output, io }: Session, file: string, looked: LookedThrough, failed: boolean): void {
  const { table, faults, warnings, text } = looked;
  if (table === undefined) {
    output.failure(new TableFaults(file, faults, text));
    return;
  }
  output.faults(warnings, file, text, "warning");
  const count = countOf(warnings.length, "warning");
  if (failed) {
    const label = output.style("red", "error:", io.stderr);
    output.remark(`${label} ${file} has ${count}, which --strict does not let pass.`);
    return;
  }
  const words = warnings.length === 0 ? "" : `, ${count}`;
  output.result(undefined, `${file}: ${table.routes.length} routes, no faults${words}.`);
}
