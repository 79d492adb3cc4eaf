/** The groups, factions and services that every world begins with: those of the shipped seed. */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { Named } from "../../src/domain/model.ts";
import { seedFile } from "../run/project.ts";

const kinds = { groups: "group", factions: "faction", services: "service" } as const;

/** The seed's names as records, in the seed's order. */
export async function readNames(): Promise<Named[]> {
  const seed: Record<keyof typeof kinds, string[]> = parse(await readFile(seedFile, "utf8"));
  return (["groups", "factions", "services"] as const).flatMap((list) =>
    seed[list].map((name, position) => ({ name, kind: kinds[list], position })),
  );
}
