/** The output of a service: bounded, never blocking, and every line is either written or counted. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { BufferedSink } from "../../../cli/terminal/buffered-sink.ts";

const timeout = 180_000;

/** A pipe without an active reader: it holds what is written until `read`. */
async function pipe(t: TestContext): Promise<{ descriptor: number; read(): string }> {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-pipe-"));
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  t.after(async () => {
    closeSync(reading);
    closeSync(descriptor);
    await rm(folder, { recursive: true });
  });
  const buffer = Buffer.alloc(256 * 1024);
  return {
    descriptor,
    read() {
      try {
        return buffer.toString("utf8", 0, readSync(reading, buffer));
      } catch {
        return "";
      }
    },
  };
}

it("keeps a bounded number of lines for a reader that stalls, and counts the others", {
  timeout,
}, async (t) => {
  const { descriptor, read } = await pipe(t);
  let dropped = 0;
  const sink = new BufferedSink(descriptor, {}, (lines) => {
    dropped += lines;
    sink.write("That was all.\n");
  });
  const line = `${"x".repeat(99)}\n`;
  const batch = line.repeat(100);
  const written = 100_000;
  for (let count = 0; count < written; count += 100) {
    sink.write(batch);
    if (count % 10_000 === 0) await setImmediate();
  }
  assert.ok(sink.droppedLines > 0, "dropped lines are counted while the reader stalls");
  let text = "";
  while (!text.endsWith("That was all.\n")) {
    text += read();
    await setImmediate();
  }
  const lines = text.split("\n").slice(0, -2);
  assert.ok(
    lines.every((line) => line.length === 99),
    "every line is whole",
  );
  assert.equal(lines.length + dropped, written);
  assert.equal(sink.droppedLines, dropped);
  // The buffer, and the capacity of a pipe.
  assert.ok(text.length < 1.5 * 1024 * 1024, `${text.length} bytes were kept`);
  await sink.close();
});

it("reports dropped lines although it closes before its reader goes on", { timeout }, async (t) => {
  const { descriptor, read } = await pipe(t);
  const sink = new BufferedSink(descriptor, {}, (lines) => sink.write(`Dropped ${lines}.\n`));
  const line = `${"x".repeat(99)}\n`;
  sink.write(line.repeat(10_000));
  sink.write(line.repeat(1_000));
  assert.equal(sink.droppedLines, 1_000);
  const closed = sink.close();
  let text = "";
  const deadline = performance.now() + 10_000;
  while (!text.endsWith("Dropped 1000.\n") && performance.now() < deadline) {
    text += read();
    await setImmediate();
  }
  await closed;
  assert.equal(text.length, 10_000 * line.length + "Dropped 1000.\n".length);
});

it("waits for its reader when it closes", { timeout }, async (t) => {
  const { descriptor, read } = await pipe(t);
  const sink = new BufferedSink(descriptor, {});
  const length = 512 * 1024;
  sink.write("x".repeat(length));
  let text = "";
  const closed = sink.close().then(() => text.length);
  await setImmediate();
  for (; text.length < length; await setImmediate()) text += read();
  assert.ok((await closed) > 0, "it was closed before anything was read");
});

it("closes although its reader stalls", { timeout }, async (t) => {
  const { descriptor, read } = await pipe(t);
  const sink = new BufferedSink(descriptor, {}, () => {});
  sink.write("x".repeat(512 * 1024));
  await sink.close();
  sink.write("The last line.\n");
  await sink.close();
  // Otherwise it would go on writing, to whatever gets the number of the closed descriptor.
  for (let text = ""; !text.endsWith("The last line.\n"); text += read()) await setImmediate();
});

it("closes, and goes on, where nothing can be written", { timeout }, async (t) => {
  const descriptor = openSync("/dev/full", "w");
  t.after(() => closeSync(descriptor));
  const sink = new BufferedSink(descriptor, {}, () => assert.fail("nothing was ever written"));
  for (let count = 0; count < 3; count++) {
    sink.write("x".repeat(1000));
    await setImmediate();
  }
  await sink.close();
});

it("is as wide as the terminal behind it, so that sentences are wrapped", { timeout }, async (t) => {
  const { descriptor } = await pipe(t);
  const terminal = { isTTY: true, columns: 80 };
  const sink = new BufferedSink(descriptor, terminal);
  terminal.columns = 60;
  assert.deepEqual([sink.isTTY, sink.columns], [true, 60]);
  const file = new BufferedSink(descriptor, {});
  assert.deepEqual([file.isTTY, file.columns], [false, 0]);
});
