/** Preloaded into a command, prints its peak resident memory in bytes as its last line. */
import { writeSync } from "node:fs";

process.once("exit", () => writeSync(1, `\npeak ${process.resourceUsage().maxRSS * 1024}\n`));
