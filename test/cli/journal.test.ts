/** The first start of `serve` as a service of systemd: its output is the journal, which must not contain a token. */
import assert from "node:assert/strict";
import { fstatSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isJournal } from "../../cli/terminal/journal.ts";
import { temporaryFolder } from "../_setup.ts";
import { CliProcess, serveProcess } from "./_process.ts";
import { type Desk, emptyDesk, tokenForm } from "./_setup.ts";

/** Runs a command with `JOURNAL_STREAM` as systemd sets it, for one of its descriptors. */
const underSystemd = (descriptor: 1 | 2) => [
  "sh",
  "-c",
  `export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/$$/fd/${descriptor}); exec "$@"`,
  "sh",
];

const noProc = process.platform === "linux" ? false : "only Linux has systemd";

const tokensOf = (desk: Desk) => desk.json<unknown[]>("token", "list");

describe("a first start", { skip: noProc, timeout: 60_000 }, () => {
  for (const [what, descriptor] of [
    ["standard output", 1],
    ["standard error", 2],
  ] as const) {
    it(`whose ${what} is the journal issues no token, and prints the command that does`, async (t) => {
      const desk = await emptyDesk(t);
      const child = new CliProcess(desk, ["serve", "--port", "0"], [], underSystemd(descriptor));
      const [url] = await child.shows("stdout", /http:\/\/127\.0\.0\.1:\d+\/gameaddon\/v1/);
      const [, command = ""] = await child.shows("stdout", /^No public token was issued.* addon-cli (.*)$/m);
      assert.equal(command, `--data ${desk.data} token issue --public`);
      assert.deepEqual(await tokensOf(desk), []);
      const token = (await desk.ok(...command.split(" "))).trim();
      assert.equal((await fetch(`${url.replace(/\{.*/, "")}/${token}/player/groups`)).status, 200);
      child.signal("SIGTERM");
      assert.equal(await child.ended, 0);
      assert.doesNotMatch(child.stdout + child.stderr, tokenForm);
      assert.doesNotMatch(child.stdout, /Open this URL/);
    });
  }

  it("after one into the journal issues a token where it can be seen", async (t) => {
    const desk = await emptyDesk(t);
    const child = new CliProcess(desk, ["serve", "--port", "0"], [], underSystemd(1));
    await child.shows("stdout", /No public token was issued/);
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
    const { open } = await serveProcess(desk);
    assert.equal((await fetch(open)).status, 200);
  });

  it("with a JOURNAL_STREAM that is another stream issues its token", async (t) => {
    const desk = await emptyDesk(t);
    const inherited = ["sh", "-c", 'export JOURNAL_STREAM=8:12345; exec "$@"', "sh"];
    const { open } = await serveProcess(desk, [], [], inherited);
    assert.equal((await fetch(open)).status, 200);
  });
});

describe("the journal", () => {
  it("is recognised by the device and the inode of a stream", async (t) => {
    const file = await open(join(await temporaryFolder(t), "journal"), "w");
    t.after(() => file.close());
    const { dev, ino } = fstatSync(file.fd, { bigint: true });
    const stream = `${dev}:${ino}`;
    assert.equal(isJournal(stream, [file.fd]), true);
    assert.equal(isJournal(stream, [0, file.fd]), true);
    for (const other of [undefined, "", ":", `${dev}:${ino + 1n}`, `${dev}`, `${stream} `, "0:0", "journal"])
      assert.equal(isJournal(other, [file.fd]), false, String(other));
  });

  it("is no closed descriptor", async () => {
    assert.equal(isJournal("8:12345", [4095]), false);
  });
});
