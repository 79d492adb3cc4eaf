/** Test of examples/operators-day.sh: a day of an operator with 3,000 players. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import { onlyInFull } from "../_depth.ts";
import { projectFolder, shippedRoutes, temporaryFolder } from "../_setup.ts";
import { freePort, runBuildIn } from "./_page.ts";

it("the day runs to its end, and what a cheater did is taken back", { skip: onlyInFull }, async (t) => {
  const folder = await temporaryFolder(t);
  const env = { ...(await runBuildIn(folder)), ADDON_PORT: String(await freePort()) };
  await cp(shippedRoutes, join(folder, "routes.yaml"));
  // The data folder of a checkout, in which `npm start` runs, has what the repository keeps there.
  const filter = (path: string) => path.endsWith("data") || path.endsWith(".yaml");
  await cp(join(projectFolder, "data"), join(folder, "data"), { recursive: true, filter });
  const script = join(projectFolder, "examples", "operators-day.sh");
  const day = spawn("bash", [script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => day.once("close", resolve));
  const [output, errors] = await Promise.all([text(day.stdout), text(day.stderr)]);
  assert.equal(await ended, 0, errors);
  assert.doesNotMatch(output, /gai_/);
  const lines = output.split("\n").map((line) => line.trim());
  for (const line of [
    "3000 tokens",
    "error: mistakes.csv has 10 faults:",
    "Player0042\tKILL\t400",
    "You are excluded from this service until",
    "statistic.add\t400",
    "Took back 1 statistic, from 400 changes.",
    "Readmitted Player0042.",
    "system\tmembership.end\tremoved the membership Player0007 (POLICE), removed the group member Player0007 (VIP)",
  ])
    assert.ok(
      lines.some((shown) => shown.includes(line)),
      `${line} is missing in:\n${output}`,
    );
  assert.match(output, /changed 300 records/);
  assert.match(output, /no problems/);
  t.diagnostic(lines.filter((line) => /^\d+\.\d s |^the whole day/.test(line)).join("\n"));
});
