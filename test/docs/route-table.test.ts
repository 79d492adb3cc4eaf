/** The walkthrough of `docs/route-table.md`: pasted into a shell as it stands, it shows what the page says. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { projectFolder, temporaryFolder } from "../_setup.ts";

const page = await readFile(join(projectFolder, "docs", "route-table.md"), "utf8");
const run = promisify(execFile);
/** Where the page's operator works, and what is another one each time, or moves when the shipped table is edited. */
const pageFolder = "/srv/addon";
const changing: readonly (readonly [RegExp, string])[] = [
  [/"requestId":"[0-9a-f-]{36}"/g, '"requestId":"<id>"'],
  [/\b[0-9a-f]{12}\b/g, "<revision>"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<instant>"],
  [/:\d+:\d+:/g, ":<line>:<column>:"],
  [/^ *\d+ \|/gm, "<line> |"],
];

interface Block {
  readonly language: string;
  readonly text: string;
}

function walkthrough(): Block[] {
  const part = page.slice(page.indexOf("## A walkthrough"));
  return Array.from(part.matchAll(/```(sh|text)\n([\s\S]*?)```/g), ([, language = "", text = ""]) => {
    return { language, text };
  });
}

/** Without what is another one each time. */
function steady(text: string): string {
  return changing.reduce((each, [form, word]) => each.replace(form, word), text).trim();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

/** A folder as it is after `npm ci`, in which `npx addon-cli` and `dist` run the sources. */
async function projectIn(folder: string): Promise<NodeJS.ProcessEnv> {
  await cp(join(projectFolder, "routes.yaml"), join(folder, "routes.yaml"));
  const main = join(folder, "dist", "addon-cli.cjs");
  await mkdir(join(folder, "dist"));
  const source = pathToFileURL(join(projectFolder, "cli", "main.ts"));
  await writeFile(main, `import("${import.meta.resolve("tsx")}").then(() => import("${source}"));\n`);
  await mkdir(join(folder, "bin"));
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`;
  await writeFile(join(folder, "bin", "npx"), npx, { mode: 0o755 });
  return { PATH: `${join(folder, "bin")}:${process.env.PATH}`, HOME: process.env.HOME };
}

it("the walkthrough, pasted into a shell, shows what the page says", async (t) => {
  const folder = await realpath(await temporaryFolder(t));
  const env = await projectIn(folder);
  const blocks = walkthrough();
  const mark = "=== what was shown until here ===";
  // Each block's output ends with a mark; a service that is left running would keep the folder.
  const script = blocks
    .map(({ language, text }) => (language === "sh" ? `${text}\necho "${mark}"` : ""))
    .join("\n");
  const port = String(await freePort());
  const { stdout } = await run(
    "bash",
    ["-c", `exec 2>&1\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n${script.replaceAll("8898", port)}`],
    { cwd: folder, env, timeout: 240_000 },
  );
  const shown = stdout.replaceAll(folder, pageFolder).split(`${mark}\n`);
  let index = 0;
  for (const [place, { language, text }] of blocks.entries()) {
    if (language !== "sh") continue;
    const next = blocks[place + 1];
    const expected = next?.language === "text" ? next.text : "";
    assert.equal(steady(shown[index] ?? ""), steady(expected), `after ${text}`);
    index += 1;
  }
  assert.ok(index >= 8, "the page has its steps");
});
