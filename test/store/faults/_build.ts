/** Compiles the programs of tests that need a process of their own. */
import { execFile } from "node:child_process";
import { readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectFolder } from "../../_setup.ts";
import { makeOnce } from "../../_shared.ts";

/** Returns the folder in which all tests find them compiled. */
export const compiledPrograms = () => makeOnce("programs", buildInto);

/**
 * Compiles what a real process runs, which starts faster than through tsx: `src`, `cli` and the tests' own.
 * They are in the folder as the sources are in the project.
 */
export async function buildInto(folder: string): Promise<void> {
  for (const name of await readdir(projectFolder)) {
    const isPacked = /^(?:node_modules|data|package\.json|routes\..*)$/.test(name);
    if (isPacked) await symlink(join(projectFolder, name), join(folder, name));
  }
  const config = join(folder, "tsconfig.json");
  const compilerOptions = { noEmit: false, rootDir: projectFolder, outDir: folder, noCheck: true };
  const include = [
    "src",
    "cli",
    "test/store/faults/_driver.ts",
    "test/backup/restoring/_restore-driver.ts",
    "test/torture/service.ts",
  ].map((path) => join(projectFolder, path));
  await writeFile(
    config,
    JSON.stringify({ extends: join(projectFolder, "tsconfig.json"), compilerOptions, include }),
  );
  const tsc = join(projectFolder, "node_modules", "typescript", "bin", "tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", config]);
}
