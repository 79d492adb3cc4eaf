/** Tests of docs/clients.md: its examples, run with another address, print what the page shows. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { failureCodes } from "../../src/domain/errors.ts";
import { statusOf } from "../../src/engine/response.ts";
import { onlyInFull } from "../_depth.ts";
import {
  assertIncludes,
  type Cleanup,
  openWorld,
  projectFolder,
  shippedRoutes,
  temporaryFolder,
} from "../_setup.ts";
import { emptyDesk } from "../cli/_setup.ts";
import { installClient } from "../clients/_client.ts";
import { withoutJava } from "../clients/_java.ts";
import { compiler, run } from "../clients/_setup.ts";
import { noBrowser, openPage as openBrowserPage, startBrowser } from "../http/_browser.ts";
import { shippedDescription } from "../openapi/_description.ts";
import { readPage } from "./_page.ts";

const page = await readPage("docs/clients.md");
const pageUrl = "http://127.0.0.1:8888";
const mark = "=== end of example ===";

interface Example {
  readonly code: string;
  /** What the page says that it prints. */
  readonly shown: string;
}

/** Returns the examples in a language, in the order of the page: later ones build on earlier ones. */
function examples(language: string): Example[] {
  const form = new RegExp(
    `\`\`\`${language}\\n([\\s\\S]*?)\`\`\`\\n(?:\\n\`\`\`text\\n([\\s\\S]*?)\`\`\`)?`,
    "g",
  );
  return Array.from(page.matchAll(form), ([, code = "", shown = ""]) => ({ code, shown }));
}

/** Returns all examples in a language as one program, which calls `url` and prints a mark after each. */
function programOf(language: string, toMark: string, url: string): string {
  const code = examples(language).map((example) => `${example.code}\n${toMark}\n`);
  return code.join("").replaceAll(pageUrl, url);
}

function assertShown(language: string, stdout: string): void {
  const shown = stdout
    .replaceAll(/"requestId":"[0-9a-f-]{36}"/g, '"requestId":"<id>"')
    .replaceAll(/gat_[\w-]{43}/g, "gat_…")
    .split(`${mark}\n`);
  assert.equal(shown.pop(), "", "nothing is printed after the last example");
  assert.deepEqual(
    shown.map((text) => text.trim()),
    examples(language).map((example) => example.shown.trim()),
  );
}

/** Opens the service that the page assumes: Ada has a low rank in the police, and there is one wanted reason. */
async function openPage(t: Cleanup) {
  const world = await openWorld(t, { transport: "socket" });
  const { token } = await world.player("Ada", {
    uuid: "069a79f444e94726a5befca90e38aaf5",
    members: { POLICE: 2 },
  });
  const { invitations } = await world.service.administer("token.invite", { player: "Ada" });
  const { token: chief } = await world.player("Olga", { members: { POLICE: 9 } });
  await world.ok(chief, "/wantedreason/add", { reason: "Bank-robbery", points: 60 });
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    GAMEADDON_TOKEN: token,
    GAMEADDON_CODE: invitations[0]?.code,
  };
  return { world, folder: await temporaryFolder(t), env };
}

/** Serves a web page from another origin than the service. Returns its URL. */
async function servePage(t: Cleanup, html: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
    response.end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}/`;
}

describe("the page about writing a client", () => {
  it("has shell examples that work", async (t) => {
    const { world, folder, env } = await openPage(t);
    const script = programOf("sh", `echo "${mark}"`, world.url);
    const { stdout } = await run("bash", ["-euc", script], { cwd: folder, env });
    assertShown("sh", stdout);
  });

  it("has TypeScript examples that compile with the packed client and work", {
    skip: onlyInFull,
  }, async (t) => {
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

  it("leads to a client whose page says how large its modules are", async (t) => {
    const folder = await temporaryFolder(t);
    await installClient(folder);
    const dist = join(folder, "node_modules", "gameaddon-client", "dist");
    const names = await readdir(dist, { recursive: true });
    const modules = names.filter((name) => name.endsWith(".js"));
    const sizes = await Promise.all(modules.map(async (name) => (await stat(join(dist, name))).size));
    const total = Math.round(sizes.reduce((sum, size) => sum + size) / 1000);
    const page = await readFile(join(projectFolder, "client", "typescript", "README.md"), "utf8");
    assertIncludes(page, `: ${total} kB of modules`);
  });

  it("has a Java example that works", { skip: withoutJava || onlyInFull }, async (t) => {
    const { world, folder, env } = await openPage(t);
    const [example, ...more] = examples("java");
    assert.ok(example !== undefined && more.length === 0, "the page has one example in Java");
    await writeFile(join(folder, "Kill.java"), example.code.replace(pageUrl, world.url));
    const { stdout } = await run("java", ["Kill.java"], { cwd: folder, env });
    assert.equal(stdout, example.shown);
  });

  it("has a seed that a first start takes, and a route with a limit for the viewers that it counts", async (t) => {
    const [seed = "", route = ""] = Array.from(
      page.matchAll(/<!-- (?:seed|event limit) -->\n {2}```yaml\n(.*?) {2}```/gs),
      ([, block = ""]) => block,
    );
    const desk = await emptyDesk(t);
    await mkdir(join(desk.folder, "data"));
    await desk.write("data/seed.yaml", seed);
    await desk.ok("player", "add", "Ada");
    assert.deepEqual(JSON.parse(await desk.ok("call", "/player/groups")), parse(seed).groups);
    const shipped = await readFile(shippedRoutes, "utf8");
    const table: { limits: { reads: unknown }; routes: Record<string, { limit?: unknown }> } = parse(shipped);
    const { limit, ...event } = parse(route)["/event"];
    assert.deepEqual(table.routes["/event"], event);
    await desk.write(
      "routes.yaml",
      shipped.replace(/^ {4}handler: event\.current\n/m, (line) => {
        return `${line}    limit: ${JSON.stringify(limit)}\n`;
      }),
    );
    await desk.ok("routes", "check");
    await desk.write("routes.test.yaml", await readFile("routes.test.yaml", "utf8"));
    const foreign = (await desk.fails("routes", "test")).matchAll(/unknown .* "(\w+)"; expected/g);
    const named = [...new Set(Array.from(foreign, ([, name = ""]) => name))];
    for (const name of named) assertIncludes(page, `\`${name}\``);
    assert.deepEqual(named, ["GROVE", "BALLAS"]);
    // 50 viewers every 5 seconds, and 200 with a limit of their own.
    assert.deepEqual([table.limits.reads, limit.rate], [{ rate: `${50 / 5}/s`, burst: 60 }, `${200 / 5}/s`]);
  });

  it("has a web page that works and shows texts as plain text", {
    skip: noBrowser || onlyInFull,
  }, async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const { token: chief } = await world.player("Olga", { members: { RESCUE: 9 } });
    const hostile = "Run-away-<img/src=x/onerror=document.title='run'>";
    await world.ok(chief, "/housebanreason/add", { reason: hostile, days: 3 });
    await world.ok(chief, "/houseban/add", { name: "Mallory", reason: hostile });
    const { token, id } = await world.service.administer("token.issue", { readOnly: true });
    const [example, ...more] = examples("html");
    assert.ok(example !== undefined && more.length === 0, "the page has one example of a web page");
    const browser = await startBrowser(t);
    const { page: shown, errors } = await openBrowserPage(t, browser, { locale: "en-GB", timezoneId: "UTC" });
    await shown.goto(await servePage(t, example.code.replace(pageUrl, world.url).replace("gat_…", token)));
    await shown.locator("li").waitFor();
    const texts = await shown.locator("li").allTextContents();
    assert.deepEqual(texts, ["Mallory: Run away <img/src=x/onerror=document.title='run'>, until 24/11/2026"]);
    assert.equal(await shown.title(), "House bans");
    await shown.reload();
    await shown.locator("li").waitFor();
    assert.deepEqual(errors, []);
    const reads = world.log.filter(({ route, method }) => route === "/houseban" && method === "GET");
    assert.deepEqual(
      reads.map(({ status }) => status),
      [200, 304],
    );

    await world.service.administer("token.revoke", { id });
    await shown.reload();
    await shown.getByText("This addon token was revoked.").waitFor();
  });

  it("lists every property that needs 64 bits or can be null", async () => {
    const description = await shippedDescription();
    const bullet = (begin: string) =>
      new RegExp(`^- \\*\\*${begin}[\\s\\S]*?(?=^- )`, "m").exec(page)?.[0] ?? "";
    const named = { long: new Set<string>(), nullable: new Set<string>() };
    JSON.stringify(description, (name, value: unknown) => {
      const isProperty = !/^(?:schema|items|\d+)$/.test(name);
      if (!isProperty || typeof value !== "object" || value === null) return value;
      const { format, type }: { format?: unknown; type?: unknown } = value;
      if (format === "int64") named.long.add(name);
      if (Array.isArray(type) && type.includes("null")) named.nullable.add(name);
      return value;
    });
    assert.ok(named.long.has("duration") && named.nullable.has("uuid"), "the description has both");
    for (const name of named.long) assertIncludes(bullet("Whole numbers"), `\`${name}\``);
    for (const name of named.nullable) assertIncludes(bullet("Some values can be null"), `\`${name}\``);
  });

  it("says for every failure code what to do", () => {
    const rows = page.matchAll(/^\| (\d{3}) +\| `([A-Z_]+)` +\| \S[^|]+\| \S[^|]+\|$/gm);
    const listed = Object.fromEntries(Array.from(rows, ([, status, code = ""]) => [code, Number(status)]));
    assert.deepEqual(listed, Object.fromEntries(failureCodes.map((code) => [code, statusOf[code]])));
  });
});
