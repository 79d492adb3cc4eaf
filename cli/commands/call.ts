/** `call`: any operation of the route table, as the operator or as a player. */
import { type Command, InvalidArgumentError } from "commander";
import { Failure, type FailureCode } from "../../src/errors.ts";
import { examples } from "../help.ts";
import { Reported } from "../output.ts";
import type { Session } from "../session.ts";

function parsePair(text: string, previous: readonly [string, string][] = []): [string, string][] {
  const separator = text.indexOf("=");
  if (separator < 1) throw new InvalidArgumentError("Expected is name=value, such as reason=Theft.");
  return [...previous, [text.slice(0, separator), text.slice(separator + 1)]];
}

function parsePath(text: string): string {
  if (!text.startsWith("/")) {
    throw new InvalidArgumentError("Expected is a path without its prefix, such as /wantedreason/add.");
  }
  if (/[?#]/.test(text)) {
    throw new InvalidArgumentError("Write parameters behind the path, as name=value.");
  }
  return text;
}

export function addCallCommand(program: Command, { io, output, withControl }: Session): void {
  program
    .command("call")
    .description("run any operation of the route table, as the operator or as a player")
    .argument("<path>", "without the prefix, such as /targetlist", parsePath)
    .argument("[name=value...]", "the operation's parameters", parsePair)
    .option("--as <player>", "call it as this player: name or UUID")
    .addHelpText(
      "after",
      examples("call /wantedreason/add reason=Theft points=10", "call /blacklistreason/GROVE --as Ada"),
    )
    .action(async (path: string, pairs: [string, string][] = [], options: { as?: string }) => {
      const { ok, body } = await withControl("changes", (control) => control.call(path, pairs, options.as));
      if (ok) {
        const text = "info" in body ? String(body.info) : JSON.stringify(body, undefined, 2);
        output.result(body, text);
        return;
      }
      const { info, hint, code } = body as { info: string; hint?: string; code: FailureCode };
      // As JSON the answer is passed on as it is, with status and request id.
      if (program.opts<{ json: boolean }>().json) io.stdout.write(`${JSON.stringify(body)}\n`);
      else output.failure(new Failure(code, info, hint === undefined ? {} : { hint }));
      throw new Reported();
    });
}
