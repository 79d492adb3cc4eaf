/** Helpers of the documentation's tests: pages, the blocks in them, and an environment in which commands run. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { builtProject } from "../_build.ts";
import { projectFolder } from "../_setup.ts";

/** Reads a page. @param path from the top of the project, such as `docs/reference.md` */
export function readPage(path: string): Promise<string> {
  return readFile(join(projectFolder, path), "utf8");
}

/** Returns the code blocks that follow the comment `<!-- mark -->`. A page must have at least one. */
export function blocks(page: string, mark: string): string[] {
  const form = new RegExp(`<!-- ${mark} -->\n\`\`\`\\w*\n([\\s\\S]*?)\`\`\``, "g");
  const found = Array.from(page.matchAll(form), ([, text = ""]) => text);
  assert.ok(found.length > 0, `the page has no block marked "${mark}"`);
  return found;
}

/** Returns the text between `<!-- mark -->` and `<!-- /mark -->`. */
export function section(page: string, mark: string): string {
  const text = new RegExp(`<!-- ${mark} -->\n([\\s\\S]*?)<!-- /${mark} -->`).exec(page)?.[1];
  assert.ok(text !== undefined, `the page has no section marked "${mark}"`);
  return text;
}

/** Returns the cells of each row of a Markdown table, without its head. */
export function rows(table: string): string[][] {
  const lines = table.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => {
    const cells = line.slice(1, -1).split(/(?<!\\)\|/);
    return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
  });
}

/** Returns a port of the loopback interface that is free. */
export async function freePort(): Promise<number> {
  for (;;) {
    // Systems take the ports of outgoing connections from 32,768 on, and one of those may be taken a moment later.
    const port = randomInt(20_000, 32_768);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/**
 * Links the build into a folder as `dist`, and creates `bin/npx`, which runs it.
 * @returns an environment in which `npx` is the latter
 */
export async function runBuildIn(folder: string): Promise<NodeJS.ProcessEnv> {
  await symlink(join(await builtProject(), "dist"), join(folder, "dist"));
  await mkdir(join(folder, "bin"));
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(folder, "dist", "addon-cli.cjs")}" "$@"\n`;
  await writeFile(join(folder, "bin", "npx"), npx, { mode: 0o755 });
  return { PATH: `${join(folder, "bin")}:${process.env.PATH}`, HOME: folder };
}
