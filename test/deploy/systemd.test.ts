/** Tests of the units in deploy/ with the real `systemd-analyze`. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { type Cleanup, projectFolder, temporaryFolder } from "../_setup.ts";
import { noStrace, unavailable } from "../_strace.ts";
import { CliProcess, serveProcess } from "../cli/_process.ts";
import { emptyDesk } from "../cli/_setup.ts";
import { blocks, readPage } from "../docs/_page.ts";

const run = promisify(execFile);
const units = [
  "gameaddon.service",
  "gameaddon-backup.service",
  "gameaddon-backup.timer",
  "gameaddon-standby.service",
  "gameaddon-standby.timer",
];
const services = units.filter((name) => name.endsWith(".service"));
const program = "/opt/gameaddon/current/bin/addon-cli";
const skip = unavailable("systemd-analyze", "--version");

/** V8 asks for a memory protection key, and does without where it is refused. */
const dispensable = "pkey_alloc";

const textOf = (name: string) => readFile(join(projectFolder, "deploy", name), "utf8");

/** Copies the units, with a program that exists on this machine. Returns their paths. */
async function copyUnits(t: Cleanup): Promise<string[]> {
  const folder = await temporaryFolder(t);
  return Promise.all(
    units.map(async (name) => {
      const path = join(folder, name);
      await writeFile(path, (await textOf(name)).replaceAll(program, process.execPath));
      return path;
    }),
  );
}

/** Returns the settings of a unit in order. */
async function settingsOf(name: string): Promise<(readonly [name: string, value: string])[]> {
  const lines = (await textOf(name)).matchAll(/^(\w+)=(.*)$/gm);
  return Array.from(lines, ([, key = "", value = ""]) => [key, value] as const);
}

describe("the units for systemd", { skip }, () => {
  it("are accepted by systemd-analyze verify without a remark", async (t) => {
    const args = ["verify", "--man=no", "--recursive-errors=no", ...(await copyUnits(t))];
    const { stdout, stderr } = await run("systemd-analyze", args);
    assert.equal(stdout + stderr, "");
  });

  it("have an exposure of at most 2.0", async (t) => {
    for (const path of (await copyUnits(t)).filter((name) => name.endsWith(".service"))) {
      const args = ["security", "--offline=yes", "--no-pager", "--threshold=20", path];
      const { stdout } = await run("systemd-analyze", args);
      const exposure = Number(/exposure level for .*: ([\d.]+)/.exec(stdout)?.[1]);
      assert.ok(exposure <= 2, `expected at most 2.0, got ${exposure} for ${path}`);
    }
  });

  it("accept what machines of a shared journal add, which lets PostgreSQL and Caddy through", async (t) => {
    const page = await readPage("docs/several-machines.md");
    const [added = "", settings = ""] = ["systemd", "settings"].map((mark) => blocks(page, mark).join(""));
    const [path = ""] = await copyUnits(t);
    await mkdir(`${path}.d`);
    await writeFile(join(`${path}.d`, "override.conf"), added);
    const args = ["verify", "--man=no", "--recursive-errors=no", path];
    const { stdout, stderr } = await run("systemd-analyze", args);
    assert.equal(stdout + stderr, "");
    assert.match(added, /^\[Unit\]\nStartLimitIntervalSec=0$/m);
    const [caddy, postgres] = [/PROXIES=(.*)/, /@(.*)\//].map((form) => form.exec(settings)?.[1]);
    assert.match(added, new RegExp(`^IPAddressAllow=${postgres} ${caddy}$`, "m"));
    const [host] = /(?<=ADDON_HOST=).*/.exec(settings) ?? [];
    assert.match(blocks(page, "caddy").join(""), new RegExp(`reverse_proxy ${host}:8888 `));
  });

  it("have a timer that runs every day", async () => {
    const expression = (await settingsOf("gameaddon-backup.timer")).find(([name]) => name === "OnCalendar");
    const { stdout } = await run("systemd-analyze", ["calendar", "--iterations=2", String(expression?.[1])]);
    const times = Array.from(stdout.matchAll(/\(in UTC\): (.+)$/gm), ([, time = ""]) => time);
    const next = Array.from(
      stdout.matchAll(/(?:Next elapse|Iter(?:ation|\.) #2): \w+ ([\d-]+ [\d:]+) (\w+)/g),
    );
    assert.equal(next.length, 2, `${stdout}${times}`);
    const [first = 0, second = 0] = next.map(([, time]) => Date.parse(`${time}Z`));
    assert.equal(second - first, 24 * 60 * 60 * 1000);
  });
});

describe("the services for systemd", () => {
  it("have the same sandbox, but the backup has no network, and the standby the whole", async () => {
    const [service, backup, standby] = await Promise.all(
      services.map(async (name) => {
        const settings = await settingsOf(name);
        const begin = settings.findIndex(([key]) => key === "NoNewPrivileges");
        return settings.slice(begin).map((setting) => setting.join("="));
      }),
    );
    const only = (some: string[] = [], others: string[] = []) =>
      some.filter((setting) => !others.includes(setting));
    assert.deepEqual(only(backup, service), ["PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX"]);
    assert.deepEqual(only(service, backup), [
      "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
      "IPAddressAllow=localhost",
      "WantedBy=multi-user.target",
    ]);
    assert.deepEqual(only(standby, service), []);
    assert.deepEqual(only(service, standby), [
      "IPAddressDeny=any",
      "IPAddressAllow=localhost",
      "WantedBy=multi-user.target",
    ]);
  });

  it("may make every system call of a service and of a backup beside it", {
    skip: skip || noStrace,
  }, async (t) => {
    const allowed = await allowedCalls();
    const desk = await emptyDesk(t);
    // In the desk's folder, which the service watches, every line would cause another one.
    const folder = await temporaryFolder(t);
    const traces = [join(folder, "service"), join(folder, "backup")] as const;
    const strace = (trace: string) => [
      "strace",
      "-f",
      "-qq",
      "-o",
      trace,
      "-e",
      `inject=${dispensable}:error=EPERM`,
    ];
    const { child, open } = await serveProcess(desk, [], [], strace(traces[0]));
    assert.equal((await fetch(open)).status, 200);
    const backup = new CliProcess(desk, ["data", "backup", "backup.jsonl.gz"], [], strace(traces[1]));
    assert.equal(await backup.ended, 0, backup.stderr);
    const [pid] = /^\d+/.exec(await readFile(traces[0], "utf8")) ?? [];
    process.kill(Number(pid), "SIGTERM");
    assert.equal(await child.ended, 0);
    for (const trace of traces) {
      const lines = (await readFile(trace, "utf8")).matchAll(/^\d+ +(\w+)\(/gm);
      const calls = new Set(Array.from(lines, ([, name = ""]) => name));
      assert.ok(calls.has("execve") && calls.has("fsync"), "the trace is complete");
      assert.deepEqual(
        [...calls].filter((name) => !allowed.has(name) && name !== dispensable),
        [],
      );
    }
  });
});

/** Returns the system calls that `SystemCallFilter` of gameaddon.service allows. */
async function allowedCalls(): Promise<ReadonlySet<string>> {
  const allowed = new Set<string>();
  for (const [name, value] of await settingsOf("gameaddon.service")) {
    if (name !== "SystemCallFilter") continue;
    const isDenied = value.startsWith("~");
    for (const group of value.replace("~", "").split(" "))
      for (const call of await callsIn(group)) isDenied ? allowed.delete(call) : allowed.add(call);
  }
  return allowed;
}

/** Returns the system calls of a set such as `@file-system`, and of the sets in it. */
async function callsIn(set: string): Promise<string[]> {
  if (!set.startsWith("@")) return [set];
  const { stdout } = await run("systemd-analyze", ["syscall-filter", "--no-pager", set]);
  const members = stdout
    .split("\n")
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => /^@?\w/.test(line));
  return (await Promise.all(members.map(callsIn))).flat();
}
