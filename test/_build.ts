/** What all processes of a test run share: a build of the project, as after `npm ci`, and whatever else takes long to make. */
import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { projectFolder } from "./_setup.ts";

const run = promisify(execFile);

/** The variable by which `run.ts` names the folder of what all processes share. */
export const sharedFolder = "GAMEADDON_TEST_SHARED";

/** The files of the package in addition to its build and `src/http/docs-page`. */
const tables = ["routes.yaml", "routes.defaults.yaml", "routes.test.yaml", "routes.schema.json"];
export const copied = ["package.json", ...tables, "data"];

let built: Promise<string> | undefined;

/** Returns the folder of the build that all tests share. */
export function builtProject(): Promise<string> {
  built ??= makeOnce("build", build);
  return built;
}

/** Links the shared build into a folder; returns the file of `addon-cli`. */
export async function buildProject(folder: string): Promise<string> {
  const built = await builtProject();
  for (const name of [...copied, "node_modules", "src", "dist"])
    await symlink(join(built, name), join(folder, name));
  return join(folder, "dist", "addon-cli.cjs");
}

/** Makes a folder that all processes of a run share: the first one does that asks for it. */
export async function makeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(process.env[sharedFolder] ?? (await ownFolder()), name);
  const unfinished = join(folder, "unfinished");
  const finished = join(folder, "finished");
  const failed = join(folder, "failed");
  try {
    await mkdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Another process makes it. If that is killed, the deadline of the run ends this wait.
    while (!existsSync(finished)) {
      if (existsSync(failed)) throw new Error(await readFile(failed, "utf8"));
      await sleep(100);
    }
    return finished;
  }
  try {
    await mkdir(unfinished);
    await make(unfinished);
    await rename(unfinished, finished);
  } catch (error) {
    await writeFile(failed, String(error));
    throw error;
  }
  return finished;
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

/** Returns the folder of a process without `run.ts`, which is removed when that ends. */
async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-shared-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
