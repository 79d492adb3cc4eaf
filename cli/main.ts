#!/usr/bin/env node
/** The executable `addon-cli`. */
import { processIO } from "./io.ts";
import { run } from "./program.ts";

process.exitCode = await run(process.argv.slice(2), processIO());
