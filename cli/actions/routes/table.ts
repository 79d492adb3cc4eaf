/** Reads the route table of a command, and checks it against the names in the data. */
import { resolve } from "node:path";
import { Failure } from "../../../src/domain/errors.ts";
import { errorCode, reasonOf } from "../../../src/domain/system-error.ts";
import type { TableFile } from "../../../src/explain/comparison.ts";
import { checkRoutes } from "../../../src/operations.ts";
import { readSeed } from "../../../src/operator/seed-file.ts";
import type { Vocabulary } from "../../../src/table/caller.ts";
import type { Finding } from "../../../src/table/declared/entries.ts";
import { revisionOf } from "../../../src/table/revision.ts";
import { withFindings } from "../../../src/table/table.ts";
import { type WarningOptions, warningsOf } from "../../../src/table/warnings/warnings.ts";
import { readTable } from "../../../src/table-in-force/read-table.ts";
import { faultsIn, type TableText } from "../../../src/table-in-force/route-table.ts";
import type { Context } from "../../context.ts";
import { tableInForce } from "../../data/served-table.ts";

/** Reads the table of an argument, or that of `--routes`, which alone is named by the option. */
async function readNamed(context: Context, given: string | undefined): Promise<TableText> {
  const named = await context.workspace().routesFile();
  const file = given === undefined ? named : resolve(context.io.cwd, given);
  const isNamed = file === named;
  const text = await readTable(file, isNamed).catch(async (error: unknown) => {
    const isMissing = error instanceof Failure && errorCode(error.cause) === "ENOENT";
    const served =
      isNamed && isMissing ? await tableInForce(context.workspace()).catch(() => undefined) : undefined;
    if (served === undefined || served.file === file) throw error;
    throw new Failure("STORE_UNAVAILABLE", reasonOf(error), {
      hint: `The service runs on ${served.file}: name it with --routes.`,
    });
  });
  return { file, text };
}

/**
 * Reads a table.
 * @param given its file, by default that of `--routes`
 * @param isNext whether it is to be put in force, so that entries in the data must fit it
 * @throws Failure if it has faults
 */
export async function checkedTable(context: Context, given?: string, isNext = false): Promise<TableFile> {
  const { file, text } = await readNamed(context, given);
  const isCompared = isNext && (await context.workspace().hasData());
  const findings = isCompared ? await context.run("reads", "list.check", { text }) : [];
  const { table, faults } = withFindings(checkRoutes(text, await vocabularyOf(context)), findings);
  if (table === undefined) throw faultsIn(file, faults, text);
  return { file, table };
}

/** Reads a file, by default that of `--routes`, and finds its faults or, if it has none, its warnings. */
export async function inspectTable(context: Context, given: string | undefined) {
  const { file, text } = await readNamed(context, given);
  const { vocabulary, ...known } = await knownFor(context, text);
  const checked = withFindings(checkRoutes(text, vocabulary), known.findings);
  const { table, document } = checked;
  const warnings = table === undefined ? [] : warningsOf(table, document, known);
  return { ...checked, file, text, revision: revisionOf(text), warnings };
}

/** Returns what a table is checked against: the names, the entries in the data, and who is a member of what. */
async function knownFor(
  context: Context,
  text: string,
): Promise<WarningOptions & { findings: readonly Finding[]; vocabulary: Vocabulary }> {
  if (!(await context.workspace().hasData()))
    return { vocabulary: await seedVocabulary(context), findings: [] };
  return context.withControl("reads", async (control) => {
    const vocabulary = await control.run("vocabulary", {});
    const findings = await control.run("list.check", { text });
    const groups = await control.run("group.list", {});
    const players = await control.run("player.list", {});
    const hasPeople = players.length > 0 || groups.some((group) => group.members.length > 0);
    if (!hasPeople) return { vocabulary, findings };
    const members = new Map(groups.map((group) => [group.group, group.members.length]));
    const ranks = { faction: new Map<string, number>(), service: new Map<string, number>() };
    for (const { organisation, rank } of players.flatMap((player) => player.members)) {
      const highest = vocabulary.faction.includes(organisation) ? ranks.faction : ranks.service;
      highest.set(organisation, Math.max(rank, highest.get(organisation) ?? 0));
    }
    return { vocabulary, findings, members, ranks };
  });
}

/** Returns the names in the data or, before there is data, those of the seed. */
export async function vocabularyOf(context: Context): Promise<Vocabulary> {
  if (await context.workspace().hasData()) return context.run("reads", "vocabulary", {});
  return seedVocabulary(context);
}

async function seedVocabulary({ workspace }: Context): Promise<Vocabulary> {
  const { groups, factions, services } = await readSeed(await workspace().seedFile());
  return { group: groups ?? [], faction: factions ?? [], service: services ?? [] };
}
