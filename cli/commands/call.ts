/** `call`: any operation of the route table, as the operator or as a player. */
import type { Command } from "commander";
import { Failure, type FailureCode } from "../../src/domain/errors.ts";
import { parsePair, parsePath } from "../arguments/operation.ts";
import type { Session } from "../context.ts";
import { examples } from "../help.ts";
import { Reported } from "../terminal/output.ts";

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
      const { info, hint: said, code } = body as { info: string; hint?: string; code: FailureCode };
      // The answer is one for players, who learn nothing of the disk.
      const hint =
        code === "STORE_UNAVAILABLE" ? "`addon-cli data status` tells what is wrong with the disk." : said;
      // As JSON the answer is passed on as it is, with status and request id.
      if (program.opts<{ json: boolean }>().json) io.stdout.write(`${JSON.stringify(body)}\n`);
      else await output.failure(new Failure(code, info, hint === undefined ? {} : { hint }));
      throw new Reported();
    });
}
