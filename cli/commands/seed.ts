/** `seed`: names from a file. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { Failure } from "../../src/errors.ts";
import { readSeed } from "../../src/service.ts";
import { examples } from "../help.ts";
import type { Session } from "../session.ts";

export function addSeedCommands(program: Command, { io, output, workplace, withControl }: Session): void {
  const seed = program.command("seed").description("add groups, factions and services");
  seed
    .command("groups")
    .description("add the groups, factions and services of a YAML file; adds and never removes")
    .argument("[file]", "lists groups, factions and services; by default seed.yaml in the data folder")
    .addHelpText("after", examples("seed groups data/seed.yaml"))
    .action(async (file: string | undefined) => {
      const path = file === undefined ? await workplace().seedFile() : resolve(io.cwd, file);
      const names = await readSeed(path);
      const result = await withControl("seeds", (control) => control.administer("seed.groups", names)).catch(
        (error: unknown) => {
          if (!(error instanceof Failure) || error.code !== "CONFLICT") throw error;
          throw new Failure(
            error.code,
            `${path}: ${error.message}`,
            error.hint === undefined ? {} : { hint: error.hint },
          );
        },
      );
      output.result(result, result.info);
    });
}
