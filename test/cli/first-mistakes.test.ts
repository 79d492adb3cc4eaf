/** What commands write, ask and say when an operator names the wrong thing. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { describe, it } from "node:test";
import { emptyDesk } from "./_setup.ts";

describe("a folder with files of somebody else", () => {
  for (const command of ["player add Ada", "seed groups", "serve --port 0", "token issue --public"]) {
    it(`is refused by ${command} before anything is written into it`, { timeout: 60_000 }, async (t) => {
      const desk = await emptyDesk(t);
      await desk.write("thesis.txt", "");
      const { exitCode, stderr } = await desk.run(["--data", ".", ...command.split(" ")]);
      assert.match(stderr, /^error: \S+ is not a data folder of this service: it contains thesis\.txt\.\n/);
      assert.equal(exitCode, 1);
      assert.deepEqual(await readdir(desk.folder), ["thesis.txt"]);
    });
  }
});
