#!/usr/bin/env node
import { run } from "./program.ts";
/** The executable `addon-cli`. */
import { processIO } from "./terminal/io.ts";

// Not awaited here: as built this is CommonJS.
void run(process.argv.slice(2), processIO()).then((exitCode) => {
  process.exitCode = exitCode;
});
