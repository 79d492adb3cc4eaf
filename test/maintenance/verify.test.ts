/** `data verify` on files that come in pieces: none is read as a whole. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { verify } from "../../src/maintenance/verify.ts";
import { type Files, nodeFiles } from "../../src/store/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { write } from "./_setup.ts";

describe("a folder", () => {
  it("is verified in pieces, wherever they end", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    await write(folder, [{ A: 1 }, { Bä: 2 }, "snapshot", { A: 3 }]);
    for (const length of [1, 7, 100]) {
      const files: Files = {
        ...nodeFiles,
        readFile: (path) => assert.fail(`${path} was read as a whole`),
        async *readPieces(path, from) {
          for await (const piece of nodeFiles.readPieces?.(path, from) ?? []) {
            for (let at = 0; at < piece.length; at += length) yield piece.subarray(at, at + length);
          }
        },
      };
      const { problems, changes, records, sequence } = await verify(files, folder, { running: false });
      assert.deepEqual(
        { problems, changes, records, sequence },
        { problems: [], changes: 3, records: 2, sequence: 3 },
      );
    }
  });
});
