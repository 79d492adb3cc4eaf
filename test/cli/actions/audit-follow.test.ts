/** `audit --follow`: changes as they come, until it is stopped. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { connectControl } from "../../../src/control/client.ts";
import { segment, spoil } from "../../store/_faults.ts";
import { type Desk, linesOf, Running, seededDesk } from "../_setup.ts";

/** Returns a desk with a change, and a function that follows the audit until the end of the test. */
async function followed(t: TestContext) {
  const desk = await seededDesk(t);
  await add(desk, "Theft");
  const follow = (...args: readonly string[]) => {
    const running = new Running(["audit", "--follow", ...args], desk.folder, {});
    desk.beforeClear(() => running.stop());
    return running;
  };
  return { desk, follow };
}

const add = (desk: Desk, reason: string, ...args: readonly string[]) =>
  desk.ok("call", "/wantedreason/add", `reason=${reason}`, "points=1", ...args);

it("shows earlier changes, then each that comes, with the name of a player who is new, and exits with 0", async (t) => {
  const { desk, follow } = await followed(t);
  const running = follow("--limit", "1");
  await running.shows(/^2\t.*Theft$/m);
  await desk.ok("player", "add", "Bob", "--member", "POLICE:4");
  await add(desk, "Arson", "--as", "Bob");
  await running.shows(/^4\t.*\tBob\twantedreason\.add\tadded the entry wantedreason\/Arson$/m);
  assert.equal(await running.stop(), 0);
});

it("shows every change of a service once, also in new segments, and says when the service stops and starts", async (t) => {
  const { desk, follow } = await followed(t);
  const service = desk.serve();
  await service.shows(/Listening on/);
  const running = follow("--operation", "wantedreason");
  await running.shows(/^2\t/m);
  for (const reason of ["Arson", "Fraud", "Speed"]) {
    await add(desk, reason);
    await running.shows(new RegExp(`added the entry wantedreason/${reason}$`, "m"));
    await (await connectControl(desk.data))?.run("data.snapshot", {});
  }
  assert.equal(linesOf(running.stdout.text).length, 4);
  assert.equal(running.stderr.text, "");
  await service.stop();
  await running.shows(/No service runs on the data folder\./, running.stderr);
  await desk.serve().shows(/Listening on/);
  await running.shows(/The service runs again\./, running.stderr);
  assert.equal(await running.stop(), 0);
});

it("with a limit, ignores damage in older changes and knows all names", async (t) => {
  const { desk, follow } = await followed(t);
  await desk.ok("player", "add", "Bob", "--member", "POLICE:4");
  await desk.ok("data", "snapshot");
  await add(desk, "Fraud");
  await spoil(join(desk.data, segment(1)), 200);
  const running = follow("--limit", "1");
  await running.shows(/^4\t.*Fraud$/m);
  await add(desk, "Arson", "--as", "Bob");
  await running.shows(/^5\t.*\tBob\t.*Arson$/m);
  assert.equal(await running.stop(), 0);
});

it("shows nothing, and exits with 0, when it is stopped before it has read a change", async (t) => {
  const { follow } = await followed(t);
  const running = follow("--json");
  assert.equal(await running.stop(), 0);
  assert.equal(running.stdout.text, "");
});
