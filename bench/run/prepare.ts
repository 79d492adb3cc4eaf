/** Installs and builds what a bench needs. */
import { spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { say } from "../report/output.ts";
import { settings } from "../settings.ts";
import { BenchFailure, ensure } from "./failure.ts";
import { benchFolder, projectFolder } from "./project.ts";
import { isInMemory } from "./temporary.ts";

/** Installs the peers, builds the product, and warns about what would falsify the figures. */
export async function prepare(): Promise<void> {
  // The attacker is a program of the bench, so abuse needs neither peers nor wrk.
  const needsPeers = settings.mode !== "abuse";
  if (needsPeers && spawnSync("wrk", ["--version"]).error !== undefined) {
    const missing = "wrk is missing. Install it: apt-get install wrk (Debian, Ubuntu), brew install wrk.";
    if (!settings.short) throw new BenchFailure(missing);
    say(`${missing} Rows that need it are not measured.`);
  }
  if (await isInMemory()) say("The temporary folder is in memory, where a sync costs nothing: set TMPDIR.");
  if (needsPeers) await installPeers();
  say("building the product: npm run build");
  run("npm", ["run", "build"]);
}

/** Returns whether better-sqlite3, an optional dependency, works. */
export function hasSQLite(): boolean {
  const script = 'new (require("better-sqlite3"))(":memory:")';
  return spawnSync(process.execPath, ["-e", script], { cwd: benchFolder }).status === 0;
}

/** Installs the peers, unless that was done since their lock file changed. */
async function installPeers(): Promise<void> {
  const changedAt = (path: string) => stat(join(benchFolder, path)).then(({ mtimeMs }) => mtimeMs);
  const installed = await changedAt("node_modules/.package-lock.json").catch(() => -1);
  if (installed >= (await changedAt("package-lock.json"))) return;
  say("installing the peers: npm ci --prefix bench (if better-sqlite3 is compiled, this takes minutes)");
  run("npm", ["ci", "--prefix", benchFolder, "--no-audit", "--no-fund"]);
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: projectFolder, stdio: ["ignore", 2, 2] });
  ensure(status === 0, () => `${command} ${args.join(" ")} failed`);
}
