#!/usr/bin/env node
/** The executable `addon-cli`. */
import { run } from "./program.ts";
import { processIO } from "./terminal/process-io.ts";

// The build is CommonJS, which has no top-level await.
void run(process.argv.slice(2), processIO()).then((exitCode) => {
  process.exitCode = exitCode;
});
