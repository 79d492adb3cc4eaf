#!/usr/bin/env node
/** The executable `addon-cli`. */
import { processIO } from "./io.ts";
import { run } from "./program.ts";

// Not awaited here: as built this is CommonJS.
void run(process.argv.slice(2), processIO()).then((exitCode) => {
  process.exitCode = exitCode;
});
