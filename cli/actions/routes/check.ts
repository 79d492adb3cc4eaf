/** Implements `routes check`. */
import { faultsIn } from "../../../src/table-in-force/route-table.ts";
import type { Context } from "../../context.ts";
import { countOf } from "../../terminal/excerpts.ts";
import { Reported } from "../../terminal/output.ts";
import { type InspectedTable, inspectTable, tableFile } from "./table.ts";

/** Checks a file; the default is that of `--routes`. @throws Reported if it does not pass */
export async function checkFile(
  context: Context,
  given: string | undefined,
  { strict = false }: { strict?: boolean },
): Promise<void> {
  const file = await tableFile(context, given);
  const inspected = await inspectTable(context, file);
  const failed = inspected.faults.length > 0 || (strict && inspected.warnings.length > 0);
  if (context.output.wantsJSON) {
    context.output.result(toDocument(file, inspected, failed), "");
  } else {
    await show(context, file, inspected, failed);
  }
  if (failed) throw new Reported();
}

function toDocument(file: string, { table, revision, faults, warnings }: InspectedTable, failed: boolean) {
  const failure = failed && {
    code: faults.length > 0 ? "TABLE_FAULTS" : "TABLE_WARNINGS",
    info: `${file} has ${faults.length > 0 ? countOf(faults.length, "fault") : countOf(warnings.length, "warning")}.`,
  };
  return { ...failure, file, revision, routes: table?.routes.length ?? null, faults, warnings };
}

async function show(
  { output, io }: Context,
  file: string,
  inspected: InspectedTable,
  failed: boolean,
): Promise<void> {
  const { table, faults, warnings, text } = inspected;
  if (table === undefined) {
    await output.failure(faultsIn(file, faults, text));
    return;
  }
  await output.faults({ file, faults: warnings, text }, "warning");
  const count = countOf(warnings.length, "warning");
  if (failed) {
    const label = output.style("red", "error:", io.stderr);
    output.remark(`${label} ${file} has ${count}, which --strict rejects.`);
    return;
  }
  const words = warnings.length === 0 ? "" : `, ${count}`;
  output.result(undefined, `${file}: ${table.routes.length} routes, no faults${words}.`);
}
