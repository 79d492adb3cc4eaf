/** Inputs that do not fit the schema of an operation: what the refusal says, and whether it advises a restart. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { Failure } from "../../src/domain/errors.ts";
import { parseInput } from "../../src/operator/input.ts";

const schema = v.strictObject({ player: v.string(), rank: v.optional(v.number()) });
const restart = "If the running service is older than this command, restart it.";

describe("an input of an operation", () => {
  for (const [what, input, info, hint] of [
    ["with an unknown key", { player: "Ada", colour: 1 }, 'This operation has no option "colour".', restart],
    ["without a required key", {}, 'Invalid key: Expected "player" but received undefined.', undefined],
    ["with a wrong value", { player: 1 }, "Invalid type: Expected string but received 1.", undefined],
    ["that is a text", "Ada", 'Invalid type: Expected Object but received "Ada".', undefined],
    ["that is missing", undefined, "Invalid type: Expected Object but received undefined.", undefined],
  ] as const) {
    it(`${what} is refused ${hint === undefined ? "without the" : "with the"} advice to restart`, () => {
      assert.throws(
        () => parseInput(schema, input),
        (error) => {
          assert.ok(error instanceof Failure, String(error));
          assert.deepEqual([error.code, error.message, error.hint], ["PARAMETER_INVALID", info, hint]);
          return true;
        },
      );
    });
  }
});
