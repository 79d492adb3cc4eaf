/** The data of the service in memory, for tests that need neither a store nor a service. */
import assert from "node:assert/strict";
import type { CollectionDefinition } from "../src/domain/collection.ts";
import { Failure, type FailureCode } from "../src/domain/errors.ts";
import { model } from "../src/domain/model.ts";
import { Collection, Database } from "../src/store/collection.ts";
import type { Draft, DurableData } from "../src/store/data.ts";

/** All records, to read, watch and change. A change takes effect at once. */
export type Memory = DurableData & Draft;

class MemoryCollection extends Collection<unknown> {
  put(record: unknown): void {
    this.set(this.definition.key(record), record);
  }
  delete(key: string): void {
    if (this.has(key)) this.set(key, undefined);
  }
}

/** Returns data without records. */
export function memory(): Memory {
  const create = (_: string, definition: CollectionDefinition) => new MemoryCollection(definition);
  return new Database(model, create).view as Memory;
}

/** Returns a copy of all records, by collection and key. */
export function copyOf(data: Memory): unknown {
  return structuredClone(
    Object.fromEntries(Object.entries(data).map(([name, rows]) => [name, [...rows.values()]])),
  );
}

/** A refusal with everything that it says. */
export interface Refused {
  readonly code: FailureCode;
  readonly message: string;
  readonly hint?: string;
  readonly parameter?: string;
}

/** Asserts that a function throws a failure that says exactly this. */
export function assertRefused(run: () => unknown, expected: Refused): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof Failure, String(error));
    const { code, message, hint, parameter } = error;
    assert.deepEqual(
      { code, message, hint, parameter },
      { hint: undefined, parameter: undefined, ...expected },
    );
    return true;
  });
}
