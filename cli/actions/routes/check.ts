/** Implements `routes check`. */
import { counted, numbered } from "../../../src/domain/text.ts";
import { faultsIn } from "../../../src/table-in-force/route-table.ts";
import type { Context } from "../../context.ts";
import { Reported } from "../../terminal/output.ts";
import { inspectTable } from "./table.ts";

/** Checks a file; the default is that of `--routes`. @throws Reported if it does not pass */
export async function checkFile(
  context: Context,
  given: string | undefined,
  { strict = false }: { strict?: boolean },
): Promise<void> {
  const { output, io } = context;
  const { file, table, revision, faults, warnings, text } = await inspectTable(context, given);
  const failed = faults.length > 0 || (strict && warnings.length > 0);
  const [code, count] =
    faults.length > 0
      ? ["TABLE_FAULTS", numbered(faults.length, "fault")]
      : ["TABLE_WARNINGS", numbered(warnings.length, "warning")];
  if (output.wantsJSON) {
    const failure = failed && { code, info: `${file} has ${count}.` };
    output.result({ ...failure, file, revision, routes: table?.routes.length ?? null, faults, warnings }, "");
  } else if (table === undefined) {
    await output.failure(faultsIn(file, faults, text));
  } else {
    await output.faults({ file, faults: warnings, text }, "warning");
    const label = output.style("red", "error:", io.stderr);
    const words = warnings.length === 0 ? "" : `, ${count}`;
    if (failed) output.remark(`${label} ${file} has ${count}, which --strict rejects.`);
    else output.result(undefined, `${file}: ${counted(table.routes.length, "route")}, no faults${words}.`);
  }
  if (failed) throw new Reported();
}
