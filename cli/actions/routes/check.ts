/** What `routes check` does. */
import { TableFaults } from "../../../src/table-in-force/route-table.ts";
import type { Session } from "../../context.ts";
import { countOf } from "../../terminal/excerpts.ts";
import { Reported } from "../../terminal/output.ts";
import { type LookedThrough, lookThrough, tableFile } from "./table.ts";

/** What is checked, and how strictly. */
export interface CheckOptions {
  /** Whether warnings fail as well. */
  readonly strict?: boolean;
}

/** Checks a file, by default that of `--routes`. @throws Reported where it does not pass */
export async function checkFile(
  session: Session,
  given: string | undefined,
  { strict = false }: CheckOptions,
): Promise<void> {
  const file = await tableFile(session, given);
  const looked = await lookThrough(session, file);
  const failed = looked.faults.length > 0 || (strict && looked.warnings.length > 0);
  if (session.output.wantsJSON) {
    session.output.result(toDocument(file, looked, failed), "");
  } else {
    await show(session, file, looked, failed);
  }
  if (failed) throw new Reported();
}

function toDocument(file: string, { table, revision, faults, warnings }: LookedThrough, failed: boolean) {
  const failure = failed && {
    code: faults.length > 0 ? "TABLE_FAULTS" : "TABLE_WARNINGS",
    info: `${file} has ${faults.length > 0 ? countOf(faults.length, "fault") : countOf(warnings.length, "warning")}.`,
  };
  return { ...failure, file, revision, routes: table?.routes.length ?? null, faults, warnings };
}

async function show(
  { output, io }: Session,
  file: string,
  looked: LookedThrough,
  failed: boolean,
): Promise<void> {
  const { table, faults, warnings, text } = looked;
  if (table === undefined) {
    await output.failure(new TableFaults(file, faults, text));
    return;
  }
  await output.faults(warnings, file, text, "warning");
  const count = countOf(warnings.length, "warning");
  if (failed) {
    const label = output.style("red", "error:", io.stderr);
    output.remark(`${label} ${file} has ${count}, which --strict does not let pass.`);
    return;
  }
  const words = warnings.length === 0 ? "" : `, ${count}`;
  output.result(undefined, `${file}: ${table.routes.length} routes, no faults${words}.`);
}
