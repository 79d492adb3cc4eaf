/** What has to be there before anything is measured: the peers, the product and the peers compiled, wrk. */
import type { SpawnOptions } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { execute } from "./execute.ts";
import { benchFolder, builtFolder, productMain, projectFolder } from "./project.ts";
import type { Workshop } from "./workshop.ts";

/** Installs the peers where that was not done since their lock file changed. */
export async function installPeers(workshop: Workshop, say: (text: string) => void): Promise<void> {
  const installed = await changedAt(join(benchFolder, "node_modules", ".package-lock.json"));
  if (installed >= (await changedAt(join(benchFolder, "package-lock.json")))) return;
  say("installing the peers: npm ci --prefix bench (better-sqlite3 may be compiled, which takes minutes)");
  await npm(workshop, ["ci", "--prefix", benchFolder, "--no-audit", "--no-fund"]);
}

/** Compiles the product where its sources are newer than what is in `dist`. */
export async function buildProduct(workshop: Workshop, say: (text: string) => void): Promise<void> {
  const sources = ["src", "cli", "package.json", "rollup.config.js", "tsconfig.build.json"];
  const newest = await Promise.all(sources.map((name) => newestIn(join(projectFolder, name))));
  if ((await changedAt(productMain)) >= Math.max(...newest)) return;
  say("building the product: npm run build");
  await npm(workshop, ["run", "build"]);
}

/** Compiles the peers and probes: what is measured runs as plain JavaScript, as the product does. */
export async function buildPeers(workshop: Workshop): Promise<void> {
  const require = createRequire(import.meta.url);
  const compiler = join(require.resolve("typescript/package.json"), "..", "bin", "tsc");
  const args = [compiler, "-p", join(benchFolder, "tsconfig.build.json"), "--outDir", builtFolder];
  await execute(workshop, "compiling the peers", process.execPath, args, { cwd: benchFolder });
}

/** Whether wrk is there. */
export async function hasWrk(workshop: Workshop): Promise<boolean> {
  // It has no option that does nothing and succeeds: `--version` exits with 1.
  return new Promise((resolve) => {
    const child = workshop.spawn("wrk", ["--version"], { stdio: "ignore" });
    child.once("error", () => resolve(false));
    child.once("exit", () => resolve(true));
  });
}

/** Whether better-sqlite3 was installed and works. */
export async function hasSQLite(workshop: Workshop): Promise<boolean> {
  const script = 'new (require("better-sqlite3"))(":memory:")';
  return execute(workshop, "better-sqlite3", process.execPath, ["-e", script], { cwd: benchFolder }).then(
    () => true,
    () => false,
  );
}

async function npm(workshop: Workshop, args: readonly string[]): Promise<void> {
  // npm is to see its own settings. What it says is no result.
  const options: SpawnOptions = { cwd: projectFolder, env: process.env, stdio: ["ignore", 2, 2] };
  await execute(workshop, `npm ${args[0]}`, "npm", args, options);
}

async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => -1,
  );
}

async function newestIn(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const entries = await readdir(path, { recursive: true });
  return Math.max(...(await Promise.all(entries.map((entry) => changedAt(join(path, entry))))));
}
