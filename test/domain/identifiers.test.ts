/** The forms of a UUID, the keys of records, and the details of a failure. */
import assert from "node:assert/strict";
import { it } from "node:test";
import * as v from "valibot";
import { Failure, failureCodes } from "../../src/domain/errors.ts";
import { escapeUnits } from "../../src/domain/escape.ts";
import { model } from "../../src/domain/model.ts";
import { newUUID, toUUID, uuid, uuidIn } from "../../src/domain/uuid.ts";

const stored = "0123456789abcdef0123456789abcdef";

it("a UUID is stored without dashes in lower case", () => {
  for (const text of [
    stored,
    stored.toUpperCase(),
    "01234567-89ab-cdef-0123-456789abcdef",
    "01234567-89AB-CDEF-0123-456789abcdef",
  ]) {
    assert.equal(toUUID(text), stored, text);
  }
  for (const text of [
    "",
    stored.slice(1),
    `${stored}0`,
    `${stored}\n`,
    ` ${stored}`,
    "01234567-89abcdef-0123-456789abcdef",
    "0123456-789ab-cdef-0123-456789abcdef",
    `{${stored}}`,
    stored.replace("f", "g"),
  ]) {
    assert.equal(toUUID(text), undefined, text);
  }
  assert.equal(v.is(uuid, stored), true);
  assert.equal(v.is(uuid, stored.toUpperCase()), false);
});

it("a new UUID has the stored form, and differs each time", () => {
  const some = Array.from({ length: 10 }, newUUID);
  for (const uuid of some) assert.equal(toUUID(uuid), uuid);
  assert.equal(new Set(some).size, 10);
});

it("the UUID in the key of a record is the first one", () => {
  const other = stored.replaceAll("0", "9");
  assert.equal(uuidIn(`member/${stored}/${other}`), stored);
  assert.equal(uuidIn(stored), stored);
  for (const key of ["", "gangwar", stored.slice(1), stored.toUpperCase()])
    assert.equal(uuidIn(key), undefined);
});

it("somebody has a UUID as the key, or the folded name, and is found by that name once there is a UUID", () => {
  const details = { done: false, listed: 0 };
  for (const [uuid, key, name] of [
    [stored, stored, "äda"],
    [null, "~äda", undefined],
  ] as const) {
    const target = { name: "ÄDA", uuid, ...details };
    assert.equal(model.targets.key(target), key);
    assert.equal(model.targets.indexes.name(target), name);
    const member = { group: "VIP", name: "ÄDA", uuid };
    assert.equal(model.groupMembers.key(member), `VIP/${key}`);
    const { group, subject, name: byName } = model.groupMembers.indexes;
    assert.deepEqual([group(member), subject(member), byName(member)], ["VIP", key, name]);
  }
});

it("a failure has the details that it was made with, and a cause only where there is one", () => {
  const cause = new Error("EIO");
  const failure = new Failure("CONFLICT", "It is taken.", {
    parameter: "name",
    hint: "Choose another.",
    operatorHint: "See the log.",
    cause,
  });
  const { name, code, message, parameter, hint, operatorHint } = failure;
  assert.deepEqual(
    { name, code, message, parameter, hint, operatorHint, cause: failure.cause },
    {
      name: "Failure",
      code: "CONFLICT",
      message: "It is taken.",
      parameter: "name",
      hint: "Choose another.",
      operatorHint: "See the log.",
      cause,
    },
  );
  const plain = new Failure("INTERNAL", "It failed.");
  assert.equal("cause" in plain, false);
  assert.deepEqual([plain.parameter, plain.hint, plain.operatorHint], [undefined, undefined, undefined]);
  assert.equal(new Set(failureCodes).size, failureCodes.length);
});

it("an escaped text has each of its units as a number of four digits", () => {
  assert.equal(escapeUnits(""), "");
  assert.equal(escapeUnits("a\n€😀"), "\\u0061\\u000a\\u20ac\\ud83d\\ude00");
});
