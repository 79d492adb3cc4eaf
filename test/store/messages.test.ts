/** The messages about a full or failing disk: what happened, to which file, and what to do next. */
import assert from "node:assert/strict";
import { readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryFolder } from "../_setup.ts";
import {
  assertGoesOn,
  assertRefused,
  type Call,
  fill,
  ninth,
  openNotebook,
  put,
  ruledFiles,
  segment,
  snapshot,
  systemError,
} from "./_faults.ts";

const advice = {
  EIO: /failed to read or write.*dmesg/,
  ENOSPC: /disk is full: make room/,
  EDQUOT: /quota.*make room/,
  EROFS: /read-only/,
} as const;

/** Opens a store with 2 changes, whose files fail as the rule says from then on. */
async function failing(t: TestContext, rule: (call: Call) => boolean, code: string) {
  let isFailing = false;
  // Without durable writes: with them, an I/O error of a write may be that of its sync.
  const files = ruledFiles((call) => (isFailing && rule(call) ? systemError(code) : undefined), 0);
  const folder = await temporaryFolder(t);
  const store = await openNotebook(folder, { files });
  t.after(() => store.close().catch(() => {}));
  await fill(store, 2);
  isFailing = true;
  return { store, folder };
}

describe("a start", () => {
  for (const name of [segment(7), snapshot(6)]) {
    it(`that cannot read ${name} names it and advises to check the disk`, async (t) => {
      const folder = await ninth(await temporaryFolder(t));
      const files = ruledFiles(({ operation, path }) =>
        operation === "readFile" && path.endsWith(name) ? systemError("EIO") : undefined,
      );
      const { hint = "" } = await assertRefused(openNotebook(folder, { files }), join(folder, name), "EIO");
      assert.match(hint, advice.EIO);
      assert.doesNotMatch(hint, /may write|--data/);
      await assertGoesOn(folder, 9);
    });
  }

  it("that cannot copy a torn end on a full disk names the file and advises to make room", async (t) => {
    const folder = await ninth(await temporaryFolder(t));
    const path = join(folder, segment(7));
    await truncate(path, (await readFile(path)).length - 10);
    const files = ruledFiles(({ operation, path }) =>
      operation === "write" && path.endsWith(".broken") ? systemError("ENOSPC") : undefined,
    );
    const { hint = "" } = await assertRefused(openNotebook(folder, { files }), `${path}.broken`, "ENOSPC");
    assert.match(hint, advice.ENOSPC);
    await assertGoesOn(folder, 8);
  });
});

describe("a snapshot that fails", () => {
  for (const [code, expected] of Object.entries(advice)) {
    for (const operation of ["write", "sync"] as const) {
      it(`with ${code} at ${operation} names the file and the remedy`, async (t) => {
        const { store, folder } = await failing(
          t,
          (call) => call.operation === operation && call.path.includes("snapshot-"),
          code,
        );
        const { hint = "" } = await assertRefused(store.snapshot(), code, join(folder, `.${snapshot(2)}`));
        assert.match(hint, /Nothing is lost/);
        assert.match(hint, expected);
        for (const [other, words] of Object.entries(advice)) {
          if (other !== code) assert.doesNotMatch(hint, words);
        }
      });
    }
  }
});

describe("a change that fails", () => {
  for (const code of ["ENOSPC", "EDQUOT", "EIO"] as const) {
    it(`with ${code} shows the operator the file and the remedy, and a player neither`, async (t) => {
      const { store, folder } = await failing(t, ({ operation }) => operation === "write", code);
      const {
        message,
        hint,
        operatorHint = "",
      } = await assertRefused(put(store, "a"), "Nothing was changed");
      assert.doesNotMatch(`${message} ${hint}`, /journal|disk|E[A-Z]{3}/);
      assert.ok(operatorHint.includes(join(folder, segment(1))), operatorHint);
      assert.match(operatorHint, advice[code]);
    });
  }
});
