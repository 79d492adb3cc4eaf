/** Route tables that change by themselves while `serve` runs: cut off, and taking something away. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { tableReloader } from "../../cli/serving/reloading.ts";
import { readSeed } from "../../src/operator/seed-file.ts";
import { Service } from "../../src/service.ts";
import { revisionOf } from "../../src/table/revision.ts";
import { followTables } from "../../src/table-in-force/changes.ts";
import { TableHistory } from "../../src/table-in-force/history.ts";
import { shippedRoutes, shippedSeed, temporaryFolder } from "../_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const stricter = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 5 }");
const looser = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 3 }");
/** The shipped table without its last routes. */
const cut = shipped.slice(0, shipped.lastIndexOf("\n  /bundle:"));

/** A service with a member of POLICE 4, whose table is followed as `serve` does. */
async function follow(t: TestContext, confirmsLoss = false) {
  const folder = await temporaryFolder(t);
  const routes = join(folder, "routes.yaml");
  await writeFile(routes, shipped);
  const warnings: string[] = [];
  const warn = (message: string, error?: unknown) =>
    void warnings.push(error instanceof Error ? `${message} ${error.message}` : message);
  const service = await Service.open({ folder: join(folder, "data"), routes, warn });
  t.after(() => service.close());
  await service.administer("seed.groups", await readSeed(shippedSeed));
  await service.administer("player.add", { name: "Ada", members: [{ organisation: "POLICE", rank: 4 }] });
  const history = new TableHistory(service.store.folder);
  followTables({ service, history, confirmsLoss, report: () => {}, warn });
  await service.routes.load();
  const reloader = tableReloader(service, { warn });
  t.after(() => reloader.close());
  return {
    service,
    routes,
    warnings,
    revision: () => service.routes.status().revision,
    /** Replaces the file, which is then noticed. */
    async change(text: string, cause: "watch" | "signal" = "watch") {
      await writeFile(routes, text);
      await reloader.reload(cause);
    },
  };
}

describe("a route table that is only the beginning of the one in force", () => {
  for (const [what, text] of [
    ["without its last routes", cut],
    ["with a space at its end", `${cut} \n`],
    ["that ends in a line", shipped.slice(0, shipped.indexOf(" at once\n\n  /bundle:"))],
  ] as const) {
    it(`${what} is refused, and \`routes reload\` puts it in force`, async (t) => {
      const { service, warnings, revision, change } = await follow(t);
      for (const cause of ["watch", "signal"] as const) await change(text, cause);
      assert.equal(revision(), revisionOf(shipped));
      assert.equal(warnings.length, 2);
      for (const warning of warnings)
        assert.match(
          warning,
          /is only the beginning .* cut off: `addon-cli routes reload` puts it in force all the same\.$/,
        );
      assert.match(service.routes.status().refused?.reason ?? "", /only the beginning/);
      await service.reloadRoutes(revisionOf(text));
      assert.equal(revision(), revisionOf(text));
    });
  }
});

it("a route table whose last line only lost its end takes effect", async (t) => {
  const { revision, change } = await follow(t, true);
  for (const text of [shipped.trimEnd(), `${shipped}\n`]) {
    await change(text);
    assert.equal(revision(), revisionOf(text));
  }
});

describe("a route table that takes something away", () => {
  it("takes effect once it has not changed for two seconds", async (t) => {
    const { service, warnings, revision, change } = await follow(t);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await change(stricter);
    t.mock.timers.tick(1999);
    const later = `${stricter}# saved again\n`;
    await change(later);
    t.mock.timers.tick(1999);
    await service.routes.settled();
    assert.equal(revision(), revisionOf(shipped));
    const { settling } = service.routes.status();
    assert.equal(settling?.revision, revisionOf(later));
    assert.ok(Math.abs(settling.at - Date.now() - 2000) < 60_000, `at ${settling.at}`);
    assert.match(
      warnings[0] ?? "",
      /^Revision \w+ takes something away\. Routes: 2 changed\. 1 player loses access, .* two seconds; `addon-cli routes reload` puts it in force at once\.$/,
    );
    t.mock.timers.tick(1);
    await service.routes.settled();
    assert.equal(revision(), revisionOf(later));
    assert.equal(service.routes.status().settling, null);
    // One about which an operator is asked does not take effect by itself.
    for (const table of [shipped, stricter]) await change(table);
    await service.routes.ask(revisionOf(stricter));
    assert.equal(service.routes.status().settling, null);
  });

  it("does not take effect if the file has another one by then, which takes its place", {
    timeout: 60_000,
  }, async (t) => {
    const { routes, revision, change } = await follow(t);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await change(stricter);
    await writeFile(routes, looser);
    t.mock.timers.tick(2000);
    while (revision() === revisionOf(shipped)) await setImmediate();
    assert.equal(revision(), revisionOf(looser));
  });

  it("takes effect at once on a signal and by `routes reload`, as does one that only gives", async (t) => {
    const { service, revision, change } = await follow(t);
    await change(looser);
    assert.equal(revision(), revisionOf(looser));
    await change(stricter, "signal");
    assert.equal(revision(), revisionOf(stricter));
    await change(shipped);
    const readmitting = shipped.replace(/^excluded: .*\n/m, "");
    for (const text of [`${cut}\n# nothing else`, readmitting]) {
      await change(text);
      assert.equal(revision(), revisionOf(shipped), "a route or a key is gone");
    }
    await service.reloadRoutes(revisionOf(readmitting));
    assert.equal(revision(), revisionOf(readmitting));
  });

  it("waits for `routes reload` with --confirm-loss", async (t) => {
    const { service, warnings, revision, change } = await follow(t, true);
    await change(stricter);
    await change(stricter, "signal");
    assert.equal(revision(), revisionOf(shipped));
    assert.equal(warnings.length, 2);
    assert.match(
      warnings[0] ?? "",
      /Because of --confirm-loss it waits: `addon-cli routes reload` puts it in force\.$/,
    );
    await service.reloadRoutes(revisionOf(stricter));
    assert.equal(revision(), revisionOf(stricter));
  });
});
