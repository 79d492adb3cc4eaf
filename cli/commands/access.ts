/** `can-i` and `who-can`: explain how the route table applies to callers. */
import { Argument } from "commander";
import { counted } from "../../src/domain/text.ts";
import type { Decision } from "../../src/explain/can-i.ts";
import type { Allowed, WhoCan } from "../../src/explain/who-can.ts";
import { parsePair, parsePath, tableOption, tableText } from "../arguments/operation.ts";
import type { CLICommand } from "../command.ts";
import type { Context } from "../context.ts";
import { Reported } from "../terminal/output.ts";

export function addAccessCommands(program: CLICommand): void {
  const { context } = program;
  const { output, run } = context;
  const tableOf = async ({ table }: { table?: string }) =>
    table === undefined ? undefined : tableText(context, table);
  const decisive = "parameters; only those on which the restriction depends are required";
  const parametersArgument = () => new Argument("[name=value...]", decisive).argParser(parsePair);
  program
    .command("can-i")
    .description("show whether a caller may call an operation, and why; exits with 0 for yes and 1 for no")
    .argument("<player|public>", "name or UUID, or `public` for a public token")
    .argument("<path>", "without the prefix, such as /targetlist/add", parsePath)
    .addArgument(parametersArgument())
    .option("--read-only", "decide for a read-only token, which allows no changes")
    .addOption(tableOption())
    .examples("can-i Ada /blacklistreason/GROVE/add", "can-i public /houseban advanced=true")
    .action(
      async (
        who: string,
        path: string,
        parameters: [string, string][] = [],
        options: { table?: string; readOnly?: boolean },
      ) => {
        const [table, { readOnly }] = [await tableOf(options), options];
        const decision = await run("reads", "can-i", { who, path, parameters, table, readOnly });
        output.result(decision, decisionText(context, decision));
        if (!decision.allowed) throw new Reported();
      },
    );

  program
    .command("who-can")
    .description("list everyone who may call an operation")
    .argument("<path>", "without the prefix; may contain placeholders", parsePath)
    .addArgument(parametersArgument())
    .addOption(tableOption())
    .examples("who-can /wantedreason/add", "who-can /blacklistreason/{factionString}/add")
    .action(async (path: string, parameters: [string, string][] = [], options: { table?: string }) => {
      const answer = await run("reads", "who-can", { path, parameters, table: await tableOf(options) });
      output.result(answer, whoText(context, answer));
    });
}

/** The width of the longest name of a step. */
const labelWidth = "parameters".length;

function decisionText({ output }: Context, decision: Decision): string {
  const { allowed, caller, code, steps, parameters } = decision;
  const path = decision.path.replace(/\{(\w+)\}/g, (braces, name: string) => `${parameters[name] ?? braces}`);
  const who = caller === "public" ? "a public token" : caller;
  const verdict = allowed
    ? `${output.style("green", "yes")}: ${who} may call ${path}.`
    : `${output.style("red", "no")}: ${who} may not call ${path} (${code}).`;
  const lines = steps.map(({ step, passed, says }, index) => {
    const mark = passed === null ? " " : passed ? output.style("green", "+") : output.style("red", "-");
    const label = steps[index - 1]?.step === step && step === "enough" ? "or" : step;
    return `  ${mark} ${label.padEnd(labelWidth)}  ${says}`;
  });
  return [verdict, ...lines].join("\n");
}

function whoText({ output }: Context, answer: WhoCan): string {
  const { path, restriction, readOnly, parameters, allowed, registered, excluded } = answer;
  const given = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  const lines = [`${output.style("bold", [path, ...given].join(" "))}: ${restriction}`];
  for (const group of allowed) {
    const when = Object.entries(group.when).map(([name, words]) => `${name}=${words}`);
    const heading = when.length === 0 ? "" : `${output.style("bold", when.join(" "))}: `;
    lines.push(`${heading}${countText(group, registered)}`, ...group.players.map(({ name }) => `  ${name}`));
    if (group.public) lines.push("  every public token");
  }
  if (!allowed.some((group) => group.public)) lines.push("Public tokens may not call it.");
  if (!readOnly) lines.push("Read-only tokens may not call it: it is a change.");
  if (excluded > 0) lines.push(`Excluded from every operation: ${playersText(excluded, registered)}.`);
  return lines.join("\n");
}

function countText({ count, public: isPublic }: Allowed, registered: number): string {
  const players = count === 0 ? "no player" : playersText(count, registered);
  return isPublic ? `${players}, and public tokens` : players;
}

function playersText(count: number, of: number): string {
  return `${count} of ${counted(of, "player")}`;
}
