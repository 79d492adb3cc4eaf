/**
 * A probe: reads a JSON document and parses it. Node's own start is not counted.
 *
 *     node parse.js <file>
 */
import { readFile } from "node:fs/promises";

const [file = ""] = process.argv.slice(2);
const started = performance.now();
const { journal }: { journal: readonly unknown[] } = JSON.parse(await readFile(file, "utf8"));
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`${JSON.stringify({ seconds, journal: journal.length })}\n`);
