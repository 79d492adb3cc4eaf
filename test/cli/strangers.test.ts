/** Protection of tokens and data from strangers on the network and on the machine. */
import assert from "node:assert/strict";
import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { isLoopback } from "../../cli/serving/loopback.ts";
import { makeCertificate } from "../_certificate.ts";
import { type Desk, emptyDesk, type IssuedDocument, seededDesk, tokenForm } from "./_setup.ts";

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o7777).toString(8);
}

/** Starts and stops `serve`. Returns its standard error. */
async function remarksOf(desk: Desk, ...args: string[]): Promise<string> {
  const serving = desk.serve(args);
  await serving.shows(/https?:\S+/);
  assert.equal(await serving.stop(), 0);
  return serving.stderr.text;
}

describe("a host that other machines can reach", () => {
  it("without TLS is warned of, with what to do", async (t) => {
    const desk = await seededDesk(t);
    const remarks = await remarksOf(desk, "--host", "0.0.0.0");
    assert.match(remarks, /warning: .*0\.0\.0\.0.*tokens.*--https.*127\.0\.0\.1/);
  });

  it("with TLS is not warned of, and neither is the machine's own", async (t) => {
    const desk = await seededDesk(t);
    await makeCertificate(desk.folder);
    const tls = ["--https", "--cert", "cert.pem", "--key", "key.pem"];
    assert.doesNotMatch(await remarksOf(desk, "--host", "0.0.0.0", ...tls), /warning/);
    assert.doesNotMatch(await remarksOf(desk), /warning/);
  });

  it("is distinguished from the machine's own by its address", () => {
    for (const own of ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "localhost", "LOCALHOST"]) {
      assert.ok(isLoopback(own), own);
    }
    for (const other of ["0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "example.com", "127.example.com"]) {
      assert.ok(!isLoopback(other), other);
    }
  });
});

const noModes = { skip: process.platform === "win32" ? "Windows has no such permissions" : false };

describe("the data folder", noModes, () => {
  /** Returns a folder that others can enter, without data. */
  async function openFolder(t: TestContext): Promise<Desk> {
    const desk = await emptyDesk(t);
    await mkdir(desk.data);
    await chmod(desk.data, 0o755);
    return desk;
  }

  it("is created for its owner alone", async (t) => {
    const desk = await emptyDesk(t);
    await desk.ok("seed", "groups");
    assert.equal(await modeOf(desk.data), "700");
    await desk.ok("data", "export", "export.json");
    await desk.ok("data", "import", "export.json", "--data", "copy");
    assert.equal(await modeOf(join(desk.folder, "copy")), "700");
  });

  it("is closed to others where it holds no data yet", async (t) => {
    const desk = await openFolder(t);
    await desk.ok("seed", "groups");
    assert.equal(await modeOf(desk.data), "700");
  });

  it("remains unchanged if it contains data, or files of another program, and serve warns", async (t) => {
    const desk = await seededDesk(t);
    await chmod(desk.data, 0o750);
    const remarks = await remarksOf(desk);
    assert.equal(await modeOf(desk.data), "750");
    assert.ok(remarks.includes(`enter the data folder ${desk.data} (mode 0750)`), remarks);
    assert.ok(remarks.includes(`chmod 700 ${desk.data}`), remarks);
    const shared = await openFolder(t);
    await writeFile(join(shared.data, "somebody-elses"), "");
    await shared.fails("seed", "groups");
    assert.equal(await modeOf(shared.data), "755");
  });

  it("remains unchanged where it is shared by a sticky bit, as /tmp is", async (t) => {
    const desk = await openFolder(t);
    await chmod(desk.data, 0o1777);
    await desk.ok("seed", "groups");
    assert.equal(await modeOf(desk.data), "1777");
  });
});

describe("token revoke", () => {
  it("takes the token on standard input", async (t) => {
    const desk = await seededDesk(t);
    const { token, id } = await desk.json<IssuedDocument>("token", "issue", "--public");
    const { exitCode, stdout } = await desk.run(["token", "revoke", "-"], { input: `  ${token}\n` });
    assert.deepEqual([exitCode, stdout], [0, `Revoked the token ${id}.\n`]);
    assert.match(await desk.ok("token", "list"), new RegExp(`^${id}\t.*\trevoked\t`, "m"));
  });

  it("refuses a token as an argument, says why, and does not repeat it", async (t) => {
    const desk = await seededDesk(t);
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--public");
    const stderr = await desk.misused("token", "revoke", token);
    assert.match(stderr, /token revoke -/);
    assert.doesNotMatch(stderr, tokenForm);
    const { exitCode, stdout } = await desk.run(["--json", "token", "revoke", token]);
    assert.equal(exitCode, 2);
    assert.doesNotMatch(stdout, tokenForm);
    assert.match(await desk.ok("token", "list"), /\tvalid\t/);
  });

  it("refuses standard input without a token, or with one that was not issued", async (t) => {
    const desk = await seededDesk(t);
    const unknown = `gat_${"a".repeat(43)}`;
    for (const [input, expected] of [
      ["", /Expected a token/],
      [`${unknown} ${unknown}`, /Expected a token/],
      ["x".repeat(2000), /Expected a token/],
      [unknown, /not issued/],
    ] as const) {
      const { exitCode, stderr } = await desk.run(["token", "revoke", "-"], { input });
      assert.equal(exitCode, 1);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, tokenForm);
    }
  });
});

describe("a token where a path or a name belongs", () => {
  const token = `gat_${"a".repeat(43)}`;

  it("is not repeated by remarks, warnings and failures", async (t) => {
    const desk = await emptyDesk(t);
    const begun = await desk.run(["--data", token, "seed", "groups"]);
    assert.deepEqual([begun.exitCode, begun.stderr.includes("gat_…/seed.yaml")], [0, true], begun.stderr);
    await chmod(join(desk.folder, token), 0o755);
    const remarks = await remarksOf(desk, "--data", token, "--host", "0.0.0.0");
    await desk.write("table.yaml", `prefix: /x/{tokenString}\nroutes: ${token}\n`);
    for (const text of [
      begun.stderr,
      remarks,
      await desk.fails("routes", "check", "table.yaml"),
      JSON.stringify(await desk.failsAs("routes", "check", "table.yaml")),
      JSON.stringify(await desk.failsAs("routes", "list", "--routes", token)),
      JSON.stringify(await desk.failsAs("player", "list", "--data", `${token}/none`)),
    ]) {
      assert.doesNotMatch(text, tokenForm);
    }
  });
});
