/** The signals of `serve`: stopping has a deadline, and an early reload is deferred. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { reloadSignal } from "../../../cli/serving/reloading.ts";
import { stopSignal } from "../../../cli/serving/stopping.ts";
import type { IO } from "../../../cli/terminal/io.ts";

/** Returns an environment for sending signals, and the aborts of the process. */
function surroundings() {
  const callbacks: (() => void)[] = [];
  const reloads: (() => void)[] = [];
  const ended: [number, string | undefined][] = [];
  const io: Pick<IO, "onStop" | "onReload" | "abort"> = {
    onStop: (callback) => void callbacks.push(callback),
    onReload: (callback) => void reloads.push(callback),
    abort: (code, message) => void ended.push([code, message]),
  };
  const signal = () => callbacks.forEach((callback) => void callback());
  return { io, ended, signal, hangUp: () => reloads.forEach((reload) => void reload()) };
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
  assert.match(ended[0]?.[1] ?? "", /more than 70 s.*acknowledged change is on disk/);
});

it("ends the process with 1 at a second signal, after half a second", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { io, ended, signal } = surroundings();
  stopSignal(io);
  signal();
  t.mock.timers.tick(500);
  assert.equal(ended.length, 0);
  signal();
  assert.equal(ended[0]?.[0], 1);
});

it("takes a signal that comes twice, as from `timeout`, for one", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { io, ended, signal } = surroundings();
  const stopping = stopSignal(io);
  signal();
  signal();
  t.mock.timers.tick(499);
  signal();
  assert.deepEqual([stopping.aborted, ended.length], [true, 0]);
});

it("makes up for signals to reload that came too early, once", () => {
  const { io, hangUp } = surroundings();
  const onReload = reloadSignal(io);
  hangUp();
  hangUp();
  let reloaded = 0;
  onReload(() => void reloaded++);
  assert.equal(reloaded, 1);
  hangUp();
  assert.equal(reloaded, 2);
});

it("reloads nothing where no signal came", () => {
  const { io } = surroundings();
  reloadSignal(io)(() => assert.fail("nobody asked for it"));
});
