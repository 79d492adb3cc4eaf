/** Commands on full, read-only and failing disks: real ones, through mount and strace. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { sample } from "../_depth.ts";
import { temporaryFolder } from "../_setup.ts";
import { noStrace, unavailable } from "../_strace.ts";
import { main } from "./_process.ts";

const endings: (() => unknown)[] = [];
const own = { after: (end: () => unknown) => void endings.push(end) } as Parameters<
  typeof temporaryFolder
>[0];
after(async () => {
  for (const end of endings) await end();
});
const root = await temporaryFolder(own);
const env = { PATH: process.env.PATH, UV_THREADPOOL_SIZE: "1" };
const noMount = unavailable("unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=64k t /mnt");

interface Ran {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(cwd: string, command: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.signal ?? error.code ?? null), stdout, stderr }),
    );
  });
}

const run = (cwd: string, ...args: string[]) => execute(cwd, process.execPath, main, ...args);

/** Returns a folder with the seed and one player. */
async function seeded(name: string): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder);
  const { code, stderr } = await run(folder, "player", "add", "Ada");
  assert.equal(code, 0, stderr);
  return folder;
}

/** Runs a script with the data on a small disk. Returns the output of its commands by name. */
async function onSmallDisk(folder: string, script: string): Promise<Map<string, Ran>> {
  const disk = join(folder, "disk");
  await mkdir(disk);
  const prelude = `
    disk=$1; node=$2; main=$3
    mount -t tmpfs -o size=512k t "$disk"
    cp -a data "$disk/data"
    try() { name=$1; shift; code=0; "$node" "$main" --data "$disk/data" "$@" >"$name.out" 2>"$name.err" || code=$?; echo $code >"$name.code"; }
    fill() { cat /dev/zero >"$disk/ballast" 2>/dev/null || true; }
  `;
  const ran = await execute(
    folder,
    "unshare",
    "-Urm",
    "sh",
    "-euc",
    prelude + script,
    "sh",
    disk,
    process.execPath,
    main,
  );
  assert.equal(ran.code, 0, ran.stderr);
  const results = new Map<string, Ran>();
  for (const file of await readdir(folder)) {
    if (!file.endsWith(".code")) continue;
    const name = file.slice(0, -".code".length);
    const read = (suffix: string) => readFile(join(folder, `${name}.${suffix}`), "utf8");
    results.set(name, {
      code: Number(await read("code")),
      stdout: await read("out"),
      stderr: await read("err"),
    });
  }
  return results;
}

describe("on a full disk", { skip: noMount }, () => {
  it("commands say that it is full, status names it, and a backup to another disk succeeds", async () => {
    const folder = await seeded("full");
    const ran = await onSmallDisk(
      folder,
      `
      old=gameaddon-2024-01-01T00-00-00.000Z.jsonl.gz
      mkdir "$disk/backups"
      echo old >"$disk/backups/$old"
      fill
      # The last block of the journal has some room left.
      for n in $(seq 99); do
        try change player add Filler$n
        test "$(cat change.code)" = 0 || break
      done
      try call call /wantedreason/add reason=Theft points=1
      try snapshot data snapshot
      try status data status
      try json --json data status
      try backup data backup b.gz
      try here data backup "$disk/b.gz"
      try scheduled data backup "$disk/backups/" --keep 1
      test "$(ls -A "$disk/backups")" = "$old"
      rm "$disk/ballast"
      try again player add Bob
      try good data status
      `,
    );
    for (const name of ["change", "snapshot", "here", "scheduled"]) {
      const { code, stderr } = ran.get(name) as Ran;
      assert.equal(code, 1, name);
      assert.match(stderr, /disk\/.*ENOSPC.*\n?.*The disk is full: make room/, name);
    }
    assert.match(String(ran.get("call")?.stderr), /addon-cli data status/);
    const status = ran.get("status") as Ran;
    assert.equal(status.code, 1);
    assert.match(status.stdout, /^problem +The disk is full: \d+ bytes are free\. Make room/m);
    const { disk } = JSON.parse(String(ran.get("json")?.stdout));
    assert.match(disk.problem, /The disk is full/);
    const backup = ran.get("backup") as Ran;
    assert.equal(backup.code, 0, backup.stderr);
    for (const name of ["again", "good"]) assert.equal(ran.get(name)?.code, 0, ran.get(name)?.stderr);
    const restored = await run(folder, "--data", "restored", "data", "restore", "b.gz");
    assert.equal(restored.code, 0, restored.stderr);
    assert.match((await run(folder, "--data", "restored", "player", "list")).stdout, /^Ada\t/m);
  });

  it("a start with a torn tail says to make room, and then starts", async () => {
    const folder = await seeded("torn");
    const ran = await onSmallDisk(
      folder,
      `
      set -- "$disk/data/journal-000000000001.log"
      truncate -s -10 "$1"
      fill
      try change player add Bob
      rm "$disk/ballast"
      try again player add Bob
      `,
    );
    assert.match(
      String(ran.get("change")?.stderr),
      /\.broken: no space left on device .*\n.*The disk is full: make room/,
    );
    assert.equal(ran.get("again")?.code, 0, ran.get("again")?.stderr);
  });
});

describe("on a read-only disk", { skip: noMount }, () => {
  it("commands that read go on, a backup to another disk succeeds, and status names the problem", async () => {
    const folder = await seeded("readonly");
    const ran = await onSmallDisk(
      folder,
      `
      mount -o remount,ro "$disk"
      try list player list
      try verify data verify
      try backup data backup b.gz
      try status data status
      try change player add Bob
      `,
    );
    for (const name of ["list", "verify", "backup"])
      assert.equal(ran.get(name)?.code, 0, ran.get(name)?.stderr);
    assert.match(String(ran.get("status")?.stdout), /^problem +.*EROFS.*The disk is read-only/m);
    assert.match(String(ran.get("change")?.stderr), /EROFS/);
  });
});

describe("on a disk that fails to read", { skip: noStrace }, () => {
  for (const args of [
    ["player", "add", "Bob"],
    ["data", "verify"],
    ["data", "repair", "--yes"],
  ]) {
    it(`${args.slice(0, 2).join(" ")} names the file, and points to the disk`, async () => {
      const folder = await seeded(`eio-${args.join("-")}`);
      const journal = join(folder, "data", "journal-000000000001.log");
      const inject = ["-P", journal, "-e", "inject=read,pread64:error=EIO"];
      const { code, stdout, stderr } = await execute(
        folder,
        "strace",
        ...["-f", "-qq", "-o", "/dev/null", ...inject],
        ...[process.execPath, main, ...args],
      );
      assert.equal(code, 1, stdout);
      const said = stdout + stderr;
      assert.ok(said.includes(journal), said);
      assert.match(said, /EIO.*\n?.*The disk failed to read or write: see `dmesg`/);
    });
  }
});

describe("a first start", { skip: noStrace }, () => {
  it("that is killed at any call for the files that it writes does not block the next", async (t) => {
    const whole = join(root, "first");
    await mkdir(whole);
    const trace = join(root, "first.trace");
    const calls = "openat,write,pwrite64,fsync,rename,close";
    const traced = await execute(
      whole,
      "strace",
      ...["-f", "-y", "-qq", "-o", trace, "-e", `trace=${calls}`],
      ...[process.execPath, main, "player", "add", "Ada"],
    );
    assert.equal(traced.code, 0, traced.stderr);
    const counts = new Map<string, number>();
    const points: [name: string, number: number][] = [];
    for (const line of (await readFile(trace, "utf8")).split("\n")) {
      const [, thread, name = ""] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
      const key = `${thread} ${name}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (/first\/(?:data\/)?\.?(?:routes|seed)\./.test(line)) points.push([name, counts.get(key) ?? 0]);
    }
    assert.ok(points.length >= 16, `${points.length} calls`);
    let killed = 0;
    const tried = sample(points);
    for (const [index, [name, number]] of tried.entries()) {
      const folder = join(root, `first-${index}`);
      await mkdir(folder);
      const { code } = await execute(
        folder,
        "strace",
        ...["-f", "-qq", "-o", "/dev/null", "-e", `trace=${name}`],
        ...["-e", `inject=${name}:signal=KILL:when=${number}`],
        ...[process.execPath, main, "player", "add", "Ada"],
      );
      if (code === "SIGKILL") killed += 1;
      const again = await run(folder, "player", "add", "Bob");
      assert.equal(again.code, 0, `killed at ${name} ${number}: ${again.stderr}`);
      for (const file of ["routes.yaml", "routes.schema.json", "routes.test.yaml", "data/seed.yaml"]) {
        assert.deepEqual(await readFile(join(folder, file)), await readFile(join(whole, file)), file);
      }
      const names = [...(await readdir(folder)), ...(await readdir(join(folder, "data")))];
      assert.deepEqual(
        names.filter((each) => each.endsWith(".tmp")),
        [],
        `killed at ${name} ${number}`,
      );
      await rm(folder, { recursive: true });
    }
    t.diagnostic(`killed at ${killed} of ${tried.length} calls`);
    assert.ok(killed >= tried.length * 0.9, `${killed} of ${tried.length}`);
  });
});
