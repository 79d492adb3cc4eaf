/** A service whose file descriptors strangers try to exhaust by idle connections: commands and changes still work. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { it } from "node:test";
import { execute, serveProcess } from "./_process.ts";
import { emptyDesk } from "./_setup.ts";

const descriptors = 256;

/** Starts a process with that many. */
const limited = ["sh", "-c", `ulimit -n ${descriptors}; exec "$@"`, "sh"];

it("idle connections beyond the limit of open files lock out neither operators nor players", {
  timeout: 120_000,
  skip: process.platform === "win32" ? "there is no ulimit" : false,
}, async (t) => {
  const desk = await emptyDesk(t);
  const { open, token, base } = await serveProcess(desk, [], [], limited);
  const { hostname, port } = new URL(open);
  const idle: Socket[] = [];
  t.after(() => idle.forEach((socket) => void socket.destroy()));
  let closed = 0;
  for (let number = 0; number < 2 * descriptors; number += 1) {
    const socket = connect(Number(port), hostname);
    idle.push(socket);
    socket.on("error", () => {});
    await new Promise<void>((resolve) => {
      socket.once("connect", resolve).once("close", () => {
        closed += 1;
        resolve();
      });
    });
    // The system accepts connections even if the service does not: only an answer shows that it does.
    if (number % 32 === 0) assert.equal((await fetch(open)).status, 200);
  }
  const added = await execute(desk, ["player", "add", "Ada"]);
  assert.deepEqual([added.exitCode, added.stderr], [0, ""]);
  const changed = await fetch(`${base}/${token}/event/gangwar?attacker=1&defender=2`);
  assert.equal(changed.status, 200);
  assert.ok(closed > 0, "the oldest were closed");
  assert.ok(closed < idle.length, "not all were closed");
});
