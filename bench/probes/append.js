/**
 * Appends a record to a file and syncs it, again and again.
 *
 *     node append.js <file> <bytes> <seconds>
 */
import { open } from "node:fs/promises";

const [path, bytes, seconds] = process.argv.slice(2);
const record = Buffer.alloc(Number(bytes), "x");
const file = await open(path, "w", 0o600);
let position = 0;

async function append() {
  await file.write(record, 0, record.length, position);
  await file.datasync();
  position += record.length;
}

// The first ones warm up the code.
for (let each = 0; each < 50; each += 1) await append();
const started = performance.now();
const elapsed = () => (performance.now() - started) / 1000;
let count = 0;
do {
  await append();
  count += 1;
} while (elapsed() < Number(seconds));
process.stdout.write(`${JSON.stringify({ count, seconds: elapsed() })}\n`);
await file.close();
