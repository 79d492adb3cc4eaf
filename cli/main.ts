#!/usr/bin/env node
/** The executable `addon-cli`. */
import { processIO } from "./io.ts";
import { run } from "./program.ts";

// Whoever reads the output may have seen enough, as `head` has: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// Not awaited here: as built this is CommonJS.
void run(process.argv.slice(2), processIO()).then((exitCode) => {
  process.exitCode = exitCode;
});
