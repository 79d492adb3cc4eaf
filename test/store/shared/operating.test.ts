/** What operators do with the journal that machines share, and their mistakes. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { withoutPassword } from "../../../src/store/shared/connection.ts";
import { readJournal } from "../../../src/store/shared/postgres-tables.ts";
import { onlyInFull } from "../../_depth.ts";
import { emptyDesk, seededDesk } from "../../cli/_setup.ts";
import { Node, startNodes, until } from "./_nodes.ts";
import { Postgres, withoutPostgres } from "./_postgres.ts";

const options = { skip: withoutPostgres, timeout: 120_000 };
const long = { ...options, skip: withoutPostgres || onlyInFull };

it("the role of `journal init --print` may begin the journal, and serve", options, async (t) => {
  const pg = await Postgres.start(t);
  const desk = await seededDesk(t);
  const printed = await desk.ok("journal", "init", "--print", "gameaddon");
  await pg.query((sql) => sql.unsafe(printed));
  assert.match(await desk.misused("journal", "init", "--print", "a b"), /expected the name of a role/);
  const url = pg.url.replace("postgres@", "gameaddon@");
  assert.match(
    await desk.fails("--journal", url, "player", "add", "Bo"),
    /head is empty[\s\S]*`addon-cli journal init`/,
  );
  await desk.ok("journal", "init", url);
  const [one, other] = [new Node(desk, url, []), new Node(await emptyDesk(t), url, [])];
  for (const node of [one, other]) await node.start();
  await one.command("player", "add", "Ada");
  await until(async () => (await other.command("player", "list")).includes("Ada"));
  assert.equal((await other.desk.run(["audit"])).stderr, "");
});

it("an empty folder joins after a mistaken `journal init`, and before a restore", long, async (t) => {
  const pg = await Postgres.start(t);
  const { nodes } = await startNodes(t, pg, 1);
  const desk = await emptyDesk(t);
  await desk.fails("journal", "init", pg.url);
  assert.match(await new Node(desk, pg.url, []).command("player", "add", "Bo"), /^Registered Bo\./);
  const [one, another] = [nodes[0] as Node, new Node(await emptyDesk(t), pg.url, [])];
  const file = join(desk.folder, "backup.gz");
  await one.command("data", "backup", file);
  await one.command("player", "add", "Cy");
  assert.match(await one.desk.fails("data", "restore", file), /on all machines that share the journal/);
  await another.command("data", "restore", file, "--yes");
  await until(async () => !(await one.command("player", "list")).includes("Cy"));
});

it("a copy of a shared journal is not repaired: it would go on there without what was lost", async (t) => {
  const desk = await seededDesk(t);
  await desk.write("data/shared-journal", "some\n");
  assert.match(
    await desk.fails("data", "repair", "--yes"),
    /is a copy of a journal[\s\S]*Move its files away/,
  );
});

it("commands that read a stopped machine's folder say, once, up to which change it is a copy", async (t) => {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  const stderrs = async () => {
    const commands = ["player list", "player show Ada --everything", "roster export", "audit --limit 1"];
    const ran = [...commands, "data backup copy.gz --force", "data verify", "data status"].map((line) =>
      desk.run([...line.split(" "), "--json"]),
    );
    return (await Promise.all(ran)).map(({ stderr }) => stderr);
  };
  for (const text of await stderrs()) assert.doesNotMatch(text, /shared journal/);
  await desk.write("data/shared-journal", "some\n");
  const { sequence } = JSON.parse(await desk.ok("data", "status", "--json")).lastChange;
  for (const text of await stderrs())
    assert.equal(text.split(`copy of a shared journal, up to change ${sequence}, and`).length, 2, text);
});

it("a machine does not take its own earlier route table for that of another", long, async (t) => {
  const { nodes } = await startNodes(t, await Postgres.start(t), 1);
  const [one] = nodes as [Node];
  const status = async () => JSON.parse(await one.command("--json", "journal", "status")).nodes;
  await until(async () => (await status())[0]?.table !== null && (await status()).length === 1);
  assert.match(await one.command("journal", "status"), /^\S+\t\d+\t\d+\t[0-9a-f]{12}\t\d{1,3} s ago$/m);
  const table = (await readFile(join(one.desk.folder, "routes.yaml"), "utf8")).replace(
    "summary: Adds a player to the list.",
    "summary: Adds one.",
  );
  await one.desk.write("routes.yaml", table);
  await one.command("routes", "reload");
  assert.equal((await one.ready()).remark, undefined);
});

it("a password in a URL is in no message", async () => {
  for (const url of [
    "postgres://u:s3/cret@h/d",
    "postgres://u:s3cret@h:99999/d",
    "mysql://u:s3cret@h/d",
    "u:s3cret@h",
  ])
    await assert.rejects(
      readJournal(url),
      (error: Error) => !/cret/.test(`${error.stack}${JSON.stringify(error)}`),
    );
  assert.equal(withoutPassword("postgres://u:s3@cret@h:5432/d?password=s3cret"), "postgres://u@h:5432/d");
  assert.equal(withoutPassword("postgres://u@h1:1,h2:2/d"), "postgres://u@h1:1,h2:2/d");
});
