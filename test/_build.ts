/** A build of the project, as after `npm ci`. All processes of a test run share one. */
import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectFolder } from "./_setup.ts";
import { makeOnce } from "./_shared.ts";

const run = promisify(execFile);

/** The files of the package in addition to its build and `src/http/docs-page`. */
const tables = ["routes.yaml", "routes.defaults.yaml", "routes.test.yaml", "routes.schema.json"];
const copied = ["package.json", ...tables, "data"];

/** Returns the folder of the build that all tests share: the project itself, unless its build is out of date. */
export const builtProject = async () => (isUpToDate() ? projectFolder : makeOnce("build", build));

/** Whether the project has a build that is newer than all that it is made of. */
function isUpToDate(): boolean {
  const timeOf = (name: string) =>
    statSync(join(projectFolder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = timeOf("dist/addon-cli.cjs");
  // Removing a file changes the time of its folder.
  const filesOf = (folder: string) =>
    readdirSync(join(projectFolder, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    );
  const settings = ["package-lock.json", "rollup.config.js", "tsconfig.json", "tsconfig.build.json"];
  const sources = [...settings, ...["src", "cli"].flatMap((folder) => [folder, ...filesOf(folder)])];
  return sources.every((name) => timeOf(name) < built);
}

/** Links the shared build into a folder; returns the file of `addon-cli`. */
export async function buildProject(folder: string): Promise<string> {
  const built = await builtProject();
  for (const name of [...copied, "node_modules", "src", "dist"])
    await symlink(join(built, name), join(folder, name));
  return join(folder, "dist", "addon-cli.cjs");
}

async function build(folder: string): Promise<void> {
  for (const name of copied) await cp(join(projectFolder, name), join(folder, name), { recursive: true });
  for (const name of ["node_modules", "src"]) await symlink(join(projectFolder, name), join(folder, name));
  const program = (name: string) => join(projectFolder, "node_modules", ".bin", name);
  const compiled = join(folder, ".compiled");
  const at = { cwd: projectFolder };
  await run(program("tsc"), ["-p", "tsconfig.build.json", "--outDir", compiled], at);
  const output = ["--configCompiled", compiled, "--dir", join(folder, "dist")];
  await run(program("rollup"), ["-c", "--failAfterWarnings", ...output], at);
}
