/** A build of the project, as after `npm ci`. All processes of a test run share one. */
import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { projectFolder } from "./_setup.ts";

const run = promisify(execFile);

/** The variable by which `run.ts` names the folder of the shared build, which does not exist before the first use. */
export const buildFolder = "GAMEADDON_TEST_BUILD";

/** The files of the package in addition to its build and `src/http/docs-page`. */
const tables = ["routes.yaml", "routes.defaults.yaml", "routes.test.yaml", "routes.schema.json"];
const copied = ["package.json", ...tables, "data"];

let shared: Promise<string> | undefined;

/** Returns the folder of the build that all tests share. */
export function builtProject(): Promise<string> {
  shared ??= build();
  return shared;
}

/** Links the shared build into a folder; returns the file of `addon-cli`. */
export async function buildProject(folder: string): Promise<string> {
  const built = await builtProject();
  for (const name of [...copied, "node_modules", "src", "dist"])
    await symlink(join(built, name), join(folder, name));
  return join(folder, "dist", "addon-cli.cjs");
}

async function build(): Promise<string> {
  const folder = process.env[buildFolder] ?? (await ownFolder());
  const [unfinished, finished] = [join(folder, "unfinished"), join(folder, "finished")];
  try {
    await mkdir(folder);
  } catch {
    // Another process builds it. If that fails, the deadline of the run ends this wait.
    while (!existsSync(finished)) await sleep(100);
    return finished;
  }
  await mkdir(unfinished);
  for (const name of copied) await cp(join(projectFolder, name), join(unfinished, name), { recursive: true });
  for (const name of ["node_modules", "src"])
    await symlink(join(projectFolder, name), join(unfinished, name));
  const program = (name: string) => join(projectFolder, "node_modules", ".bin", name);
  const compiled = join(unfinished, ".compiled");
  const at = { cwd: projectFolder };
  await run(program("tsc"), ["-p", "tsconfig.build.json", "--outDir", compiled], at);
  const output = ["--configCompiled", compiled, "--dir", join(unfinished, "dist")];
  await run(program("rollup"), ["-c", "--failAfterWarnings", ...output], at);
  await rename(unfinished, finished);
  return finished;
}

/** Returns the folder of a process without `run.ts`, which is removed when that ends. */
async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-build-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "build");
}
