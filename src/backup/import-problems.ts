/** The refusal of an import. A file of its own, since the control socket passes it on and loads nothing else of it. */
import { Failure } from "../domain/errors.ts";

/** Why a document can not be imported: every problem, a sentence each. */
export class ImportProblems extends Failure {
  readonly file: string;
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[]) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super("PARAMETER_INVALID", `${file} has ${count}; nothing was changed.`);
    this.file = file;
    this.problems = problems;
  }
}
