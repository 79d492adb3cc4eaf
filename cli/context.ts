/** What every command is given. */

import type { Control } from "../src/control/control.ts";
import type { OperatorInput, OperatorReadName, OperatorResult } from "../src/operator/index.ts";
import type { Mode } from "./data/open-folder.ts";
import type { Workplace } from "./data/workspace.ts";
import type { IO } from "./terminal/io.ts";
import type { Output } from "./terminal/output.ts";

/** The surroundings of a command, and where it is carried out. */
export interface Session {
  readonly io: IO;
  readonly output: Output;
  workplace(): Workplace;
  /** Carries out an operation that reads. */
  look<N extends OperatorReadName>(name: N, input: OperatorInput<N>): Promise<OperatorResult<N>>;
  /** Runs `work` on the data. */
  withControl<T>(mode: Mode, work: (control: Control) => Promise<T>): Promise<T>;
}
