/**
 * What can be typed for an argument or an option's value. A command declares that by the word in its brackets:
 * `<player>` is completed to players, wherever it stands.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Argument, Command, Option } from "commander";
import type { CompletedKind, Completion } from "../../src/operator/completion.ts";
import type { ParameterType } from "../../src/table/parameters.ts";
import type { Workplace } from "../data/workspace.ts";
import { type Situation, subcommandOf, subcommandsOf } from "./cursor.ts";
import type { TypedPath, TypedRoute } from "./routes.ts";

/** What a shell can offer. */
export interface Completions {
  readonly values: readonly Completion[];
  /** Whether more is to be typed behind a value, so that the shell adds no space. */
  readonly areBeginnings?: boolean;
  /** What the shell itself completes instead. */
  readonly paths?: "files" | "directories";
}

export const nothing: Completions = { values: [] };

/** Where values are looked for. */
export interface Sources {
  readonly workplace: Workplace;
  /** Gives up. */
  readonly signal: AbortSignal;
}

type Values = (situation: Situation, sources: Sources) => Completions | Promise<Completions>;

const organisations = ["faction", "service"] as const;

/** By the word in the brackets. */
const valuesOf: Readonly<Record<string, Values>> = {
  player: names(["player"]),
  "player|public": names(["player"], ["public"]),
  caller: names(["player"], ["public"]),
  who: names(["player"], ["operator", "public", "system"]),
  group: names(["group"]),
  faction: names(["faction"]),
  service: names(["service"]),
  organisation: names(organisations),
  // The colon is typed: the package's script for zsh loses one in a value.
  "organisation:rank": async (situation, sources) => ({
    ...(await names(organisations)(situation, sources)),
    areBeginnings: true,
  }),
  // Of something that is named behind what it is, as in `group VIP`; any other name is a new one.
  name: async (situation, sources) => {
    const { completedKinds } = await import("../../src/operator/completion.ts");
    const kind = completedKinds.find((each) => each === situation.operands.at(-1));
    return kind === undefined ? nothing : names([kind])(situation, sources);
  },
  id: names(["token"]),
  record: async () => {
    const { model } = await import("../../src/domain/model.ts");
    return { values: Object.keys(model).map((value) => ({ value })) };
  },
  revision: revisions,
  "file|revision": revisionsOrFiles,
  resource: async (_situation, { workplace }) => {
    const { resourcesOf, routesOf } = await import("./routes.ts");
    return { values: resourcesOf(routesOf(await tableOf(workplace))).map((value) => ({ value })) };
  },
  operation: operationValues,
  path: pathValues,
  "name=value": pairValues,
  command: ({ program, operands }) => {
    const inner = operands.reduce((command, word) => subcommandOf(command, word) ?? command, program);
    return commandValues(inner);
  },
  file: () => ({ ...nothing, paths: "files" }),
  "old|new": revisionsOrFiles,
  new: revisionsOrFiles,
  dir: () => ({ ...nothing, paths: "directories" }),
};

/** The word in the brackets of an argument or an option. */
function wordOf(awaited: Argument | Option): string {
  if (!("flags" in awaited)) return awaited.name();
  return /[<[]([^\]>]*?)(?:\.\.\.)?[\]>]/.exec(awaited.flags)?.[1] ?? "";
}

/** Whether values are known for a word in brackets; the others are typed freely. */
export function isCompleted(word: string): boolean {
  return Object.hasOwn(valuesOf, word);
}

/** What can be typed for an argument or an option. */
export async function valuesFor(
  awaited: Argument | Option,
  situation: Situation,
  sources: Sources,
): Promise<Completions> {
  if (awaited.argChoices !== undefined) return { values: awaited.argChoices.map((value) => ({ value })) };
  return (await valuesOf[wordOf(awaited)]?.(situation, sources)) ?? nothing;
}

/** The names of the commands of a command. */
export function commandValues(command: Command): Completions {
  const values = subcommandsOf(command).map((each) => ({
    value: each.name(),
    description: each.description(),
  }));
  return { values };
}

/** Values of the data, and words that stand for somebody. */
function names(kinds: readonly CompletedKind[], words: readonly string[] = []): Values {
  return async ({ typed }, sources) => {
    const found = await namesStartingWith(kinds, typed, sources);
    return { ...found, values: [...words.map((value) => ({ value })), ...found.values] };
  };
}

/** The tables that were in force before, as the data folder keeps them. */
async function revisions(_situation: Situation, { workplace }: Sources): Promise<Completions> {
  // There is no such folder before the first start.
  const files = await readdir(join(workplace.folder, "tables")).catch(() => []);
  return {
    values: files.flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? []).map((value) => ({ value })),
  };
}

/** A shell completes files where no value is offered. */
async function revisionsOrFiles(situation: Situation, sources: Sources): Promise<Completions> {
  const { values } = await revisions(situation, sources);
  const offered = values.filter(({ value }) => value.startsWith(situation.typed));
  return offered.length > 0 ? { values: offered } : { ...nothing, paths: "files" };
}

async function namesStartingWith(
  kinds: readonly CompletedKind[],
  typed: string,
  { workplace, signal }: Sources,
): Promise<Completions> {
  try {
    const { completedNames } = await import("./names.ts");
    const { names: values, areBeginnings } = await completedNames(workplace.folder, kinds, typed, signal);
    return { values, areBeginnings };
  } catch {
    // There is no data, or none that can be read now; a prompt is no place to say so.
    return nothing;
  }
}

/** The operations that leave a trace: those that change something. */
async function operationValues(): Promise<Completions> {
  const { operatorOperations } = await import("../../src/operator/index.ts");
  const { handlers } = await import("../../src/resources/index.ts");
  const changes = [...handlers, ...Object.entries(operatorOperations)].filter(
    ([, { effect }]) => effect === "change",
  );
  return { values: changes.map(([value]) => ({ value })) };
}

async function tableOf(workplace: Workplace): Promise<string> {
  return readFile(await workplace.routesFile(), "utf8");
}

async function pathValues({ typed }: Situation, sources: Sources): Promise<Completions> {
  const { continuePath, routesOf } = await import("./routes.ts");
  const continued = continuePath(routesOf(await tableOf(sources.workplace)), typed);
  const values = continued.paths.map((value) => ({ value }));
  for (const placeholder of continued.placeholders)
    values.push(...(await segmentValues(placeholder, sources)));
  return { values, areBeginnings: values.every(({ value }) => value.endsWith("/")) };
}

async function segmentValues(
  { type, typed, before, ends, goesOn }: TypedPath["placeholders"][number],
  sources: Sources,
): Promise<Completion[]> {
  const { values, areBeginnings = false } = await valuesOfType(type, typed, sources);
  const endings = areBeginnings ? [""] : [...(ends ? [""] : []), ...(goesOn ? ["/"] : [])];
  return endings.flatMap((ending) =>
    values.map((each) => ({ ...each, value: before + each.value + ending })),
  );
}

async function pairValues({ operands, typed }: Situation, sources: Sources): Promise<Completions> {
  const { parametersLeft, routesOf } = await import("./routes.ts");
  const routes: readonly TypedRoute[] = routesOf(await tableOf(sources.workplace));
  const index = operands.findIndex((operand) => operand.startsWith("/"));
  const left = parametersLeft(routes, operands[index] ?? "", operands.slice(index + 1));
  const [, name, text = ""] = /^([^=]*)=(.*)$/s.exec(typed) ?? [];
  if (name === undefined) {
    const values = Array.from(left, ([each, { description }]) => toCompletion(`${each}=`, description));
    return { values, areBeginnings: true };
  }
  const found = await valuesOfType(left.get(name), text, sources);
  return { ...found, values: found.values.map((each) => ({ ...each, value: `${name}=${each.value}` })) };
}

function toCompletion(value: string, description: string | undefined): Completion {
  return description === undefined ? { value } : { value, description };
}

/** The values of a parameter's type, where they are few or names. */
async function valuesOfType(
  type: ParameterType | undefined,
  typed: string,
  sources: Sources,
): Promise<Completions> {
  switch (type?.base) {
    case "enum":
      return { values: (type.values ?? []).map((value) => ({ value })) };
    case "boolean":
      return { values: [{ value: "true" }, { value: "false" }] };
    case "group":
    case "faction":
    case "service":
      return namesStartingWith([type.base], typed, sources);
    default: {
      // The shipped table calls the types of players so; one of the operator's own is typed freely.
      const isPlayer = type?.name === "player" || type?.name === "playerName";
      return isPlayer ? namesStartingWith(["player"], typed, sources) : nothing;
    }
  }
}
