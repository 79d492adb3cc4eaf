/**
 * Completes the values of arguments and options. The word in the brackets of a declaration selects the values: `<player>`
 * is completed to players in every command.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Argument, Command, Option } from "commander";
import type { CompletedKind, Completion } from "../../src/operator/completion.ts";
import { readRegular } from "../../src/regular-file.ts";
import type { ParameterType } from "../../src/table/base-types.ts";
import type { Workspace } from "../data/workspace.ts";
import { type Cursor, subcommandOf, subcommandsOf } from "./cursor.ts";
import type { TypedPlaceholder, TypedRoute } from "./routes.ts";

export interface Completions {
  readonly values: readonly Completion[];
  /** Whether values are incomplete, so that the shell must not add a space. */
  readonly areBeginnings?: boolean;
  /** What the shell should complete instead. */
  readonly paths?: "files" | "directories";
}

export const nothing: Completions = { values: [] };

export interface Sources {
  readonly workspace: Workspace;
  /** Ends the search. */
  readonly signal: AbortSignal;
}

type Values = (cursor: Cursor, sources: Sources) => Completions | Promise<Completions>;

const organisations = ["faction", "service"] as const;

/** The values by the word in the brackets. */
export const valuesOf: Readonly<Record<string, Values>> = {
  player: names(["player"]),
  "player|public": names(["player"], ["public"]),
  caller: names(["player"], ["public"]),
  who: names(["player"], ["operator", "public", "system"]),
  group: names(["group"]),
  organisation: names(organisations),
  "organisation|group": names([...organisations, "group"]),
  // Without the colon, which the package's script for zsh would lose.
  "organisation:rank": async (cursor, sources) => ({
    ...(await names(organisations)(cursor, sources)),
    areBeginnings: true,
  }),
  // A name after its kind, as in `group VIP`; any other name is a new one.
  name: async (cursor, sources) => {
    const { completedKinds } = await import("../../src/operator/completion.ts");
    const kind = completedKinds.find((kind) => kind === cursor.operands.at(-1));
    return kind === undefined ? nothing : names([kind])(cursor, sources);
  },
  id: names(["token"]),
  list: names(["list"]),
  record: async () => {
    const { model } = await import("../../src/domain/model.ts");
    return { values: Object.keys(model).map((value) => ({ value })) };
  },
  revision: revisions,
  "file|revision": revisionsOrFiles,
  resource: async (_situation, { workspace }) => {
    const { resourcesOf, routesOf } = await import("./routes.ts");
    return { values: resourcesOf(routesOf(await tableOf(workspace))).map((value) => ({ value })) };
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

/** Returns the word in the brackets of an argument or an option. */
function wordOf(awaited: Argument | Option): string {
  if (!("flags" in awaited)) return awaited.name();
  return /[<[]([^\]>]*?)(?:\.\.\.)?[\]>]/.exec(awaited.flags)?.[1] ?? "";
}

export async function valuesFor(
  awaited: Argument | Option,
  cursor: Cursor,
  sources: Sources,
): Promise<Completions> {
  if (awaited.argChoices !== undefined) return { values: awaited.argChoices.map((value) => ({ value })) };
  return (await valuesOf[wordOf(awaited)]?.(cursor, sources)) ?? nothing;
}

export function commandValues(command: Command): Completions {
  const values = subcommandsOf(command).map((subcommand) => ({
    value: subcommand.name(),
    description: subcommand.description(),
  }));
  return { values };
}

/** Completes names of the data, and fixed words. */
function names(kinds: readonly CompletedKind[], words: readonly string[] = []): Values {
  return async ({ typed }, sources) => {
    const found = await namesStartingWith(kinds, typed, sources);
    return { ...found, values: [...words.map((value) => ({ value })), ...found.values] };
  };
}

async function revisions(_situation: Cursor, { workspace }: Sources): Promise<Completions> {
  // The folder does not exist before the first start.
  const files = await readdir(join(workspace.folder, "tables")).catch(() => []);
  return {
    values: files.flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? []).map((value) => ({ value })),
  };
}

/** Completes revisions, or files if no revision matches. */
async function revisionsOrFiles(cursor: Cursor, sources: Sources): Promise<Completions> {
  const { values } = await revisions(cursor, sources);
  const offered = values.filter(({ value }) => value.startsWith(cursor.typed));
  return offered.length > 0 ? { values: offered } : { ...nothing, paths: "files" };
}

async function namesStartingWith(
  kinds: readonly CompletedKind[],
  typed: string,
  { workspace, signal }: Sources,
): Promise<Completions> {
  try {
    const { folder } = workspace;
    const input = { kinds: [...kinds], prefix: typed };
    const { connectControl } = await import("../../src/control/client.ts");
    // Without a lock: a prompt waits for no command, and creates no folder.
    const running = await connectControl(folder, signal);
    const found =
      running === undefined
        ? await (await import("../../src/operator/offline.ts")).readOffline(folder, "name.complete", input)
        : await running.run("name.complete", input);
    return found === undefined ? nothing : { values: found.names, areBeginnings: found.areBeginnings };
  } catch {
    // There is no readable data. A prompt cannot report that.
    return nothing;
  }
}

/** Operations in the journal beside handlers and `OperatorOperation`s of the effect "change". */
const others = [
  ...["token.claim", "token.use", "token.invite", "membership.end", "houseban.end", "roster.apply"],
  ...["list.rename", "list.import", "list.drop", "undo", "undo.caller", "data.restore", "data.import"],
];

/** Completes the operations in the journal: those that change something. */
async function operationValues(): Promise<Completions> {
  const { operatorOperations } = await import("../../src/operator/index.ts");
  const { handlersFor } = await import("../../src/resources/index.ts");
  const { defaultDeclarations } = await import("../../src/table/declared/declarations.ts");
  const changes = [...handlersFor(defaultDeclarations()), ...Object.entries(operatorOperations)].filter(
    ([, { effect }]) => effect === "change",
  );
  return { values: [...changes.map(([value]) => value), ...others].map((value) => ({ value })) };
}

async function tableOf(workspace: Workspace): Promise<string> {
  return (await readRegular(await workspace.routesFile())).toString();
}

async function pathValues({ typed }: Cursor, sources: Sources): Promise<Completions> {
  const { continuePath, routesOf } = await import("./routes.ts");
  const continued = continuePath(routesOf(await tableOf(sources.workspace)), typed);
  const values = continued.paths.map((value) => ({ value }));
  for (const placeholder of continued.placeholders)
    values.push(...(await segmentValues(placeholder, sources)));
  return { values, areBeginnings: values.every(({ value }) => value.endsWith("/")) };
}

async function segmentValues(
  { type, typed, before, endings: possible }: TypedPlaceholder,
  sources: Sources,
): Promise<Completion[]> {
  const { values, areBeginnings = false } = await valuesOfType(type, typed, sources);
  const endings = areBeginnings ? [""] : [...possible].sort();
  return endings.flatMap((ending) =>
    values.map((completion) => ({ ...completion, value: before + completion.value + ending })),
  );
}

async function pairValues({ operands, typed }: Cursor, sources: Sources): Promise<Completions> {
  const { parametersLeft, routesOf } = await import("./routes.ts");
  const routes: readonly TypedRoute[] = routesOf(await tableOf(sources.workspace));
  const index = operands.findIndex((operand) => operand.startsWith("/"));
  const left = parametersLeft(routes, operands[index] ?? "", operands.slice(index + 1));
  const [, name, text = ""] = /^([^=]*)=(.*)$/s.exec(typed) ?? [];
  if (name === undefined) {
    const values = Array.from(left, ([parameter, { description }]) => {
      return { value: `${parameter}=`, ...(description !== undefined && { description }) };
    });
    return { values, areBeginnings: true };
  }
  const found = await valuesOfType(left.get(name), text, sources);
  return {
    ...found,
    values: found.values.map((completion) => ({ ...completion, value: `${name}=${completion.value}` })),
  };
}

/** Completes the values of a parameter, if they are few, or names. */
async function valuesOfType(
  type: ParameterType | undefined,
  typed: string,
  sources: Sources,
): Promise<Completions> {
  if (type?.base === "enum") return { values: (type.values ?? []).map((value) => ({ value })) };
  if (type?.base === "boolean") return { values: [{ value: "true" }, { value: "false" }] };
  if (type?.base === "group" || type?.base === "faction" || type?.base === "service")
    return namesStartingWith([type.base], typed, sources);
  // The names of the types of players in the shipped table.
  const isPlayer = type?.name === "player" || type?.name === "playerName";
  return isPlayer ? namesStartingWith(["player"], typed, sources) : nothing;
}
