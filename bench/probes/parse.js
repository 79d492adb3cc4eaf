/**
 * Times the reading and parsing of a JSON document. The start of Node does not count.
 *
 *     node parse.js <file>
 */
import { readFile } from "node:fs/promises";

const started = performance.now();
const { journal } = JSON.parse(await readFile(process.argv[2], "utf8"));
const seconds = (performance.now() - started) / 1000;
process.stdout.write(`${JSON.stringify({ seconds, journal: journal.length })}\n`);
