/** The operations of commands on a store that the command itself has open: as on a service, which starts only if needed. */
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { type Control, controlOf } from "../../src/control/operations.ts";
import { readSeed } from "../../src/operator/seed-file.ts";
import { Service } from "../../src/service.ts";
import { openWorld, shippedRoutes, shippedSeed, temporaryFolder } from "../_setup.ts";

const holder = { pid: 7, url: "http://here", since: 0 };

/** Opens a service, and its control with and without it. */
async function open(t: TestContext) {
  const { service, publicToken } = await openWorld(t);
  await service.administer("player.add", { name: "Ada", members: [{ organisation: "POLICE", rank: 4 }] });
  let starts = 0;
  const start = async () => {
    starts += 1;
    return service;
  };
  const alone = controlOf({ ...service.environment, service: start, holder: null });
  const beside = controlOf({ ...service.environment, service: async () => service, holder });
  return { alone, beside, service, publicToken, starts: () => starts };
}

/** Operations that need a service, with the same result each time. */
const questions: Record<string, (control: Control) => Promise<unknown>> = {
  call: (control) => control.run("call", { path: "/wantedreason", parameters: [], as: "Ada" }),
  "call that is refused": (control) =>
    control.run("call", { path: "/wantedreason", parameters: [["x", "y"]], as: "Ada" }),
  vocabulary: (control) => control.run("vocabulary", {}),
  "routes.status": (control) => control.run("routes.status", {}),
  "routes.diff": (control) => control.run("routes.diff", {}),
  "can-i": (control) => control.run("can-i", { who: "Ada", path: "/wantedreason/add", parameters: [] }),
  "who-can": (control) => control.run("who-can", { path: "/wantedreason/add", parameters: [] }),
  readiness: (control) => control.run("readiness", {}),
  "routes.reload": (control) => control.run("routes.reload", {}),
};

for (const [name, ask] of Object.entries(questions)) {
  it(`the operation ${name} on a store starts a service, and has the same result as on one`, async (t) => {
    const { alone, beside, starts } = await open(t);
    const withoutId = (value: unknown) =>
      JSON.stringify(value, (key, part) => (key === "requestId" ? undefined : part));
    const expected = withoutId(await ask(beside));
    assert.equal(withoutId(await ask(alone)), expected);
    assert.match(expected, /^\{.+\}$/);
    assert.equal(starts(), 1);
  });
}

it("a call returns whether it succeeded, with its body", async (t) => {
  const { beside } = await open(t);
  assert.deepEqual(await beside.run("call", { path: "/wantedreason", parameters: [], as: "Ada" }), {
    ok: true,
    body: [],
  });
  const refused = await beside.run("call", { path: "/wantedreason/add", parameters: [], as: "Ada" });
  assert.equal(refused.ok, false);
  assert.ok("code" in refused.body && refused.body.code === "PARAMETER_MISSING", JSON.stringify(refused));
});

it("a snapshot on a store or a service is written when its number is returned", async (t) => {
  const { alone, beside, service, starts } = await open(t);
  for (const control of [beside, alone]) {
    const { info } = await service.administer("player.reset-statistic", { player: "Ada" });
    assert.match(info, /Ada/);
    const { sequence } = await control.run("data.snapshot", {});
    const name = `snapshot-${String(sequence).padStart(12, "0")}.jsonl`;
    assert.ok((await stat(join(service.store.folder, name))).size > 0);
  }
  assert.equal(starts(), 0);
});

it("only a service has a holder", async (t) => {
  const { alone, beside, starts } = await open(t);
  assert.deepEqual(
    [await beside.run("holder", {}), await alone.run("holder", {}), starts()],
    [{ ...holder, isCut: false }, null, 0],
  );
});

it("the status of the routes loads the table", async (t) => {
  const service = await Service.open({ folder: await temporaryFolder(t), routes: shippedRoutes });
  t.after(() => service.close());
  await service.administer("seed.groups", await readSeed(shippedSeed));
  const control = controlOf({ ...service.environment, service: async () => service, holder });
  const { file, routes, refused } = await control.run("routes.status", {});
  assert.deepEqual([file, refused], [shippedRoutes, null]);
  assert.ok(routes > 10, `${routes} routes`);
});
