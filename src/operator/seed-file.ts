/** The seed file: groups, factions and services as YAML. */
import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { parse } from "yaml";
import { Failure } from "../domain/errors.ts";
import { seedSchema } from "./names.ts";

/** Reads a seed file. @throws Failure where it is not one */
export async function readSeed(file: string): Promise<v.InferOutput<typeof seedSchema>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw new Failure("UNKNOWN_ENTRY", `There is no file ${file}.`, {
      cause,
      hint: "Name the YAML file with the names.",
    });
  }
  let content: unknown;
  try {
    content = parse(text);
  } catch (cause) {
    throw new Failure("PARAMETER_INVALID", `${file} is not readable as YAML: ${(cause as Error).message}`, {
      cause,
    });
  }
  const seed = v.safeParse(seedSchema, content);
  if (seed.success) return seed.output;
  throw new Failure("PARAMETER_INVALID", `${file}: ${seed.issues[0].message}.`);
}
