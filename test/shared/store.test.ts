/** The store's own tests on a journal in PostgreSQL. Runs alone. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { isFull } from "../_depth.ts";
import { projectFolder } from "../_setup.ts";
import { Postgres, withoutPostgres } from "./_postgres.ts";

const options = { skip: withoutPostgres || !isFull, timeout: 290_000 };

/** Those that open stores, but hold up no write of their folders, and do not look at the files that a new one has. */
const ownTests = ["clock", "pruning", "reading"].map((name) => `test/store/${name}.test.ts`);

it("the store passes its own tests on it", options, async (t) => {
  const pg = await Postgres.start(t);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const server = pg.url.replace(/\/postgres$/, "");
  const args = ["--import", "tsx", "--test", "--test-force-exit", ...ownTests];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: projectFolder,
    encoding: "utf8",
    timeout: 240_000,
    env: { ...env, TEST_JOURNAL: server },
  });
  assert.equal(status, 0, stdout);
  assert.ok(Number(/# pass (\d+)/.exec(stdout)?.[1]) > 30, stdout);
});
