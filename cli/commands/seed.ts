/** `seed`: names from a file. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { readSeed } from "../../src/service.ts";
import type { Session } from "../program.ts";

export function addSeedCommands(program: Command, { io, output, workplace, withControl }: Session): void {
  const seed = program.command("seed").description("add groups, factions and services");
  seed
    .command("groups")
    .description("add the groups, factions and services of a YAML file; adds and never removes")
    .argument(
      "[file]",
      "the YAML file with the lists groups, factions and services",
      "seed.yaml in the data folder",
    )
    .action(async (file: string | undefined, _options, command: Command) => {
      const given = command.args.length > 0;
      const path = given ? resolve(io.cwd, String(file)) : await workplace().seedFile();
      const names = await readSeed(path);
      const result = await withControl("changes", (control) => control.administer("seed.groups", names));
      output.result(result, result.info);
    });
}
