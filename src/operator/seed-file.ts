/** The seed file: YAML with the names of groups, factions and services, and with colours. */
import * as v from "valibot";
import { readNamed } from "../backup/source-file.ts";
import { Failure, type Position } from "../domain/errors.ts";
import { readYAML } from "../table/yaml/read.ts";
import { seedForm, seedSchema } from "./seed.ts";

/** Reads a seed file. @throws Failure where it is missing or invalid */
export async function readSeed(file: string): Promise<v.InferOutput<typeof seedSchema>> {
  const text = await readNamed(file, `Give the path of a YAML file with ${seedForm}.`);
  const { value, faults, locate } = readYAML(text, { expected: seedForm, schema: "core" });
  const [fault] = faults;
  if (fault !== undefined) throw invalid(file, fault, fault.message);
  const seed = v.safeParse(seedSchema, value);
  if (seed.success) return seed.output;
  const [issue] = seed.issues;
  const path = issue.path?.map(({ key }) => key as string | number) ?? [];
  throw invalid(file, locate(path, issue.expected === "never" ? "key" : "value"), issue.message);
}

function invalid(file: string, { line, column }: Position, message: string): Failure {
  return new Failure("PARAMETER_INVALID", `${file}:${line}:${column}: ${message}.`);
}
