/**
 * Caddy and nginx with the files in `deploy/`, in front of a real `serve`. Only the ports, the domain and the paths of the
 * files are replaced.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Cleanup, projectFolder, temporaryFolder } from "../_setup.ts";
import { unavailable } from "../_strace.ts";
import { freePort } from "../docs/_page.ts";
import { makeCertificate } from "../http/_certificate.ts";

/** The ports of a proxy, and of the service behind it. */
interface Ports {
  readonly http: number;
  readonly https: number;
  readonly service: number;
}

/** A program that can be a proxy. */
export interface ProxyKind {
  readonly name: "Caddy" | "nginx";
  /** Why its tests are skipped, or false. */
  readonly skip: string | false;
  /** Writes its configuration into a folder that has `cert.pem` and `key.pem`. Returns its command line. */
  configure(folder: string, ports: Ports): Promise<readonly [command: string, ...args: string[]]>;
  /** The signal that stops it after it has written its logs. */
  readonly stopSignal: NodeJS.Signals;
}

/** Reads a file of `deploy/` and replaces parts, each of which it must have. */
async function shipped(name: string, parts: readonly (readonly [from: string | RegExp, to: string])[]) {
  let text = await readFile(join(projectFolder, "deploy", name), "utf8");
  for (const [from, to] of parts) {
    const replaced = text.replaceAll(from, to);
    assert.notEqual(replaced, text, `deploy/${name} does not contain ${from}`);
    text = replaced;
  }
  return text;
}

const domain = /\baddon\.example\.org\b/g;

const caddy: ProxyKind = {
  name: "Caddy",
  skip: unavailable("caddy", "version"),
  stopSignal: "SIGTERM",
  async configure(folder, { http, https, service }) {
    const global = `admin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tdefault_bind 127.0.0.1`;
    const text = await shipped("Caddyfile", [
      [/^\{$/gm, `{\n\t${global}`],
      [/^addon\.example\.org \{$/gm, `127.0.0.1 {\n\ttls ${folder}/cert.pem ${folder}/key.pem`],
      ["127.0.0.1:8888", `127.0.0.1:${service}`],
    ]);
    await writeFile(join(folder, "Caddyfile"), text);
    return ["caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
  },
};

const nginx: ProxyKind = {
  name: "nginx",
  skip: unavailable("nginx", "-v"),
  stopSignal: "SIGQUIT",
  async configure(folder, { http, https, service }) {
    const site = await shipped("nginx.conf", [
      [domain, "127.0.0.1"],
      [/^\tlisten \[::\]:.*\n/gm, ""],
      ["listen 80 ", `listen 127.0.0.1:${http} `],
      ["listen 443 ", `listen 127.0.0.1:${https} `],
      ["127.0.0.1:8888", `127.0.0.1:${service}`],
      [/\/etc\/letsencrypt\/live\/127\.0\.0\.1\/fullchain\.pem/g, join(folder, "cert.pem")],
      [/\/etc\/letsencrypt\/live\/127\.0\.0\.1\/privkey\.pem/g, join(folder, "key.pem")],
      ["/var/log/nginx/", `${folder}/`],
      ["/var/www/html", folder],
    ]);
    await writeFile(join(folder, "site.conf"), site);
    // What surrounds the site, as Debian has it, but with the error log at a level that reports faults of clients, too.
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const main = `
      ${process.getuid?.() === 0 ? "user root;" : ""}
      daemon off;
      pid ${folder}/nginx.pid;
      error_log ${folder}/error.log info;
      events { worker_connections 64; }
      http {
        ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n")}
        default_type application/octet-stream;
        access_log ${folder}/access.log;
        error_log ${folder}/error.log info;
        gzip on;
        include ${folder}/site.conf;
      }`;
    await writeFile(join(folder, "nginx.conf"), main);
    return ["nginx", "-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  },
};

export const proxies = [caddy, nginx];

/** A running proxy. */
export class RunningProxy {
  readonly ports: Ports;
  /** The certificate to trust. */
  readonly certificate: string;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #kind: ProxyKind;
  #output = "";
  readonly #ended: Promise<unknown>;

  constructor(kind: ProxyKind, ports: Ports, folder: string, certificate: string, child: ChildProcess) {
    this.ports = ports;
    this.certificate = certificate;
    this.#kind = kind;
    this.#folder = folder;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
    this.#ended = once(child, "close");
  }

  /** Waits until it accepts connections. */
  async isReady(): Promise<void> {
    for (const port of [this.ports.http, this.ports.https]) {
      while (!(await accepts(port))) {
        assert.equal(this.#child.exitCode, null, `${this.#kind.name} ended:\n${this.#output}`);
        await wait(20);
      }
    }
  }

  /** Stops it, and returns everything that it has written: its output and its log files. */
  async logs(): Promise<string> {
    if (this.#child.exitCode === null) this.#child.kill(this.#kind.stopSignal);
    await this.#ended;
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(".log"));
    const files = await Promise.all(names.map((name) => readFile(join(this.#folder, name), "utf8")));
    return [this.#output, ...files].join("\n");
  }

  /** Stops it at once. Killed, nginx would leave its workers behind. */
  async end(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill("SIGTERM");
    await this.#ended;
  }
}

/** Starts a proxy in front of a port of the loopback interface; it is killed after the test. */
export async function startProxy(t: Cleanup, kind: ProxyKind, service: number): Promise<RunningProxy> {
  // It has to end before its folder is removed.
  let proxy: RunningProxy | undefined;
  t.after(() => proxy?.end());
  const folder = await temporaryFolder(t);
  const certificate = await makeCertificate(folder);
  const ports = { http: await freePort(), https: await freePort(), service };
  const [command, ...args] = await kind.configure(folder, ports);
  await mkdir(join(folder, "home"));
  const home = join(folder, "home");
  const child = spawn(command, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  proxy = new RunningProxy(kind, ports, folder, certificate, child);
  await proxy.isReady();
  return proxy;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => socket.end(() => resolve(true)));
    socket.once("error", () => resolve(false));
  });
}
