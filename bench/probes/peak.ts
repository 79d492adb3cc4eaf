/** A probe, to be preloaded into a command: when it ends, its last line says how many bytes were resident at most. */
import { writeSync } from "node:fs";

process.once("exit", () => writeSync(1, `\npeak ${process.resourceUsage().maxRSS * 1024}\n`));
