/** The deadline of stopping `serve` (step 6, B11). */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { IO } from "../../cli/io.ts";
import { stopSignal } from "../../cli/stopping.ts";

/** Surroundings in which a signal can be sent; and what ended the process. */
function surroundings() {
  const callbacks: (() => void)[] = [];
  const ended: [number, string | undefined][] = [];
  const io: IO = {
    stdout: { write: () => {} },
    stderr: { write: () => {} },
    env: {},
    cwd: "/",
    readInput: async () => "",
    onStop: (callback) => void callbacks.push(callback),
    onReload: () => {},
    detachOutput: async () => ({ close: async () => {} }),
    abort: (code, message) => void ended.push([code, message]),
    leaveSoon: () => {},
  };
  return { io, ended, signal: () => callbacks.forEach((each) => void each()) };
}

it("ends the process with 1 when stopping takes more than 70 s", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { io, ended, signal } = surroundings();
  const stopping = stopSignal(io);
  t.mock.timers.tick(1_000_000);
  assert.deepEqual([stopping.aborted, ended.length], [false, 0]);
  signal();
  assert.equal(stopping.aborted, true);
  t.mock.timers.tick(69_999);
  assert.equal(ended.length, 0);
  t.mock.timers.tick(1);
  assert.equal(ended.length, 1);
  assert.equal(ended[0]?.[0], 1);
  assert.match(ended[0]?.[1] ?? "", /more than 70 s.*acknowledged is on the disk/);
});

it("ends the process with 1 at the second signal", () => {
  const { io, ended, signal } = surroundings();
  stopSignal(io);
  signal();
  assert.equal(ended.length, 0);
  signal();
  assert.equal(ended[0]?.[0], 1);
});
