/** What `seed groups` does. */
import { resolve } from "node:path";
import { readSeed } from "../../src/administration/seed-file.ts";
import { Failure } from "../../src/errors.ts";
import type { Session } from "../session.ts";

/** Adds the names of a file, by default of the seed file. */
export async function seedGroups(
  { io, output, workplace, withControl }: Session,
  file: string | undefined,
): Promise<void> {
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
}
