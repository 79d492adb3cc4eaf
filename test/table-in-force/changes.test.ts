/** Following the tables that are put in force: each is reported before the next one and before the end. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { readSeed } from "../../src/operator/seed-file.ts";
import { Service } from "../../src/service.ts";
import { revisionOf } from "../../src/table/revision.ts";
import type { TablePutInForce } from "../../src/table-in-force/route-table.ts";
import { questionsOf, shippedRoutes, shippedSeed, temporaryFolder } from "../_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const other = `${shipped}# other\n`;

async function openService(t: TestContext): Promise<{ service: Service; routes: string }> {
  const folder = await temporaryFolder(t);
  const routes = join(folder, "routes.yaml");
  await writeFile(routes, shipped);
  const service = await Service.open({ folder: join(folder, "data"), routes });
  await service.administer("seed.groups", await readSeed(shippedSeed));
  return { service, routes };
}

/** Notes the next table only when it is told to, and says when that has begun. */
function noteSlowly({ routes }: Service): { begun: Promise<void>; noted: () => void } {
  let noted = () => {};
  const noting = new Promise<void>((resolve) => {
    noted = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    routes.follow(() => {
      resolve();
      return noting;
    });
  });
  return { begun, noted: () => noted() };
}

it("each table that is put in force is reported with the one before, but not the same table again", async (t) => {
  const { service, routes } = await openService(t);
  const notes: TablePutInForce[] = [];
  service.routes.follow(async (put) => void notes.push(put));
  await service.routes.load();
  await service.routes.reload("signal");
  await writeFile(routes, other);
  await service.routes.reload("watch");
  await writeFile(routes, "routes: 1\n");
  await assert.rejects(service.routes.reload("watch"), /routes\.yaml has \d+ faults/);
  await writeFile(routes, shipped);
  await service.reloadRoutes(undefined, "rollback");
  await service.close();
  const [first, second] = [revisionOf(shipped), revisionOf(other)];
  assert.deepEqual(
    notes.map(({ cause, before, table }) => [
      cause,
      before?.revision,
      table.revision,
      revisionOf(table.text),
    ]),
    [
      ["start", undefined, first, first],
      ["watch", first, second, second],
      ["rollback", second, first, first],
    ],
  );
});

it("a named pipe instead of the file does not block", {
  skip: process.platform === "win32",
  timeout: 60_000,
}, async (t) => {
  const { service, routes } = await openService(t);
  await service.routes.load();
  const pipe = `${routes}.pipe`;
  execFileSync("mkfifo", [pipe]);
  // Open for writing as well: should somebody read it after all, closing it lets go of them.
  const writer = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(writer));
  await rename(pipe, routes);
  await assert.rejects(service.routes.reload("watch"), { message: /is a pipe instead of a regular file\.$/ });
  await assert.rejects(questionsOf(service).diff(), { message: /is a pipe instead of a regular file\.$/ });
  await service.close();
});

it("a table is in force while it is reported, for which the next one and closing wait", async (t) => {
  const { service, routes } = await openService(t);
  await service.routes.load();
  const { begun, noted } = noteSlowly(service);
  await writeFile(routes, other);
  const reloaded = service.routes.reload("watch");
  await begun;
  assert.equal(service.routes.status().revision, revisionOf(other));
  const order: string[] = [];
  const closed = service.close().then(() => order.push("closed"));
  // Closing would be over by now if it did not wait: it writes to the disk less often than this does.
  for (let index = 0; index < 20; index += 1) await writeFile(routes, shipped);
  order.push("noted");
  noted();
  await Promise.all([reloaded, closed]);
  assert.deepEqual(order, ["noted", "closed"]);
});

it("a reviewed revision is put in force only if the file still has it", async (t) => {
  const { service, routes } = await openService(t);
  await service.routes.load();
  const { begun, noted } = noteSlowly(service);
  await writeFile(routes, other);
  const first = service.routes.reload("watch");
  await begun;
  const lookedAt = `${shipped}# looked at\n`;
  await writeFile(routes, lookedAt);
  const second = service.reloadRoutes(revisionOf(lookedAt)).then(
    () => "put in force",
    (error: Error) => error.message,
  );
  // A check that does not wait for its turn would be over by now: it reads one file.
  for (let index = 0; index < 20; index += 1) await readFile(routes, "utf8");
  await writeFile(routes, `${shipped}# nobody looked at this\n`);
  noted();
  await first;
  assert.match(await second, /changed during the review/);
  assert.equal(service.routes.status().revision, revisionOf(other));
  await service.close();
});

it("a revision about which an operator is asked takes effect by the answer only, until the file changes", async (t) => {
  const { service, routes } = await openService(t);
  await service.routes.load();
  await writeFile(routes, other);
  assert.equal(await service.routes.ask(revisionOf(other)), revisionOf(shipped));
  await assert.rejects(service.routes.reload("watch"), /does not take effect by itself/);
  assert.equal(service.routes.status().revision, revisionOf(shipped));
  await service.reloadRoutes(revisionOf(other));
  // The watch still looks at it.
  assert.deepEqual(await service.routes.reload("watch"), { revision: revisionOf(other), changed: false });
  assert.deepEqual(
    [service.routes.status().revision, service.routes.status().refused],
    [revisionOf(other), null],
  );
  await writeFile(routes, shipped);
  await service.routes.reload("watch");
  await service.routes.ask(revisionOf(other));
  await writeFile(routes, "routes: 1\n");
  await assert.rejects(service.routes.reload("watch"), /has 2 faults/);
  await writeFile(routes, other);
  assert.deepEqual(await service.routes.reload("watch"), { revision: revisionOf(other), changed: true });
  await service.close();
});

it("a revision that takes effect while its operator is about to be asked is in force before the question", async (t) => {
  const { service, routes } = await openService(t);
  await service.routes.load();
  let asked: Promise<string> | undefined;
  const review = async () => {
    asked = service.routes.ask(revisionOf(other));
    return undefined;
  };
  service.routes.follow(async () => {}, review);
  await writeFile(routes, other);
  await service.routes.reload("watch");
  assert.equal(await asked, revisionOf(other));
  await service.close();
});
