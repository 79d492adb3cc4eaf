/** The context of every command: its environment, its output, and the data. */
import type { Control, OperationInput, OperationName, OperationResult } from "../src/control/operations.ts";
import type { Info } from "../src/operator/define.ts";
import type { OperatorInput, OperatorReadName, OperatorResult } from "../src/operator/index.ts";
import type { Mode } from "./data/open-folder.ts";
import type { GlobalOptions, Workspace } from "./data/workspace.ts";
import type { IO } from "./terminal/io.ts";
import type { Output } from "./terminal/output.ts";

/** The names of the operations that return a sentence. */
export type ChangeName = {
  [N in OperationName]: OperationResult<N> extends Info ? N : never;
}[OperationName];

export interface Context {
  readonly io: IO;
  readonly output: Output;
  workspace(): Workspace;
  /** The options of every command, and the answer of `--yes` to a question. */
  options(): GlobalOptions & { readonly yes?: boolean };
  /** Ends the command for wrong usage. */
  misuse(message: string): never;
  /** Runs an operation that only reads. */
  read<N extends OperatorReadName>(name: N, input: OperatorInput<N>): Promise<OperatorResult<N>>;
  run<N extends OperationName>(mode: Mode, name: N, input: OperationInput<N>): Promise<OperationResult<N>>;
  /** Runs an operation that changes data, by default that of a folder with data, and prints the sentence that it returns. */
  change<N extends ChangeName>(name: N, input: OperationInput<N>, mode?: Mode): Promise<OperationResult<N>>;
  /** Runs `work` on the data, by more than one operation. */
  withControl<T>(mode: Mode, work: (control: Control) => Promise<T>): Promise<T>;
}
