/**
 * A probe: appends a record to a file and syncs it, again and again, with nothing around it.
 *
 *     node append.js <file> <bytes> <seconds>
 */
import { open } from "node:fs/promises";

const [path = "", bytes = "0", seconds = "0"] = process.argv.slice(2);
const record = Buffer.alloc(Number(bytes), "x");
const file = await open(path, "w", 0o600);
let position = 0;

async function append(): Promise<void> {
  await file.write(record, 0, record.length, position);
  await file.datasync();
  position += record.length;
}

// The first ones find the code cold.
for (let each = 0; each < 50; each += 1) await append();
const started = performance.now();
let count = 0;
do {
  await append();
  count += 1;
} while (performance.now() - started < Number(seconds) * 1000);
const took = (performance.now() - started) / 1000;
process.stdout.write(`${JSON.stringify({ count, seconds: took })}\n`);
await file.close();
