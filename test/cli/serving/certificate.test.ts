/** Renewal of the certificate while `serve --https` runs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, copyFile, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { CertificateReloader } from "../../../cli/serving/certificate.ts";
import { type Certificate, readCertificate } from "../../../src/http/certificate.ts";
import { day, temporaryFolder } from "../../_setup.ts";
import { connectTo, makeCertificate, nameServed } from "../../http/_certificate.ts";
import { requestFor } from "../../http/_server.ts";
import { serveProcess } from "../_process.ts";
import { type Desk, emptyDesk, linesOf, type Running, seededDesk } from "../_setup.ts";

const inTime = { timeout: 180_000 };
const https = ["--https", "--cert", "cert.pem", "--key", "key.pem"];

/** Serves HTTPS. Returns the address as well. */
async function serve(desk: Desk, ...args: string[]): Promise<{ serving: Running; url: string }> {
  const serving = desk.serve([...https, ...args]);
  const [url] = await serving.shows(/https:\/\/127\.0\.0\.1:\d+/);
  return { serving, url };
}

interface Line {
  readonly level: number;
  readonly msg: string;
}

/** Returns the lines of the log about the certificate. */
function linesAbout(serving: Running): Line[] {
  return linesOf(serving.stderr.text)
    .filter((line) => line.startsWith("{"))
    .map((line): Line => JSON.parse(line))
    .filter(({ msg = "" }) => /certificate|private key/i.test(msg));
}

/** Waits for the n-th line about the certificate. */
async function line(serving: Running, number: number): Promise<Line> {
  for (;;) {
    const { changed } = serving.stderr;
    const found = linesAbout(serving)[number - 1];
    if (found !== undefined) return found;
    await changed;
  }
}

const [info, warning] = [30, 40];

const filesIn = (folder: string) => ({ cert: join(folder, "cert.pem"), key: join(folder, "key.pem") });

/** Makes a pair for a name in a folder of its own, and copies its two files over those of the desk, one after the other. */
async function renew(desk: Desk, name: string): Promise<void> {
  const folder = join(desk.folder, name);
  await mkdir(folder);
  await makeCertificate(folder, { name, days: 30 });
  for (const file of ["cert.pem", "key.pem"]) await copyFile(join(folder, file), join(desk.folder, file));
}

describe("a certificate that is renewed while the service runs", inTime, () => {
  it("by writing its two files is used by new connections, and open ones go on", async (t) => {
    const desk = await seededDesk(t);
    await makeCertificate(desk.folder);
    // The files are not read between the two writes.
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { serving, url } = await serve(desk);
    const open = await connectTo(url);
    const ask = async () => {
      open.write(requestFor("/gameaddon/v1/openapi.json"));
      let text = "";
      while (!text.endsWith("}")) text += String((await once(open, "data"))[0]);
      assert.match(text, /^HTTP\/1\.1 200 /);
    };
    open.setEncoding("utf8");
    await ask();
    await renew(desk, "renewed");
    t.mock.timers.tick(5000);
    const { level, msg } = await line(serving, 1);
    assert.equal(level, info);
    const { validTo } = await readCertificate(filesIn(desk.folder));
    assert.equal(
      msg,
      "The certificate was reloaded because its files have changed: it is for renewed, 127.0.0.1 " +
        `and expires at ${new Date(validTo).toISOString()}.`,
    );
    assert.equal(await nameServed(url), "renewed");
    await ask();
    open.destroy();
    assert.equal(linesAbout(serving).length, 1);
  });

  it("in a process of its own is used after SIGHUP, which reloads the table as well", async (t) => {
    const desk = await emptyDesk(t);
    await makeCertificate(desk.folder);
    const { child, base } = await serveProcess(desk, [...https, "--no-watch"]);
    const open = await connectTo(base);
    await renew(desk, "renewed");
    const table = await readFile(join(desk.folder, "routes.yaml"), "utf8");
    await desk.write("routes.yaml", `${table}# changed\n`);
    child.signal("SIGHUP");
    await child.shows("stderr", /certificate was reloaded on SIGHUP/);
    await child.shows("stderr", /route table was reloaded on SIGHUP/);
    assert.equal(await nameServed(base), "renewed");
    open.write(requestFor("/"));
    assert.match(String((await once(open, "data"))[0]), /^HTTP\/1\.1 200 /);
    open.destroy();
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
  });
});

it(
  "a faulty certificate that is given by SIGHUP is refused at once, and the one before stays until the next good one",
  inTime,
  async (t) => {
    const desk = await seededDesk(t);
    await makeCertificate(desk.folder, { name: "before" });
    const { serving, url } = await serve(desk, "--no-watch");
    await desk.write("cert.pem", "?");
    serving.reload();
    const refused = await line(serving, 1);
    assert.equal(refused.level, warning);
    assert.match(refused.msg, /cert\.pem has no certificate in PEM/);
    assert.match(refused.msg, /The certificate in force stays; it expires at \d{4}-/);
    assert.equal(await nameServed(url), "before");
    serving.reload();
    assert.equal((await line(serving, 2)).msg, refused.msg);
    await renew(desk, "after");
    serving.reload();
    assert.match((await line(serving, 3)).msg, /it is for after/);
    assert.equal(await nameServed(url), "after");
    assert.doesNotMatch(serving.stderr.text, /PRIVATE KEY/);
  },
);

describe("the start warns", inTime, () => {
  const after = (days: number) => Date.now() + days * day;
  for (const [what, days, now, expected] of [
    [
      "of a certificate that has expired",
      90,
      after(91),
      /for localhost, 127\.0\.0\.1 expired at .* Renew it/,
    ],
    ["of a certificate that expires within 14 days", 90, after(77), /expires at .* Renew it, and replace /],
    ["of a certificate that is not valid yet", 90, after(-1), /is not valid before /],
    ["of one for 6 days that expires within a day", 6, after(5.5), /expires at /],
    ["of no certificate for 90 days with 15 days left", 90, after(75), undefined],
    ["of no certificate for 6 days with 2 days left", 6, after(4), undefined],
  ] as const) {
    it(what, async (t) => {
      const desk = await seededDesk(t);
      await makeCertificate(desk.folder, { days });
      t.mock.timers.enable({ apis: ["Date"], now });
      const { serving } = await serve(desk);
      const lines = linesAbout(serving);
      assert.deepEqual(
        lines.map(({ level }) => level),
        expected === undefined ? [] : [warning],
      );
      if (expected !== undefined) assert.match(lines[0]?.msg ?? "", expected);
    });
  }

  const noModes = process.platform === "win32" ? "Windows has no such permissions" : false;
  it("of a key that every user can read, but not of one for a group", { skip: noModes }, async (t) => {
    const desk = await seededDesk(t);
    await makeCertificate(desk.folder);
    const key = join(desk.folder, "key.pem");
    await chmod(key, 0o640);
    const { serving } = await serve(desk);
    assert.deepEqual(linesAbout(serving), []);
    await chmod(key, 0o644);
    serving.reload();
    const { level, msg } = await line(serving, 1);
    assert.equal(level, warning);
    assert.equal(
      msg,
      `Every user of this machine can read the private key ${key} (mode 0644). \`chmod o= ${key}\` denies them access.`,
    );
  });
});

describe("watching the files of a certificate", () => {
  /**
   * Follows a certificate with a clock that the test advances. The files are behind links.
   */
  async function following(t: TestContext) {
    const base = await temporaryFolder(t);
    const folder = join(base, "files");
    const at = (name: string) => join(folder, name);
    const files = filesIn(base);
    await mkdir(folder);
    for (const name of ["cert.pem", "key.pem"]) await symlink(join("files", name), join(base, name));
    await makeCertificate(folder, { name: "before", days: 400 });
    const first = await readCertificate(files);
    const used: Certificate[] = [];
    const log: string[] = [];
    t.mock.timers.enable({ apis: ["Date", "setInterval"], now: Date.now() });
    const reloader = new CertificateReloader(
      files,
      first,
      { useCertificate: (certificate) => void used.push(certificate) },
      { info: (text) => void log.push(text), warn: (text) => void log.push(`warning: ${text}`) },
    );
    reloader.watch({ files: true });
    t.after(() => reloader.close());
    /** Lets time pass in steps of a second, in which the files are read. */
    const pass = async (milliseconds: number) => {
      for (let rest = milliseconds; rest > 0; rest -= 1000) {
        t.mock.timers.tick(Math.min(rest, 1000));
        await reloader.settled();
      }
    };
    const spare = async (name: string) => {
      await makeCertificate(folder, { name, cert: `${name}.cert`, key: `${name}.key`, days: 400 });
    };
    return { at, base, folder, log, pass, reloader, spare, used };
  }

  it("reports no fault between two writes, and uses the pair once it is whole", async (t) => {
    const { at, log, pass, spare, used } = await following(t);
    await spare("after");
    await copyFile(at("after.cert"), at("cert.pem"));
    await pass(5_000);
    await copyFile(at("after.key"), at("key.pem"));
    await pass(5_000);
    assert.deepEqual(
      used.map(({ names }) => names),
      ["after, 127.0.0.1"],
    );
    assert.equal(log.length, 1);
    assert.match(log[0] ?? "", /^The certificate was reloaded/);
  });

  it("reports a fault that is found twice, then once a day, and again after a good pair", async (t) => {
    const { at, log, pass, reloader, spare, used } = await following(t);
    await spare("after");
    await writeFile(at("cert.pem"), "?");
    await pass(9_000);
    assert.equal(log.length, 0);
    await pass(1_000);
    assert.equal(log.length, 1);
    assert.match(log[0] ?? "", /^warning: .*has no certificate in PEM/);
    await pass(600_000);
    assert.equal(log.length, 1);
    t.mock.timers.tick(day);
    await reloader.settled();
    assert.equal(log.length, 2);
    await copyFile(at("after.cert"), at("cert.pem"));
    await copyFile(at("after.key"), at("key.pem"));
    await pass(5_000);
    assert.equal(used.length, 1);
    await writeFile(at("cert.pem"), "?");
    const warnings = () => log.filter((text) => text.startsWith("warning")).length;
    await pass(9_000);
    assert.equal(warnings(), 2);
    await pass(1_000);
    assert.equal(warnings(), 3);
  });

  it("reads the files once for signals that come while it waits to read them", async (t) => {
    const { at, log, reloader } = await following(t);
    await writeFile(at("cert.pem"), "?");
    await Promise.all([1, 2, 3].map(() => reloader.reload()));
    assert.equal(log.length, 1);
    await reloader.reload();
    assert.equal(log.length, 2);
  });

  it("finds a pair that was overwritten behind its links, in a folder that was replaced, and behind other links", async (t) => {
    const { base, folder, pass, used } = await following(t);
    await makeCertificate(folder, { name: "overwritten" });
    await pass(5_000);
    const next = join(base, "next");
    await mkdir(next);
    await makeCertificate(next, { name: "replaced" });
    await rename(folder, join(base, "old"));
    await rename(next, folder);
    await pass(5_000);
    await makeCertificate(join(base, "old"), { name: "linked" });
    for (const name of ["cert.pem", "key.pem"]) {
      await rm(join(base, name));
      await symlink(join("old", name), join(base, name));
    }
    await pass(5_000);
    assert.deepEqual(
      used.map(({ names }) => names),
      ["overwritten", "replaced", "linked"].map((name) => `${name}, 127.0.0.1`),
    );
  });

  it("ends when the service stops", async (t) => {
    const { at, log, pass, reloader, spare, used } = await following(t);
    await spare("after");
    reloader.close();
    for (const kind of ["cert", "key"]) await copyFile(at(`after.${kind}`), at(`${kind}.pem`));
    await pass(120_000);
    await reloader.reload();
    assert.deepEqual([used, log], [[], []]);
  });
});
