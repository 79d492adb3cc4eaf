/** Route tables that change by themselves while `serve` runs: cut off, and taking something away. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { readSeed } from "../../../src/operator/seed-file.ts";
import { Service } from "../../../src/service.ts";
import { revisionOf } from "../../../src/table/revision.ts";
import { followTables } from "../../../src/table-in-force/changes.ts";
import { TableHistory } from "../../../src/table-in-force/history.ts";
import { shippedRoutes, shippedSeed, temporaryFolder } from "../../_setup.ts";

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
  return {
    service,
    routes,
    warnings,
    revision: () => service.routes.status().revision,
    /** Replaces the file, which is then noticed. */
    async change(text: string, cause: "watch" | "signal" = "watch") {
      await writeFile(routes, text);
      await service.routes.reload(cause).catch((error) => service.warnOfRefusal(error));
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
  it("takes effect, whether it is noticed or a signal says so", async (t) => {
    const { revision, change } = await follow(t);
    await change(stricter);
    assert.equal(revision(), revisionOf(stricter));
    await change(shipped);
    await change(stricter, "signal");
    assert.equal(revision(), revisionOf(stricter));
  });

  it("waits for `routes reload` with --confirm-loss, as does one without a key or a route", async (t) => {
    const { service, warnings, revision, change } = await follow(t, true);
    await change(looser);
    assert.equal(revision(), revisionOf(looser));
    await change(stricter, "signal");
    const readmitting = looser.replace(/^excluded: .*\n/m, "");
    for (const text of [stricter, readmitting, `${cut}\n# nothing else`]) await change(text);
    assert.equal(revision(), revisionOf(looser));
    assert.equal(warnings.length, 4);
    for (const warning of warnings)
      assert.match(
        warning,
        /Because of --confirm-loss it waits: `addon-cli routes reload` puts it in force\.$/,
      );
    await change(stricter);
    await service.reloadRoutes(revisionOf(stricter));
    assert.equal(revision(), revisionOf(stricter));
  });
});
