/** The certificate of HTTPS: which files are refused, and what a server does with another certificate. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import tls, { createServer } from "node:tls";
import { promisify } from "node:util";
import { Failure } from "../../src/domain/errors.ts";
import { readCertificate } from "../../src/http/certificate.ts";
import { startServer } from "../../src/http/server.ts";
import { temporaryFolder } from "../_setup.ts";
import { connectTo, makeCertificate, nameServed } from "./_certificate.ts";
import { answerTo, inTime, requestFor } from "./_server.ts";

const run = promisify(execFile);

/** Returns a folder with `cert.pem` and `key.pem`, and their paths. */
async function pair(t: TestContext) {
  const folder = await temporaryFolder(t);
  await makeCertificate(folder);
  return { folder, files: { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") } };
}

describe("a certificate", () => {
  it("is read with its names and its dates", async (t) => {
    const { files } = await pair(t);
    const { names, validFrom, validTo } = await readCertificate(files);
    assert.equal(names, "localhost, 127.0.0.1");
    assert.equal(validTo - validFrom, 2 * 24 * 60 * 60 * 1000);
    assert.ok(Math.abs(validFrom - Date.now()) < 60_000);
  });

  it("is accepted with text before it, and in one file with its key", async (t) => {
    const { files, folder } = await pair(t);
    const [cert, key] = await Promise.all([readFile(files.cert, "utf8"), readFile(files.key, "utf8")]);
    const both = join(folder, "both.pem");
    await writeFile(both, `Bag Attributes\n    friendlyName: me\n${key}${cert}`);
    const certificate = await readCertificate({ cert: both, key: both });
    const server = await startServer({
      host: "127.0.0.1",
      port: 0,
      https: certificate,
      fetch: () => new Response(),
    });
    t.after(() => server.close());
    assert.equal(await nameServed(server.url), "localhost");
  });

  for (const [what, spoil, reason] of [
    ["does not exist", ({ cert }) => rm(cert), /ENOENT/],
    [
      "is a folder",
      ({ cert }) => rm(cert).then(() => mkdir(cert)),
      /cert\.pem is a directory instead of a regular file/,
    ],
    [
      "is a named pipe",
      ({ cert }) => rm(cert).then(() => run("mkfifo", [cert])),
      /is a pipe instead of a regular file/,
    ],
    ["is empty", ({ cert }) => writeFile(cert, ""), /cert\.pem has no certificate in PEM/],
    ["has more than 1 MiB", ({ cert }) => writeFile(cert, "x".repeat(1024 * 1024 + 1)), /has 1048577 bytes/],
    [
      "is its key",
      ({ cert, key }) => readFile(key).then((bytes) => writeFile(cert, bytes)),
      /no certificate/,
    ],
    [
      "is half-written",
      ({ cert }) => readFile(cert, "utf8").then((text) => writeFile(cert, text.slice(0, text.length / 2))),
      /PEM|bad|asn1/i,
    ],
  ] satisfies [string, (files: { cert: string; key: string }) => Promise<unknown>, RegExp][]) {
    it(`that ${what} is refused, and the failure names the reason and both files`, inTime, async (t) => {
      const { files } = await pair(t);
      await spoil(files);
      await assertRefused(files, reason);
    });
  }

  for (const algorithm of ["ec", "rsa"] as const) {
    it(`with another ${algorithm} key is refused`, async (t) => {
      const { files, folder } = await pair(t);
      await makeCertificate(folder, { algorithm, cert: "other.pem" });
      await assertRefused(files, /the key does not match the certificate/);
    });
  }

  it("followed by a damaged certificate of its issuer is refused", async (t) => {
    const { files } = await pair(t);
    const text = await readFile(files.cert, "utf8");
    await writeFile(files.cert, `${text}${text.slice(0, text.length / 2)}\n-----END CERTIFICATE-----\n`);
    await assertRefused(files, /PEM|asn1|base64/i);
  });

  it("may have 1 MiB with its chain", async (t) => {
    const { files } = await pair(t);
    const text = await readFile(files.cert, "utf8");
    const padded = text.padEnd(1024 * 1024, "\n");
    await writeFile(files.cert, padded);
    assert.equal((await readCertificate(files)).cert, padded);
  });

  for (const [count, names] of [
    [5, "1.test, 2.test, 3.test, 4.test, 5.test"],
    [6, "1.test, 2.test, 3.test, 4.test, 5.test and 1 more"],
    [8, "1.test, 2.test, 3.test, 4.test, 5.test and 3 more"],
  ] as const) {
    it(`with ${count} names is named by at most 5 of them`, async (t) => {
      const { files, folder } = await pair(t);
      const all = Array.from({ length: count }, (_, index) => `DNS:${index + 1}.test`);
      const request = ["req", "-x509", "-new", "-key", files.key, "-days", "1", "-subj", "/CN=1.test"];
      const cert = join(folder, "names.pem");
      await run("openssl", [...request, "-addext", `subjectAltName=${all.join()}`, "-out", cert]);
      assert.equal((await readCertificate({ ...files, cert })).names, names);
    });
  }

  it("with an encrypted key is refused", async (t) => {
    const { files } = await pair(t);
    const out = `${files.key}.encrypted`;
    await run("openssl", ["pkey", "-in", files.key, "-aes128", "-passout", "pass:secret", "-out", out]);
    await assertRefused({ ...files, key: out }, /the key is encrypted; expected one without a passphrase/);
  });

  it("is reported with the permissions of its key", async (t) => {
    const { files } = await pair(t);
    await chmod(files.key, 0o644);
    assert.equal((await readCertificate(files)).keyMode, 0o644);
  });
});

async function assertRefused(files: { cert: string; key: string }, reason: RegExp): Promise<void> {
  await assert.rejects(readCertificate(files), (error) => {
    assert.ok(error instanceof Failure);
    assert.match(error.message, reason);
    assert.ok(error.message.includes(files.cert) && error.message.includes(files.key), error.message);
    assert.match(error.hint ?? "", /--cert and --key/);
    assert.doesNotMatch(error.message, /BEGIN/);
    return true;
  });
}

describe("a server with HTTPS", () => {
  async function serving(t: TestContext) {
    const { files, folder } = await pair(t);
    const https = await readCertificate(files);
    const options = { host: "127.0.0.1", port: 0, fetch: () => new Response(), answerPlain: answerTo };
    const server = await startServer({ ...options, https });
    t.after(() => server.close());
    return { server, folder };
  }

  it("uses another certificate for new connections, and open ones go on", inTime, async (t) => {
    const { server, folder } = await serving(t);
    const open = await connectTo(server.url);
    const ask = async (path: string) => {
      open.write(requestFor(path));
      const [bytes] = await once(open, "data");
      assert.match(String(bytes), new RegExp(`200 OK[^]*for ${path}$`));
    };
    await ask("/before");
    await makeCertificate(folder, { name: "renewed" });
    server.useCertificate(
      await readCertificate({ cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }),
    );
    assert.equal(await nameServed(server.url), "renewed");
    await ask("/after");
    open.destroy();
  });

  it("drops no connection while certificates change", inTime, async (t) => {
    const { server, folder } = await serving(t);
    const paths = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
    const certificates = [await readCertificate(paths)];
    await makeCertificate(folder, { name: "other" });
    certificates.push(await readCertificate(paths));
    const served = new Set<string>();
    let changes = 0;
    const client = async () => {
      while (changes < 100 || served.size < 2) {
        const socket = await connectTo(server.url);
        served.add(String(socket.getPeerCertificate().subject.CN));
        for (let number = 0; number < 3; number += 1) {
          socket.write(requestFor(`/${number}`));
          assert.match(String((await once(socket, "data"))[0]), new RegExp(`for /${number}$`));
          changes += 1;
          const certificate = certificates[changes % 2];
          if (certificate !== undefined) server.useCertificate(certificate);
        }
        socket.destroy();
      }
    };
    await Promise.all([client(), client(), client(), client()]);
    assert.deepEqual([...served].sort(), ["localhost", "other"]);
  });

  it("does not resume a session of the certificate before", inTime, async (t) => {
    const { server, folder } = await serving(t);
    const first = await connectTo(server.url, { maxVersion: "TLSv1.2" });
    const session = first.getSession();
    first.destroy();
    assert.ok(session !== undefined);
    const again = await connectTo(server.url, { maxVersion: "TLSv1.2", session });
    assert.equal(again.isSessionReused(), true);
    again.destroy();
    await makeCertificate(folder);
    server.useCertificate(
      await readCertificate({ cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }),
    );
    const later = await connectTo(server.url, { maxVersion: "TLSv1.2", session });
    assert.equal(later.isSessionReused(), false);
    later.destroy();
  });

  it("speaks TLS 1.2 and 1.3, but nothing older even if Node would", inTime, async (t) => {
    const { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS } = tls;
    t.after(() => void Object.assign(tls, { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS }));
    const ciphers = "DEFAULT@SECLEVEL=0";
    Object.assign(tls, { DEFAULT_MIN_VERSION: "TLSv1", DEFAULT_CIPHERS: ciphers });
    const { server, folder } = await serving(t);
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const socket = await connectTo(server.url, { minVersion: version, maxVersion: version });
      assert.equal(socket.getProtocol(), version);
      socket.destroy();
    }
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers } as const;
    // The same client reaches a server that allows TLS 1.1.
    const lax = createServer({
      cert: await readFile(join(folder, "cert.pem")),
      key: await readFile(join(folder, "key.pem")),
    }).listen(0, "127.0.0.1");
    t.after(() => lax.close());
    await once(lax, "listening");
    const address = lax.address();
    assert.ok(typeof address === "object" && address !== null);
    const reached = await connectTo(`https://127.0.0.1:${address.port}`, old);
    assert.equal(reached.getProtocol(), "TLSv1.1");
    reached.destroy();
    await assert.rejects(connectTo(server.url, old), { code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
    await makeCertificate(folder);
    server.useCertificate(
      await readCertificate({ cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }),
    );
    await assert.rejects(connectTo(server.url, old), { code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
  });
});
