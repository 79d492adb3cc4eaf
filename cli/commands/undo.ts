/** `undo`: takes one change back. */
import { type Command, InvalidArgumentError } from "commander";
import type { Session } from "../session.ts";

function parseNumber(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("Expected is the number of a change, as `addon-cli audit` shows it.");
}

export function addUndoCommand(program: Command, { output, withControl }: Session): void {
  program
    .command("undo")
    .description("take a change back, where its records still have the values that it gave them")
    .argument("<number>", "of the change, as `audit` shows it", parseNumber)
    .addHelpText("after", "\nExample:\n  $ addon-cli undo 42\n\nIt is a change itself, and can be undone.")
    .action(async (number: number) => {
      const result = await withControl("reads", (control) => control.undo(number));
      output.result(result, result.info);
    });
}
