/** Tests of behaviour on a journal in PostgreSQL: those of the store, and those of what it stores. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { onlyInFull } from "../../_depth.ts";
import { projectFolder } from "../../_setup.ts";
import { Postgres, withoutPostgres } from "./_postgres.ts";

const options = { skip: withoutPostgres || onlyInFull, timeout: 590_000 };

/**
 * Those that hold up no write of a data folder, and do not look at its files. Elsewhere a change waits first for the
 * folder's disk, and a node that cannot write its copy stops.
 */
const files = [
  ...["clock", "pruning", "reading"].map((name) => `store/${name}`),
  ...readdirSync(join(projectFolder, "test", "operations")).map((name) => `operations/${name.split(".")[0]}`),
  ...["undo", "undo-caller", "undo-lists", "undo-records", "undo-refused"].map(
    (name) => `operator/undo/${name}`,
  ),
  ...["memberships", "players", "roster", "tokens"].map((name) => `operator/${name}`),
  ...["authorized-when-decided", "idempotency", "properties", "read-only"].map((name) => `service/${name}`),
].map((name) => `test/${name}.test.ts`);

it("behaves as on the journal of a folder", options, async (t) => {
  const pg = await Postgres.start(t);
  // Hundreds of databases, none of which has to survive anything.
  await pg.query(async (sql) => {
    await sql`alter system set fsync = off`;
    await sql`select pg_reload_conf()`;
  });
  // Random cases that depend on no journal have been tried in full already.
  const { NODE_TEST_CONTEXT: _, TEST_DEPTH: _depth, ...env } = process.env;
  const server = pg.url.replace(/\/postgres$/, "");
  const args = ["--import", "tsx", "--test", "--test-force-exit", "--test-concurrency=2", ...files];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: projectFolder,
    encoding: "utf8",
    timeout: 570_000,
    env: { ...env, TEST_JOURNAL: server },
  });
  assert.equal(status, 0, stdout);
  assert.ok(Number(/# pass (\d+)/.exec(stdout)?.[1]) > 300, stdout);
});
