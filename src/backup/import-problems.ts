/** The refusal of an import. The control socket uses it and loads nothing else of the import. */
import { Failure } from "../domain/errors.ts";

/** Why a document cannot be imported: every problem, a sentence each. */
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
