/** Opening regular files only: whatever else is under the name is refused at once, and named for what it is. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openRegular, UnexpectedFile } from "../src/regular-file.ts";
import { nodeFiles } from "../src/store/folder/files.ts";
import { temporaryFolder } from "./_setup.ts";
import { assertRefused, fill, openNotebook, segment, snapshot } from "./store/_faults.ts";

describe("opening a regular file", () => {
  it("names a socket, a directory and a broken link for what they are", async (t) => {
    const folder = await temporaryFolder(t);
    const server = createServer().listen(join(folder, "socket"));
    t.after(() => server.close());
    await once(server, "listening");
    await mkdir(join(folder, "directory"));
    await symlink("nowhere", join(folder, "link"));
    await symlink("socket", join(folder, "link to socket"));
    for (const [name, kind] of [
      ["socket", "a socket"],
      ["directory", "a directory"],
      ["link", "a broken symbolic link"],
      ["link to socket", "a socket"],
    ] as const) {
      const path = join(folder, name);
      await assert.rejects(openRegular(path, constants.O_RDWR), (error) => {
        assert.ok(error instanceof UnexpectedFile);
        assert.equal(error.message, `${path} is ${kind} instead of a regular file`);
        return true;
      });
    }
  });

  it("fails as the system does if there is none, and follows a link", async (t) => {
    const folder = await temporaryFolder(t);
    await assert.rejects(openRegular(join(folder, "none")), { code: "ENOENT" });
    await writeFile(join(folder, "file"), "text");
    await symlink("file", join(folder, "link"));
    await (await openRegular(join(folder, "link"))).close();
  });
});

for (const [what, name] of [
  ["a snapshot", snapshot(2)],
  ["an old segment", segment(1)],
] as const) {
  it(`a start that meets a broken link in the place of ${what} names it, and says what to do`, async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    await fill(store, 2);
    await store.close({ snapshot: true });
    await nodeFiles.unlink(join(folder, name));
    await symlink("nowhere", join(folder, name));
    const { message, hint } = await assertRefused(openNotebook(folder), name);
    assert.match(message, /is a broken symbolic link instead of a regular file\.$/);
    assert.match(hint ?? "", /move it away/);
  });
}
