/** Questions about access: by which table they are answered, and what is refused. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { readSeed } from "../../src/operator/seed-file.ts";
import { Service } from "../../src/service.ts";
import { revisionOf } from "../../src/table/revision.ts";
import type { TableText } from "../../src/table-in-force/route-table.ts";
import { questionsOf, shippedRoutes, shippedSeed, temporaryFolder } from "../_setup.ts";

// Without pages, which require that what they show is open.
const shipped = (await readFile(shippedRoutes, "utf8")).replace(/^pages: .*\n/m, "");
const path = "/statistic/{player}";
const start = shipped.indexOf(`  ${path}:`);
/** The shipped table, where only players may read statistics. */
const narrowed =
  shipped.slice(0, start) + shipped.slice(start).replace("restriction: open", "restriction: identified");
const draft: TableText = { file: "draft.yaml", text: narrowed };
const faulty: TableText = { file: "faulty.yaml", text: "routes: 1\n" };

async function ask(t: TestContext): Promise<{ questions: ReturnType<typeof questionsOf>; routes: string }> {
  const folder = await temporaryFolder(t);
  const routes = join(folder, "routes.yaml");
  await writeFile(routes, shipped);
  const service = await Service.open({ folder: join(folder, "data"), routes });
  t.after(() => service.close());
  await service.administer("seed.groups", await readSeed(shippedSeed));
  return { questions: questionsOf(service), routes };
}

/** Asserts that the faults of {@link faulty} are reported, with its text. */
async function assertFaulty(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => assert.fail("it was answered"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Failure, String(error));
  const { file, text, faults } = error.faultyFile ?? assert.fail(String(error));
  assert.deepEqual([file, text, faults.length], [faulty.file, faulty.text, 2]);
}

it("whether a caller may call an operation is decided by the table in force, or by another one", async (t) => {
  const { questions } = await ask(t);
  const inForce = await questions.canI("public", path, []);
  assert.deepEqual([inForce.allowed, inForce.revision], [true, revisionOf(shipped)]);
  const other = await questions.canI("public", path, [], draft);
  assert.deepEqual([other.allowed, other.revision], [false, revisionOf(narrowed)]);
  await assertFaulty(questions.canI("public", path, [], faulty));
});

it("who may call an operation is decided by the table in force, or by another one", async (t) => {
  const { questions } = await ask(t);
  const words = async (by?: TableText) => JSON.stringify(await questions.whoCan(path, [], by));
  assert.notEqual(await words(), await words(draft));
  assert.equal(await words(), await words({ file: "same.yaml", text: shipped }));
  await assertFaulty(questions.whoCan(path, [], faulty));
});

it("the table in force is compared with its file as it is now, or with another one", async (t) => {
  const { questions, routes } = await ask(t);
  const revisionsOf = async (...texts: readonly (TableText | undefined)[]) => {
    const { before, after } = await questions.diff(...texts);
    return [before, after].map(({ file, revision }) => [file, revision]);
  };
  const [first, second] = [revisionOf(shipped), revisionOf(narrowed)];
  assert.deepEqual(await revisionsOf(draft), [
    [routes, first],
    ["draft.yaml", second],
  ]);
  assert.deepEqual(await revisionsOf(undefined, draft), [
    ["draft.yaml", second],
    [routes, first],
  ]);
  await writeFile(routes, narrowed);
  assert.deepEqual(await revisionsOf(), [
    [routes, first],
    [routes, second],
  ]);
  await assertFaulty(questions.diff(faulty));
  await assertFaulty(questions.diff(draft, faulty));
});
