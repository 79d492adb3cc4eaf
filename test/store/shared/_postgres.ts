/** A real PostgreSQL in a temporary folder, from Debian's package. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql } from "postgres";
import type { Cleanup } from "../../_setup.ts";
import { makeOnce } from "../../_shared.ts";
import { freePort } from "../../docs/_page.ts";

const packages = "/usr/lib/postgresql";
const version = () => {
  try {
    return readdirSync(packages).sort().at(-1);
  } catch {
    return undefined;
  }
};
const bin = (name: string) => join(packages, version() ?? "", "bin", name);

/** Why the tests are skipped, or false where PostgreSQL is installed. */
export const withoutPostgres = version() === undefined && "PostgreSQL is not installed";

// PostgreSQL refuses to run as root; 65534 is "nobody".
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Creates an empty cluster, of which each server gets a copy: creating one takes a second. */
async function initialise(folder: string): Promise<void> {
  // Only in a folder of its own can "nobody" create it.
  const own = mkdtempSync(join(tmpdir(), "gameaddon-pg-"));
  if (user.uid !== undefined) chownSync(own, user.uid, user.gid);
  const data = join(own, "data");
  const options = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"];
  execFileSync(bin("initdb"), [...options, "--wal-segsize=1"], { ...user, stdio: "ignore" });
  renameSync(data, join(folder, "data"));
  rmSync(own, { recursive: true });
}

/** See the head of this file. */
export class Postgres {
  readonly folder: string;
  readonly port: number;
  #server: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /** Starts a server, which is stopped after the test. @param disk the size of a disk of its own */
  static async start(t: Cleanup, { disk }: { readonly disk?: string } = {}): Promise<Postgres> {
    const pg = await Postgres.#create(t, disk);
    execFileSync("cp", ["-a", join(await makeOnce("postgres", initialise), "data"), pg.data]);
    await pg.start();
    return pg;
  }

  static async #create(t: Cleanup, disk?: string): Promise<Postgres> {
    const folder = mkdtempSync(join(tmpdir(), "gameaddon-pg-"));
    if (disk !== undefined) execFileSync("mount", ["-t", "tmpfs", "-o", `size=${disk}`, "tmpfs", folder]);
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const pg = new Postgres(folder, await freePort());
    t.after(async () => {
      await pg.stop("SIGQUIT");
      if (disk !== undefined) execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true, force: true });
    });
    return pg;
  }

  /** Starts a standby that has every commit before it is acknowledged. */
  async startStandby(t: Cleanup): Promise<Postgres> {
    const standby = await Postgres.#create(t);
    const from = ["-h", "127.0.0.1", "-p", String(this.port), "-U", "postgres", "-D", standby.data];
    execFileSync(bin("pg_basebackup"), [...from, "-R", "-C", "-S", "standby", "-X", "stream"], {
      ...user,
      stdio: "ignore",
    });
    await standby.start();
    await this.query(async (sql) => {
      await sql`alter system set synchronous_standby_names = '*'`;
      await sql`select pg_reload_conf()`;
    });
    return standby;
  }

  /** Makes a standby the primary. It needs no standby itself. */
  promote(): void {
    writeFileSync(join(this.data, "postgresql.auto.conf"), "synchronous_standby_names = ''\n");
    execFileSync(bin("pg_ctl"), ["promote", "-D", this.data], { ...user, stdio: "ignore" });
    execFileSync(bin("pg_ctl"), ["reload", "-D", this.data], { ...user, stdio: "ignore" });
  }

  /** Fills its disk, until {@link empty}. */
  fill(): void {
    spawnSync("dd", ["if=/dev/zero", `of=${join(this.folder, "ballast")}`, "bs=64k"], { stdio: "ignore" });
  }

  empty(): void {
    rmSync(join(this.folder, "ballast"));
  }

  get data(): string {
    return join(this.folder, "data");
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  get pid(): number {
    assert.ok(this.#server?.pid !== undefined);
    return this.#server.pid;
  }

  /** Starts it again. Returns when it accepts connections. */
  async start(): Promise<void> {
    const settings = ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${this.folder}`];
    const args = ["-D", this.data, "-p", String(this.port), ...settings];
    const server = spawn(bin("postgres"), args, { ...user, stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    this.#server = server;
    this.#exited = once(server, "exit");
    while (!/ready to accept (?:read-only )?connections/.test(errors)) {
      assert.equal(server.exitCode, null, errors);
      await sleep(20);
    }
  }

  /** Ends it: with SIGQUIT at once, as a crash does. */
  async stop(signal: "SIGQUIT" | "SIGINT"): Promise<void> {
    if (this.#server?.exitCode === null) this.signal("SIGCONT");
    this.#server?.kill(signal);
    await this.#exited;
    this.#server = undefined;
  }

  /** Stops or continues all of its processes. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(this.pid)], { encoding: "utf8" });
    for (const pid of [this.pid, ...children.trim().split(/\s+/).map(Number)]) {
      try {
        process.kill(pid, signal);
      } catch {
        // A backend that has just ended.
      }
    }
  }

  /** Runs `work` with a client. */
  async query<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const sql = postgres(this.url, { max: 1, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}
