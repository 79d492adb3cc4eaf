/** The examples of `docs/clients.md`: run as they stand, but for the address, they show what the page says. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { statusOf } from "../../src/engine/response.ts";
import { failureCodes } from "../../src/errors.ts";
import { type Cleanup, openWorld, projectFolder, temporaryFolder } from "../_setup.ts";
import { installClient } from "./_client.ts";
import { withoutJava } from "./_java.ts";
import { compiler, run } from "./_setup.ts";

const page = await readFile(join(projectFolder, "docs", "clients.md"), "utf8");
const pageUrl = "http://127.0.0.1:8888";
const mark = "=== what was shown until here ===";

interface Example {
  readonly code: string;
  /** What the page says that it shows. */
  readonly shown: string;
}

/** The examples in a language, in the order of the page: they build on each other. */
function examples(language: string): Example[] {
  const form = new RegExp(
    `\`\`\`${language}\\n([\\s\\S]*?)\`\`\`\\n(?:\\n\`\`\`text\\n([\\s\\S]*?)\`\`\`)?`,
    "g",
  );
  return Array.from(page.matchAll(form), ([, code = "", shown = ""]) => ({ code, shown }));
}

/** All examples of a language as one text, with a mark after what each shows, that asks another address. */
function programOf(language: string, toMark: string, url: string): string {
  const code = examples(language).map((example) => `${example.code}\n${toMark}\n`);
  return code.join("").replaceAll(pageUrl, url);
}

function assertShown(language: string, stdout: string): void {
  const shown = stdout.replaceAll(/"requestId":"[0-9a-f-]{36}"/g, '"requestId":"<id>"').split(`${mark}\n`);
  assert.equal(shown.pop(), "", "nothing is shown after the last example");
  assert.deepEqual(
    shown.map((text) => text.trim()),
    examples(language).map((example) => example.shown.trim()),
  );
}

/** A service as the page has it: Ada is in the police, but has not got far, and there is a wanted reason. */
async function openPage(t: Cleanup) {
  const world = await openWorld(t, { transport: "socket" });
  const { token } = await world.player("Ada", { members: { POLICE: 2 } });
  const { token: chief } = await world.player("Olga", { members: { POLICE: 9 } });
  await world.ok(chief, "/wantedreason/add", { reason: "Bank-robbery", points: 60 });
  const env: NodeJS.ProcessEnv = { ...process.env, GAMEADDON_TOKEN: token };
  return { world, folder: await temporaryFolder(t), env };
}

describe("the page for who writes a client", () => {
  it("has examples for a shell", async (t) => {
    const { world, folder, env } = await openPage(t);
    const script = programOf("sh", `echo "${mark}"`, world.url);
    const { stdout } = await run("bash", ["-euc", script], { cwd: folder, env });
    assertShown("sh", stdout);
  });

  it("has examples in TypeScript, which compile with the client as a package", async (t) => {
    const { world, folder, env } = await openPage(t);
    await installClient(folder);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
    const program = programOf("ts", `console.log("${mark}");`, world.url);
    await writeFile(join(folder, "page.ts"), program);
    const start = join(projectFolder, "client", "typescript", "examples", "start.ts");
    await writeFile(join(folder, "start.ts"), await readFile(start));
    const compilerOptions = {
      ...{ strict: true, target: "es2022", lib: ["es2023", "dom"], module: "nodenext", types: ["node"] },
      ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noUnusedLocals: true },
      typeRoots: [join(projectFolder, "node_modules", "@types")],
    };
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["page.ts", "start.ts"] }),
    );
    await run(process.execPath, [compiler, "-p", folder]).catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
    const { stdout } = await run(process.execPath, ["page.js"], { cwd: folder, env });
    assertShown("ts", stdout);
  });

  it("has an example in Java", { skip: withoutJava }, async (t) => {
    const { world, folder, env } = await openPage(t);
    const [example, ...more] = examples("java");
    assert.ok(example !== undefined && more.length === 0, "the page has one example in Java");
    await writeFile(join(folder, "Kill.java"), example.code.replace(pageUrl, world.url));
    const { stdout } = await run("java", ["Kill.java"], { cwd: folder, env });
    assert.equal(stdout, example.shown);
  });

  it("tells of every code, with its status, what to do on it", () => {
    const rows = page.matchAll(/^\| (\d{3}) +\| `([A-Z_]+)` +\| \S[^|]+\| \S[^|]+\|$/gm);
    const told = Object.fromEntries(Array.from(rows, ([, status, code = ""]) => [code, Number(status)]));
    assert.deepEqual(told, Object.fromEntries(failureCodes.map((code) => [code, statusOf[code]])));
  });
});
