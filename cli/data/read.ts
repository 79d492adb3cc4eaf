/**
 * What commands that only read ask of the data: of the service that runs on the folder, or else of its files as they
 * are. Opening the folder takes longer, and waits for another command that has it.
 */

import { connectControl } from "../../src/control/client.ts";
import type { OperatorInput, OperatorReadName, OperatorResult } from "../../src/operator/index.ts";
import type { Output } from "../terminal/output.ts";
import { withControl } from "./control.ts";
import type { Workplace } from "./workspace.ts";

/** Carries out an operation that reads. @throws Failure where it refuses */
export async function look<N extends OperatorReadName>(
  workplace: Workplace,
  output: Output,
  name: N,
  input: OperatorInput<N>,
): Promise<OperatorResult<N>> {
  const running = await connectControl(workplace.folder);
  if (running === undefined) {
    const { readData, readOffline } = await import("../../src/operator/offline.ts");
    // Files that can not be read as they are may be about to be replaced, or damaged: opening the folder tells.
    const seen = await readData(workplace.folder).catch(() => undefined);
    if (seen !== undefined) {
      for (const warning of seen.warnings) output.remark(`warning: ${warning}`);
      return readOffline(seen.data, name, input, Date.now());
    }
  }
  return withControl(workplace, output, "reads", (control) => control.administer(name, input));
}
