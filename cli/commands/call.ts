/** `call`: runs an operation of the route table, as the operator or as a player. */
import { Failure } from "../../src/domain/errors.ts";
import { asArgument } from "../../src/domain/text.ts";
import { parsePair, parsePath } from "../arguments/operation.ts";
import type { CLICommand } from "../command.ts";
import { Reported } from "../terminal/output.ts";

export function addCallCommand(program: CLICommand): void {
  const { output, run } = program.context;
  program
    .command("call")
    .description("run any operation of the route table, as the operator or as a player")
    .argument("<path>", "without the prefix, such as /targetlist", parsePath)
    .argument("[name=value...]", "the operation's parameters", parsePair)
    .option("--as <player>", "call it as this player: name or UUID")
    .examples("call /wantedreason/add reason=Theft points=10", "call /blacklistreason/GROVE --as Ada")
    .action(async (path: string, parameters: [string, string][] = [], options: { as?: string }) => {
      const result = await run("edits", "call", { path, parameters, as: options.as });
      if (result.ok) {
        const { body } = result;
        const text = "info" in body ? String(body.info) : JSON.stringify(body, undefined, 2);
        output.verbatim(body, text);
        return;
      }
      const { info: ownInfo, hint: ownHint, code } = result.body;
      // The answer is written for players: it speaks to them, and names no cause.
      const hints: Readonly<Record<string, string>> = {
        STORE_UNAVAILABLE:
          "Try again. `addon-cli health` and `addon-cli data status` show a cause that lasts.",
        EXCLUDED: `\`addon-cli player readmit ${asArgument(String(options.as))}\` ends the exclusion.`,
      };
      const hint = hints[code] ?? ownHint;
      const info = code === "EXCLUDED" ? ownInfo.replace(/^You are\b/, `${options.as} is`) : ownInfo;
      // As JSON, the answer is printed unchanged, with status and request id.
      if (output.wantsJSON) output.verbatim(result.body, "");
      else await output.failure(new Failure(code, info, { hint }));
      throw new Reported();
    });
}
