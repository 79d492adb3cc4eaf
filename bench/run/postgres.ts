/** PostgreSQL from Debian's package, in the temporary folder of a measurement, with its own settings. */
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BenchFailure, NotMeasured } from "./failure.ts";
import { spawnChild, temporaryFolder, temporaryPath } from "./temporary.ts";

const packages = "/usr/lib/postgresql";
// PostgreSQL refuses to run as root; 65534 is "nobody".
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Starts a server. Returns the URL of its database. @throws NotMeasured where it is not installed */
export async function startPostgres(): Promise<string> {
  const version = versions().at(-1);
  if (version === undefined) throw new NotMeasured("it needs PostgreSQL (apt-get install postgresql)");
  const bin = (name: string) => join(packages, version, "bin", name);
  const folder = temporaryPath("postgres");
  mkdirSync(folder, { mode: 0o700 });
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
    // It has to pass the folders above.
    execFileSync("chmod", ["o+x", temporaryFolder, join(folder, "..")]);
  }
  const data = join(folder, "data");
  const init = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"];
  execFileSync(bin("initdb"), init, { ...user, stdio: "ignore" });
  const port = await freePort();
  const settings = ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${folder}`];
  const server = spawnChild(bin("postgres"), ["-D", data, "-p", String(port), ...settings], {
    ...user,
    stdio: "ignore",
  });
  for (let tried = 0; !isReady(bin("pg_isready"), port); tried += 1) {
    if (tried === 100 || server.exitCode !== null) throw new BenchFailure("PostgreSQL did not start");
    await sleep(100);
  }
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

function versions(): string[] {
  try {
    return readdirSync(packages).sort();
  } catch {
    return [];
  }
}

function isReady(program: string, port: number): boolean {
  return spawnSync(program, ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" }).status === 0;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}
