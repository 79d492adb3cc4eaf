/** Many commands at once, each a process: on a folder without a service, beside one, and beside one that dies. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isFull, onlyInFull } from "../../_depth.ts";
import { CliProcess, serveProcess } from "../../cli/_process.ts";
import { type Desk, emptyDesk } from "../../cli/_setup.ts";

/** Registers players, all at once. */
function addPlayers(desk: Desk, count: number): CliProcess[] {
  return Array.from({ length: count }, (_, number) => new CliProcess(desk, ["player", "add", `P${number}`]));
}

async function assertDone(commands: readonly CliProcess[]): Promise<void> {
  for (const command of commands) assert.equal(await command.ended, 0, command.stderr);
}

/** The players' names, as a command lists them. */
async function playersOf(desk: Desk): Promise<string[]> {
  return (await desk.json<{ name: string }[]>("player", "list")).map(({ name }) => name).sort();
}

const names = (count: number) => Array.from({ length: count }, (_, number) => `P${number}`).sort();

const atOnce = isFull ? 20 : 8;

describe("many commands at once", () => {
  it("on an empty folder all succeed, one after another, and none of their changes is lost", async (t) => {
    const desk = await emptyDesk(t);
    await assertDone(addPlayers(desk, atOnce));
    assert.deepEqual(await playersOf(desk), names(atOnce));
    // Only the first command seeds the names.
    await desk.withService(async (service) => {
      assert.equal(new Set(service.vocabulary().group).size, service.vocabulary().group.length);
      assert.deepEqual(service.store.warnings, []);
    });
  });

  it("beside a running service all succeed, and none of their changes is lost when it is killed", async (t) => {
    const desk = await emptyDesk(t);
    const { child } = await serveProcess(desk);
    await assertDone(addPlayers(desk, atOnce));
    assert.deepEqual(await playersOf(desk), names(atOnce));
    child.signal("SIGKILL");
    await child.ended;
    assert.deepEqual(await playersOf(desk), names(atOnce));
  });
});

describe("commands beside a service that ends meanwhile", () => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    // Killed, it has done less for them.
    const skip = signal !== "SIGKILL" && onlyInFull;
    it(`by ${signal}: acknowledged changes exist, and the others advise what to do`, { skip }, async (t) => {
      const desk = await emptyDesk(t);
      const { child } = await serveProcess(desk);
      const commands = addPlayers(desk, 8);
      // Some come before, some while, some after.
      await Promise.race([commands.at(-1)?.ended, new CliProcess(desk, ["player", "list"]).ended]);
      child.signal(signal);
      await child.ended;
      await Promise.all(commands.map(({ ended }) => ended));
      const players = await playersOf(desk);
      for (const [number, { ended, stderr }] of commands.entries()) {
        if ((await ended) === 0) assert.ok(players.includes(`P${number}`), `P${number} is lost`);
        else assert.match(stderr, /stopped|shutting down/);
      }
    });
  }
});
