/** The advice for an operator about each error of the file system, which a player does not get. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { remedyFor, systemCode, unsaved, unusable, unwritten } from "../../src/store/folder/refusals.ts";
import { systemError } from "./_faults.ts";

/** A part of the advice, and whether another data folder would help. */
const advice: readonly (readonly [code: string, words: RegExp, isFolder: boolean])[] = [
  ["ENOSPC", /disk is full: make room/, false],
  ["EDQUOT", /quota.*make room/, false],
  ["EIO", /disk failed.*Copy the data folder/, false],
  ["EROFS", /read-only.*mount it for writing/, true],
  ["EACCES", /This user is not allowed.*permissions/, true],
  ["EPERM", /This user is not allowed.*permissions/, true],
  ["EMFILE", /Too many files are open.*ulimit/, false],
  ["ENFILE", /Too many files are open.*ulimit/, false],
  ["EEXIST", /A file has the name of a required folder/, true],
  ["ENOTDIR", /A file has the name of a required folder/, true],
];

describe("the code of the operating system", () => {
  it("is that of the error, or of the nearest of its causes that has one", () => {
    const because = (cause: unknown, code?: string) => {
      const error = new Error("it failed", { cause });
      return code === undefined ? error : Object.assign(error, { code });
    };
    assert.equal(systemCode(systemError("EIO")), "EIO");
    assert.equal(systemCode(because(because(systemError("EIO")))), "EIO");
    assert.equal(systemCode(because(systemError("EIO"), "ENOSPC")), "ENOSPC");
    // Node's own codes, and a failure's, are not the system's.
    for (const code of ["ERR_INVALID_ARG_TYPE", "STORE_UNAVAILABLE", "E", ""]) {
      assert.equal(systemCode(because(systemError("EIO"), code)), "EIO", code);
    }
    assert.equal(systemCode(systemError("E2BIG")), "E2BIG");
    for (const none of [because(undefined), because("EIO"), { code: "EIO" }, "EIO", undefined]) {
      assert.equal(systemCode(none), undefined);
    }
  });
});

describe("an error of the file system", () => {
  for (const [code, words, isFolder] of advice) {
    it(`${code} has advice for the operator, and none for a player`, () => {
      const error = new Error("it failed", { cause: systemError(code) });
      assert.match(remedyFor(error) ?? "", words);
      assert.match(unwritten(error).hint ?? "", words);
      const { hint = "", operatorHint = "", message } = unsaved(error);
      assert.match(operatorHint, words);
      for (const text of [hint, message]) assert.doesNotMatch(text, words);
    });

    it(`${code} of a data folder has the advice ${isFolder ? "to name another one" : "about the disk"}`, () => {
      const { hint = "", message } = unusable("/data", systemError(code));
      assert.match(hint, isFolder ? /name another one with --data/ : words);
      assert.match(message, new RegExp(`/data .*${code}`));
      const isForbidden = code === "EACCES" || code === "EPERM";
      assert.equal(
        /^Run the command as the folder's owner, whom `ls -ld \/data` shows/.test(hint),
        isForbidden,
      );
    });
  }

  it("without advice names the cause and what is safe", () => {
    for (const error of [systemError("EWEIRD"), new Error("EIO is not its code"), "EIO"]) {
      assert.equal(remedyFor(error), undefined);
    }
    const error = systemError("EWEIRD");
    assert.match(unwritten(error).hint ?? "", /Nothing is lost.*Remove the cause/);
    assert.match(unsaved(error).operatorHint ?? "", /^EWEIRD: injected\.$/);
    assert.match(unusable("/data", error).hint ?? "", /--data/);
  });
});
