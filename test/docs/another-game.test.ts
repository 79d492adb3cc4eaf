/** Tests of docs/another-game.md and docs/lists.md: what they show works as written. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { onlyInFull } from "../_depth.ts";
import { openWorld, projectFolder, shippedRoutes, temporaryFolder } from "../_setup.ts";
import { compiler } from "../clients/_setup.ts";
import { blocks, readPage, runBuildIn } from "./_page.ts";

const run = promisify(execFile);
const page = await readPage("docs/another-game.md");
const example = await readFile(join(projectFolder, "examples", "another-game", "routes.yaml"), "utf8");
const clientFolder = join(projectFolder, "client", "typescript");

it("the page makes a league from nothing, and a strict client of it", { skip: onlyInFull }, async (t) => {
  const folder = await temporaryFolder(t);
  const env = await runBuildIn(folder);
  const { stdout, stderr } = await run("bash", ["-ec", blocks(page, "walk").join("")], { cwd: folder, env });
  assert.doesNotMatch(
    stderr,
    /warning: (?!the group)/,
    "a table without house bans lists their operations as unserved",
  );
  for (const line of [
    "Added STEWARD, BANNED, RED, BLUE.",
    "Added the lap time Monza, Bob.",
    "The lap time Monza, Bob stays: its time is 83512, and only a lower one replaces it.",
    "Added the penalty 1.",
    '    "time": 83512,',
    "Added one WIN for Bob.",
    "The score is now 2 to 1.",
    '      "name": "Bob",',
  ])
    assert.ok(stdout.split("\n").includes(line), `${line} is missing in:\n${stdout}`);

  // A prefix can go on after the token.
  const openapi = join(folder, "openapi.json");
  const moved = (await readFile(openapi, "utf8")).replaceAll("{tokenString}", "{tokenString}/v2");
  await writeFile(openapi, moved);
  const client = join(folder, "client");
  await mkdir(client);
  for (const name of ["package.json", "tsconfig.json", "scripts"])
    await cp(join(clientFolder, name), join(client, name), { recursive: true });
  await cp(join(clientFolder, "src"), join(client, "src"), {
    recursive: true,
    filter: (path) => !path.endsWith("generated"),
  });
  await symlink(join(clientFolder, "node_modules"), join(client, "node_modules"));
  const use = `import { GameAddonClient } from "./index.ts";
export async function best(client: GameAddonClient): Promise<number | undefined> {
  await client.get("/lap/{track}/{driver}/set", { path: { track: "Monza", driver: "Bob" }, query: { time: 83000 } });
  // @ts-expect-error there is no such operation
  await client.get("/wantedreason");
  const [lap] = await client.get("/lap/{track}", { path: { track: "Monza" } });
  return lap?.time;
}
`;
  await writeFile(join(client, "src", "use.ts"), use);
  const tsx = join(projectFolder, "node_modules", "tsx", "dist", "loader.mjs");
  const options = { cwd: client, env: { ...env, PATH: process.env.PATH } };
  await run(process.execPath, ["--import", tsx, "scripts/generate.ts", openapi], options);
  await run(process.execPath, [compiler, "-p", ".", "--noEmit"], options);
  const operations = await readFile(join(client, "src", "generated", "operations.ts"), "utf8");
  assert.match(operations, /"\/racing\/v1\/\{tokenString\}\/v2";.*product: string = "racingmod"/s);
});

it("the page, grown as it says, is the example", () => {
  const [, second = ""] = /cat > routes\.yaml <<'END'\n([\s\S]*?)END\n/.exec(page) ?? [];
  const [list = ""] = blocks(page, "setup");
  const [routes = ""] = blocks(page, "setup-routes");
  const grown = second.replace("\nstatistics:", `${list}\nstatistics:`) + routes;
  assert.deepEqual(parse(grown), parse(example));
});

it("the list of docs/lists.md is added to the shipped table of a running service", async (t) => {
  const lists = await readPage("docs/lists.md");
  const [list = ""] = blocks(lists, "list");
  const [routes = ""] = blocks(lists, "routes");
  const world = await openWorld(t, { routes: await readFile(shippedRoutes, "utf8") });
  const { token } = await world.player("Ada", { members: { POLICE: 1 } });
  const grown = (await readFile(shippedRoutes, "utf8")).replace("\nlists:\n", `\nlists:\n${list}`) + routes;
  await writeFile(join(world.folder, "routes.yaml"), grown);
  await world.service.reloadRoutes();
  await world.ok(token, "/plates/add", { text: "LS-1234", owner: "Bob" });
  const expected = [{ text: "LS-1234", owner: "Bob", ownerUUID: null, price: 0 }];
  assert.deepEqual(await world.ok(world.publicToken, "/plates"), expected);
  assert.deepEqual((await world.ok(world.publicToken, "/bundle")).plates, expected);
});
