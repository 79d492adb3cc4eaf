/** Whether an editor schema is one that some version of the program wrote, so that a new version may replace it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { editorSchema } from "../../src/table/editor/editor-schema.ts";
import { isUnedited, originComment } from "../../src/table/editor/schema-origin.ts";

const present = JSON.stringify(editorSchema(["books.add", "books.list"]));

it("a schema of this version is unedited, in any layout", () => {
  assert.equal(isUnedited(present), true);
  assert.equal(isUnedited(JSON.stringify(JSON.parse(present), undefined, 4)), true);
});

it("a schema with other content, or with a comment that is not its own, was edited", () => {
  const { $comment, ...content } = JSON.parse(present);
  const own = (schema: object) => JSON.stringify({ $comment, ...schema });
  assert.equal(isUnedited(own(content)), true);
  assert.equal(isUnedited(own({ ...content, title: "Routes" })), false);
  assert.equal(isUnedited(JSON.stringify({ $comment: "Mine.", ...content })), false);
  assert.equal(isUnedited(JSON.stringify(content)), false, "without its comment");
  assert.equal(isUnedited(JSON.stringify({ $comment: originComment({}), ...content })), false);
});

it("what is no JSON, or no object, was not written by the program", () => {
  for (const text of ["", "{", "null", "7", '"schema"', "true", "[]", "{}"])
    assert.equal(isUnedited(text), false, text);
});
