/** Reading a folder without its lock while the running service deletes files past their retention. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { writeBackup } from "../../src/backup/backup.ts";
import { verify } from "../../src/repair/verify.ts";
import type { Files } from "../../src/store/folder/files.ts";
import { steadily } from "../../src/store/listing.ts";
import { temporaryFolder } from "../_setup.ts";
import { write } from "../backup/_setup.ts";
import { ruledFiles, segment, snapshot, systemError } from "../store/_faults.ts";

describe("reading again after a file has vanished", () => {
  /** Fails so many times before it succeeds. */
  function failing(times: number, code: string) {
    const state = { attempts: 0 };
    const read = async () => {
      state.attempts += 1;
      if (state.attempts <= times) throw systemError(code);
      return "read";
    };
    return { state, read };
  }

  for (const times of [0, 1, 4]) {
    it(`succeeds after ${times} failures, and stops then`, async () => {
      const { state, read } = failing(times, "ENOENT");
      assert.equal(await steadily(read), "read");
      assert.equal(state.attempts, times + 1);
    });
  }

  it("gives up after 5 attempts, with the last failure", async () => {
    const { state, read } = failing(Number.POSITIVE_INFINITY, "ENOENT");
    await assert.rejects(steadily(read), { code: "ENOENT" });
    assert.equal(state.attempts, 5);
  });

  for (const code of ["EACCES", "EIO", "EMFILE"]) {
    it(`does not happen for ${code}`, async () => {
      const { state, read } = failing(1, code);
      await assert.rejects(steadily(read), { code });
      assert.equal(state.attempts, 1);
    });
  }
});

describe("a file that is deleted between its listing and its reading", () => {
  const readers: Readonly<Record<string, (files: Files, folder: string) => Promise<{ sequence: number }>>> = {
    "data verify": (files, folder) => verify(files, folder, { running: true }),
    "data backup": (files, folder) =>
      writeBackup(files, folder, join(folder, "..", "backup.gz"), {
        force: true,
        now: 0,
        progress: () => {},
      }),
  };
  for (const [name, read] of Object.entries(readers)) {
    for (const file of [snapshot(2), segment(3)]) {
      it(`makes ${name} read the folder again: ${file}`, async (t) => {
        const folder = join(await temporaryFolder(t), "data");
        await write(folder, [{ A: 1 }, "snapshot", { B: 2 }, "snapshot", { C: 3 }]);
        let dropped = 0;
        const files = ruledFiles(({ operation, path }) => {
          if (operation !== "readFile" || !path.endsWith(file) || dropped > 0) return undefined;
          dropped += 1;
          return systemError("ENOENT");
        });
        assert.equal((await read(files, folder)).sequence, 3);
        assert.equal(dropped, 1);
      });
    }
  }
});
