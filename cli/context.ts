/** The context of every command: its environment, its output, and the data. */
import type { Control } from "../src/control/control.ts";
import type { OperatorInput, OperatorReadName, OperatorResult } from "../src/operator/index.ts";
import type { Mode } from "./data/open-folder.ts";
import type { Workspace } from "./data/workspace.ts";
import type { IO } from "./terminal/io.ts";
import type { Output } from "./terminal/output.ts";

/** See the head of this file. */
export interface Context {
  readonly io: IO;
  readonly output: Output;
  workspace(): Workspace;
  /** Runs an operation that only reads. */
  read<N extends OperatorReadName>(name: N, input: OperatorInput<N>): Promise<OperatorResult<N>>;
  /** Runs `work` on the data. */
  withControl<T>(mode: Mode, work: (control: Control) => Promise<T>): Promise<T>;
}
