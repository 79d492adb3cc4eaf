/** Tests of CONTRIBUTING.md: its steps add an operation to a copy of the project. */
import { execFile } from "node:child_process";
import { appendFile, cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { onlyInFull } from "../_depth.ts";
import { projectFolder, temporaryFolder } from "../_setup.ts";
import { readPage } from "./_page.ts";

const page = await readPage("CONTRIBUTING.md");
const run = promisify(execFile);

it("the steps that add an operation work as written", { skip: onlyInFull }, async (t) => {
  const folder = await temporaryFolder(t);
  const copied = ["src", "cli", "test", "data", "routes.yaml", "routes.test.yaml", "package.json"];
  for (const name of copied) await cp(join(projectFolder, name), join(folder, name), { recursive: true });
  for (const name of ["node_modules", "docs", "routes.defaults.yaml"])
    await symlink(join(projectFolder, name), join(folder, name));
  // The test run would make the inner one report to it.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  for (const [, action, file = "", text = ""] of page.matchAll(
    /<!-- (add|run)(?: (\S+))? -->\n```\w+\n([\s\S]*?)```/g,
  )) {
    if (action === "add") await appendFile(join(folder, file), `\n${text}`);
    else await run("bash", ["-euc", text], { cwd: folder, env, timeout: 120_000 });
  }
});
