/**
 * Runs the operations of commands that only read: in the service that runs on the folder, or else on its files. Opening
 * the folder instead would take longer, and would wait for another command that has it open.
 */
import { connectControl } from "../../src/control/client.ts";
import type { OperatorInput, OperatorReadName, OperatorResult } from "../../src/operator/index.ts";
import type { Output } from "../terminal/output.ts";
import { withControl } from "./control.ts";
import type { Workspace } from "./workspace.ts";

/** Runs an operation that only reads. @throws Failure if it refuses */
export async function read<N extends OperatorReadName>(
  workspace: Workspace,
  output: Output,
  name: N,
  input: OperatorInput<N>,
): Promise<OperatorResult<N>> {
  const running = await connectControl(workspace.folder);
  if (running === undefined) {
    const { readOffline } = await import("../../src/operator/offline.ts");
    const warn = (warning: string) => output.remark(`warning: ${warning}`);
    const result = await readOffline(workspace.folder, name, input, warn);
    if (result !== undefined) return result;
  }
  // Opening the folder shows why its files cannot be read.
  return withControl(workspace, output, "reads", (control) => control.run(name, input));
}
