/** The seed file: YAML with the names of groups, factions and services. */
import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { parse } from "yaml";
import { Failure } from "../domain/errors.ts";
import { seedSchema } from "./seed.ts";

/** Reads a seed file. @throws Failure where it is missing or invalid */
export async function readSeed(file: string): Promise<v.InferOutput<typeof seedSchema>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw new Failure("UNKNOWN_ENTRY", `There is no file ${file}.`, {
      cause,
      hint: "Give the path of a YAML file with the lists groups, factions and services.",
    });
  }
  let content: unknown;
  try {
    content = parse(text);
  } catch (cause) {
    throw new Failure("PARAMETER_INVALID", `${file} is not valid YAML: ${(cause as Error).message}`, {
      cause,
    });
  }
  const seed = v.safeParse(seedSchema, content);
  if (seed.success) return seed.output;
  throw new Failure("PARAMETER_INVALID", `${file}: ${seed.issues[0].message}.`);
}
