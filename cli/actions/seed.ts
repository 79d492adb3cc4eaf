/** Implements `seed groups` and `seed remove`. */
import { resolve } from "node:path";
import { Failure } from "../../src/domain/errors.ts";
import type { Named } from "../../src/domain/model.ts";
import { fold } from "../../src/domain/text.ts";
import { readSeed } from "../../src/operator/seed-file.ts";
import type { Context } from "../context.ts";
import { confirm } from "../terminal/confirm.ts";

/** The refusals that the file causes. */
const ofFile: readonly string[] = ["CONFLICT", "PARAMETER_INVALID", "UNKNOWN_FACTION"];

/** Adds the names of a file; the default is the seed file. */
export async function seedGroups(
  { change, io, workspace }: Context,
  file: string | undefined,
): Promise<void> {
  const path = file === undefined ? await workspace().seedFile() : resolve(io.cwd, file);
  const names = await readSeed(path);
  await change("seed.groups", names, "seeds").catch((error: unknown) => {
    if (!(error instanceof Failure) || !ofFile.includes(error.code)) throw error;
    const { code, message, hint } = error;
    throw new Failure(code, `${path}: ${message}`, { hint });
  });
}

/** Asks, removes a name, and warns if the seed file would add it again. */
export async function removeName(context: Context, kind: Named["kind"], typed: string): Promise<void> {
  const { change, output, run, workspace } = context;
  const { name } = await run("reads", "seed.remove", { kind, name: typed, dryRun: true });
  await confirm(context, {
    asks: `Remove the ${kind} ${name}?`,
    does: `This removes the ${kind} ${name}`,
  });
  const result = await change("seed.remove", { kind, name });
  if (!output.wantsJSON) output.remark(`\`addon-cli undo ${result.sequence}\` undoes it.`);
  const path = await workspace().seedFile();
  // A seed file that cannot be read adds nothing: `seed groups` reports its faults.
  const seed = await readSeed(path).catch(() => undefined);
  const listed = { group: seed?.groups, faction: seed?.factions, service: seed?.services }[kind] ?? [];
  if (!listed.some((other) => fold(other) === fold(name))) return;
  output.remark(
    `${path} still lists ${result.name}: remove it there as well, or \`seed groups\` adds it again.`,
  );
}
