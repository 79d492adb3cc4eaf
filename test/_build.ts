/** A build of the project in another folder, as after `npm ci`. */
import { execFile } from "node:child_process";
import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectFolder } from "./_setup.ts";

const run = promisify(execFile);

/** The files of the package in addition to its build and `src/http/docs-page`. */
const copied = ["package.json", "routes.yaml", "routes.test.yaml", "routes.schema.json", "data/seed.yaml"];

/** Builds the project into a folder; returns the file of `addon-cli`. */
export async function buildProject(folder: string): Promise<string> {
  for (const name of copied) await cp(join(projectFolder, name), join(folder, name));
  for (const name of ["node_modules", "src"]) await symlink(join(projectFolder, name), join(folder, name));
  const program = (name: string) => join(projectFolder, "node_modules", ".bin", name);
  const at = { cwd: projectFolder };
  const compiled = join(folder, ".compiled");
  await run(program("tsc"), ["-p", "tsconfig.build.json", "--outDir", compiled], at);
  const output = ["--configCompiled", compiled, "--dir", join(folder, "dist")];
  await run(program("rollup"), ["-c", "--failAfterWarnings", ...output], at);
  return join(folder, "dist", "addon-cli.cjs");
}
