/** Reading a folder without its lock while the running service deletes files past their retention. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { writeBackup } from "../../src/backup/backup.ts";
import { examine } from "../../src/repair/verify.ts";
import type { Files } from "../../src/store/folder/files.ts";
import { temporaryFolder } from "../_setup.ts";
import { write } from "../backup/_setup.ts";
import { ruledFiles, segment, snapshot, systemError } from "../store/_faults.ts";

describe("a file that is deleted between its listing and its reading", () => {
  const readers: Readonly<Record<string, (files: Files, folder: string) => Promise<{ sequence: number }>>> = {
    "data verify": async (files, folder) => (await examine(files, folder, { running: true })).verified,
    "data backup": (files, folder) =>
      writeBackup(files, folder, join(folder, "..", "backup.gz"), {
        force: true,
        now: 0,
      }),
  };
  for (const [name, read] of Object.entries(readers)) {
    for (const file of [snapshot(2), segment(3)]) {
      it(`makes ${name} read the folder again: ${file}`, async (t) => {
        const folder = join(await temporaryFolder(t), "data");
        await write(folder, [{ A: 1 }, "snapshot", { B: 2 }, "snapshot", { C: 3 }]);
        let dropped = 0;
        const files = ruledFiles(({ operation, path }) => {
          if (operation !== "readPieces" || !path.endsWith(file) || dropped > 0) return undefined;
          dropped += 1;
          return systemError("ENOENT");
        });
        assert.equal((await read(files, folder)).sequence, 3);
        assert.equal(dropped, 1);
      });
    }
  }
});
