/** The lock on a data folder whose files somebody deletes, replaces or moves while a process has it open. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { FolderLock } from "../../../src/store/folder/lock.ts";
import { FolderHeld } from "../../../src/store/folder/lock-file.ts";
import { temporaryFolder } from "../../_setup.ts";
import {
  assertKept,
  assertRefused,
  type Call,
  fill,
  type Notebook,
  numbered,
  type Outcome,
  openFiles,
  openNotebook,
  origin,
  ruledFiles,
  segment,
  systemError,
} from "../_faults.ts";
import { isFree } from "../_journal.ts";

/** A store with 3 changes, and what it says when it has to stop. */
class Holder {
  readonly folder: string;
  readonly fatal: Error[] = [];
  time = 1_000_000;
  rule: (call: Call) => Outcome | Promise<Outcome> = () => undefined;
  store!: Notebook;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async open(t: TestContext): Promise<Holder> {
    const holder = new Holder(join(await temporaryFolder(t), "data"));
    await holder.start(t);
    await fill(holder.store, 3);
    return holder;
  }

  async start(t: TestContext): Promise<void> {
    const files = ruledFiles((call) => this.rule(call));
    const onFatal = (error: Error) => void this.fatal.push(error);
    this.store = await openNotebook(this.folder, { files, onFatal, now: () => this.time });
    t.after(() => this.store.close().catch(() => {}));
  }

  /** Makes the next numbered change. */
  change(): Promise<number> {
    return this.store.change(origin, numbered(this.store.sequence + 1));
  }

  /** Makes a change of one record in bulk. */
  changeInBulk(): Promise<number | undefined> {
    const after = { id: "bulk", text: "", topic: null };
    return this.store.changeInBulk(origin, () => [{ collection: "notes", key: "bulk", before: null, after }]);
  }

  /** Asserts that another process cannot lock the folder. */
  async assertHeld(): Promise<void> {
    await assert.rejects(openNotebook(this.folder), FolderHeld);
    await assert.rejects(FolderLock.take(nodeFiles, this.folder), FolderHeld);
  }

  /** Asserts that a snapshot saves a journal that is cut, and that a crash after the next change loses nothing. */
  async assertGoesOn(t: TestContext): Promise<void> {
    while (this.store.lookForCut()) await setImmediate();
    await this.change();
    const left = join(await temporaryFolder(t), "data");
    await cp(this.folder, left, { recursive: true });
    const next = await openNotebook(left);
    t.after(() => next.close());
    assertKept(next, 4, 4);
    assert.deepEqual(this.fatal, []);
  }

  /** Asserts that a change is refused, that the process must end, and that the folder is unchanged. */
  async assertStops(missing = segment(1)): Promise<void> {
    const before = await readdir(this.folder).catch(() => undefined);
    await assertRefused(this.change(), "Nothing was changed");
    assert.equal(this.fatal.length, 1);
    assert.match(String(this.fatal[0]?.message), new RegExp(`${missing} was moved, deleted or replaced`));
    assert.doesNotMatch(String(this.fatal[0]?.message), /may have been saved/);
    await assertRefused(this.change(), "Nothing was changed");
    assert.deepEqual(await readdir(this.folder).catch(() => undefined), before);
  }
}

const deletions: Readonly<Record<string, (path: string) => Promise<void>>> = {
  "is deleted": (path) => rm(path),
  "is replaced": async (path) => {
    await rm(path);
    await writeFile(path, "");
  },
};

describe("a lock file", () => {
  for (const [how, remove] of Object.entries(deletions)) {
    for (const isRotated of [false, true]) {
      const where = isRotated ? ", after a snapshot," : "";
      it(`that ${how}${where} admits no second process, and ends the first at its next change`, async (t) => {
        const holder = await Holder.open(t);
        if (isRotated) await holder.store.snapshot();
        await remove(join(holder.folder, "lock"));
        await holder.assertHeld();
        await holder.assertStops("lock");
        await holder.store.close();
        const next = await openNotebook(holder.folder);
        assertKept(next, 3, 3);
        await next.close();
      });
    }
  }

  it("that is deleted ends the process at a check, or at a snapshot", async (t) => {
    for (const work of ["check", "snapshot"] as const) {
      const holder = await Holder.open(t);
      await holder.store.check();
      await rm(join(holder.folder, "lock"));
      await assert.rejects(
        holder.store[work](),
        /^(?:Failure|SyncFailure): [^ ]*lock was moved, deleted or replaced/,
      );
      assert.equal(holder.fatal.length, 1, work);
      await assertRefused(holder.change(), "Nothing was changed");
    }
  });
});

const cuts: typeof deletions = {
  ...deletions,
  "is cut to 0 bytes": (path) => truncate(path, 0),
  "is cut to 150 bytes": (path) => truncate(path, 150),
  "is moved": (path) => rename(path, `${path}.old`),
  "is overwritten with more": async (path) => writeFile(path, `${await readFile(path, "utf8")}more`),
  "is replaced by a copy of before": async (path) => {
    await cp(path, `${path}.old`);
    await truncate(`${path}.old`, 150);
    await rename(`${path}.old`, path);
  },
};

describe("a segment that, while it is open,", () => {
  for (const [how, cut] of Object.entries(cuts)) {
    for (const isFollowed of [false, true]) {
      it(`${how} loses nothing${isFollowed ? ": the next change is refused" : ""}`, async (t) => {
        const holder = await Holder.open(t);
        await cut(join(holder.folder, segment(1)));
        if (isFollowed) await assertRefused(holder.change(), "Nothing was changed");
        await holder.store.check();
        await holder.assertGoesOn(t);
      });
    }
  }

  it("is deleted during a write: it may have been saved, and loses nothing that was", async (t) => {
    const holder = await Holder.open(t);
    holder.rule = async ({ operation }) => {
      if (operation === "datasync") await rm(join(holder.folder, segment(1)), { force: true });
      return undefined;
    };
    await assertRefused(holder.change(), "may have been saved");
    await holder.assertGoesOn(t);
  });

  for (const when of ["before", "after"] as const) {
    it(`is deleted ${when} a snapshot that fails lets no change pass until one is written, which is tried again`, async (t) => {
      const holder = await Holder.open(t);
      const isSnapshot = ({ path }: Call) => path.includes("snapshot");
      holder.rule = (call) => (isSnapshot(call) ? systemError("ENOSPC") : undefined);
      if (when === "before") await rm(join(holder.folder, segment(1)));
      const hint =
        when === "before" ? /only the memory of the service has: do not stop it/ : /Nothing is lost/;
      await assert.rejects(holder.store.snapshot(), { hint });
      if (when === "after") await rm(join(holder.folder, segment(1)));
      await holder.store.check();
      assert.match((await holder.store.problem()) ?? "", /^The journal was cut/);
      holder.rule = () => undefined;
      await holder.store.check();
      await assertRefused(holder.change(), "Nothing was changed");
      holder.time += 5_000;
      await holder.store.check();
      await holder.assertGoesOn(t);
      assert.equal(await holder.store.problem(), undefined);
    });
  }

  it("is one of several that a start has read is watched as well", async (t) => {
    const holder = await Holder.open(t);
    holder.rule = ({ path }) => (path.includes("snapshot") ? systemError("ENOSPC") : undefined);
    await assert.rejects(holder.store.snapshot());
    await holder.store.close();
    holder.rule = () => undefined;
    await holder.start(t);
    await rm(join(holder.folder, segment(1)));
    await holder.store.check();
    await holder.assertGoesOn(t);
  });

  it("has no change yet and is replaced by one that has is kept beside the one that takes its name", async (t) => {
    const holder = await Holder.open(t);
    await cp(join(holder.folder, segment(1)), join(holder.folder, "other"));
    await holder.store.snapshot();
    await rename(join(holder.folder, "other"), join(holder.folder, segment(4)));
    await holder.store.check();
    await holder.assertGoesOn(t);
    assert.ok((await readdir(holder.folder)).includes(`${segment(4)}.broken`));
  });
});

describe("a data folder that somebody else prepared", { skip: process.platform === "win32" }, () => {
  const isRoot = process.getuid?.() === 0 ? false : "only root can give a folder away";

  it("belongs to another user: root is refused as well, with the commands that help", {
    skip: isRoot,
  }, async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    await mkdir(folder, { mode: 0o755 });
    await chown(folder, 4711, 4711);
    await assert.rejects(openNotebook(folder), {
      code: "STORE_UNAVAILABLE",
      message: `The data folder ${folder} belongs to user 4711, not to user 0.`,
      hint: `Run the command as its owner, with \`setpriv --reuid=4711 --regid=4711 --clear-groups …\`. Only if the service is to run as user 0, change the owner: \`chown -R 0 ${folder}\`.`,
    });
    assert.deepEqual(await readdir(folder), []);
    assert.equal((await stat(folder)).mode & 0o777, 0o755);
    // As volumes are that an orchestrator shares with the group of a container.
    await chmod(folder, 0o2770);
    await (await openNotebook(folder)).close();
  });

  it("has a lock that is no regular file: nothing behind it is opened or written", async (t) => {
    for (const plant of [
      (lock: string, target: string) => symlink(target, lock),
      async (lock: string) => void execFileSync("mkfifo", [lock]),
    ]) {
      const root = await temporaryFolder(t);
      const folder = join(root, "data");
      await mkdir(folder);
      await writeFile(join(root, "target"), "precious");
      await plant(join(folder, "lock"), join(root, "target"));
      await assert.rejects(openNotebook(folder), (error: Error) =>
        /lock is a .* instead of a regular file/.test(error.message),
      );
      assert.equal(await readFile(join(root, "target"), "utf8"), "precious");
    }
  });
});

describe("a data folder that is held", () => {
  it("is refused with the process id of its holder, and free once that has released it", async (t) => {
    const holder = await Holder.open(t);
    const lock = join(holder.folder, "lock");
    assert.equal(await readFile(lock, "utf8"), `${process.pid}\n`);
    await assert.rejects(openNotebook(holder.folder), {
      message: `Another process (${process.pid}) has the data folder ${holder.folder} open.`,
      pid: process.pid,
    });
    assert.equal(await readFile(lock, "utf8"), `${process.pid}\n`);
    await holder.store.close();
    assert.equal(await readFile(lock, "utf8"), "");
    await (await openNotebook(holder.folder)).close();
  });

  for (const isDeleted of [false, true]) {
    const without = isDeleted ? ", although its lock file is deleted" : "";
    it(`admits no second process at any call of a snapshot${without}`, async (t) => {
      const holder = await Holder.open(t);
      let attempts = 0;
      holder.rule = async () => {
        if (isDeleted) await rm(join(holder.folder, "lock"), { force: true });
        await assert.rejects(openNotebook(holder.folder), FolderHeld);
        attempts += 1;
        return undefined;
      };
      await holder.store.snapshot();
      // Its folder is removed before it is closed.
      holder.rule = () => undefined;
      assert.ok(attempts > 10, `${attempts} attempts`);
    });
  }
});

describe("the newest segment of a folder that is being locked", () => {
  /** Locks a folder of two segments while something happens to them at each call. */
  async function take(
    t: TestContext,
    rule: (call: Call, opened: number, folder: string) => Promise<Outcome>,
  ) {
    const folder = await temporaryFolder(t);
    for (const first of [1, 4]) await writeFile(join(folder, segment(first)), "the header and some changes");
    const state = { folder, opened: 0 };
    const files = ruledFiles((call) => {
      if (call.operation === "open" && call.path.endsWith(segment(4))) state.opened += 1;
      return rule(call, state.opened, folder);
    });
    return { state, taking: FolderLock.take(files, folder) };
  }

  const isOpening = ({ operation, path }: Call) => operation === "open" && path.endsWith(segment(4));

  it("may vanish or be followed by another one meanwhile: the newest one is locked", async (t) => {
    const vanishing = await take(t, async (call, opened) =>
      isOpening(call) && opened < 4 ? systemError("ENOENT") : undefined,
    );
    const lock = await vanishing.taking;
    assert.equal(isFree(join(vanishing.state.folder, segment(4))), false);
    await lock.release();
    const growing = await take(t, async ({ operation }, opened, folder) => {
      if (operation === "readdir" && opened === 1) await writeFile(join(folder, segment(9)), "newer");
      return undefined;
    });
    const other = await growing.taking;
    const [old, newest] = [4, 9].map((first) => isFree(join(growing.state.folder, segment(first))));
    assert.deepEqual([old, newest], [true, false]);
    await other.release();
  });

  it("that is replaced or vanishes again and again, or cannot be opened, is refused, and nothing stays open", async (t) => {
    for (const [code, attempts] of [
      ["ENOENT", 10],
      ["EIO", 1],
      ["replaced", 10],
    ] as const) {
      const { state, taking } = await take(t, async (call, opened, folder) => {
        if (code !== "replaced") return isOpening(call) ? systemError(code) : undefined;
        const path = join(folder, segment(4));
        // It is locked by now, but no longer the file of its name.
        if (call.operation === "readdir" && opened > 0) await writeFile(`${path}.new`, "another");
        if (call.operation === "readdir" && opened > 0) await rename(`${path}.new`, path);
        return undefined;
      });
      await assert.rejects(taking, code === "replaced" ? FolderHeld : { code });
      assert.equal(state.opened, attempts, code);
      assert.deepEqual(openFiles(state.folder), []);
    }
  });
});

describe("a data folder in use", () => {
  it("that is renamed ends the process, and has every acknowledged change", async (t) => {
    const holder = await Holder.open(t);
    await rename(holder.folder, `${holder.folder}-2`);
    await holder.assertStops();
    await holder.store.close();
    const moved = await openNotebook(`${holder.folder}-2`);
    assertKept(moved, 3, 3);
    await moved.close();
  });

  it("that is replaced by another one leaves that unchanged", async (t) => {
    const holder = await Holder.open(t);
    await cp(holder.folder, `${holder.folder}-2`, { recursive: true });
    await rename(holder.folder, `${holder.folder}-1`);
    await rename(`${holder.folder}-2`, holder.folder);
    await holder.assertStops();
    await assertRefused(holder.store.snapshot());
    const other = await openNotebook(holder.folder);
    assertKept(other, 3, 3);
    await other.close();
  });

  it("that is deleted ends the process", async (t) => {
    const holder = await Holder.open(t);
    await rm(holder.folder, { recursive: true });
    await holder.assertStops();
  });

  for (const [what, make] of [
    ["change", (holder) => holder.change()],
    ["bulk change", (holder) => holder.changeInBulk()],
  ] as const satisfies readonly (readonly [string, (holder: Holder) => Promise<unknown>])[]) {
    it(`that is moved during the sync of a ${what} says that it may have been saved, as it was`, async (t) => {
      const holder = await Holder.open(t);
      const moved = `${holder.folder}-2`;
      holder.rule = async ({ operation }) => {
        if (operation === "datasync") await rename(holder.folder, moved);
        return undefined;
      };
      const written = make(holder);
      const waiting = holder.change();
      const [refused] = await Promise.all([
        assertRefused(written, "may have been saved"),
        assertRefused(waiting, "Nothing was changed"),
      ]);
      assert.match(refused.hint ?? "", /before you repeat it/);
      assert.match(
        refused.operatorHint ?? "",
        /was moved.* A change that was being written may have been saved.* put it back/,
      );
      assert.equal(holder.fatal.length, 1);
      assert.match(String(holder.fatal[0]?.message), /was moved.*may have been saved.*put it back/);
      assert.equal(holder.store.sequence, 3);
      await assertRefused(holder.change(), "Nothing was changed");
      await holder.store.close();
      // As the operator is told to.
      await rename(moved, holder.folder);
      const again = await openNotebook(holder.folder);
      assert.equal(again.sequence, 4);
      await again.close();
    });
  }

  it("that is moved between changes is noticed by a check, and by a snapshot", async (t) => {
    const holder = await Holder.open(t);
    await rename(holder.folder, `${holder.folder}-2`);
    await mkdir(holder.folder);
    await assert.rejects(holder.store.check(), /was moved, deleted or replaced/);
    await assertRefused(holder.store.snapshot());
    assert.equal(holder.fatal.length, 1);
    assert.deepEqual(await readdir(holder.folder), []);
  });
});
