/** What commands write, ask and say when an operator names the wrong thing. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { describe, it } from "node:test";
import { assertIncludes } from "../_setup.ts";
import { describeBothWays } from "./_both-ways.ts";
import { answering, emptyDesk, seededDesk } from "./_setup.ts";

describe("a folder with files of somebody else", () => {
  for (const command of ["player add Ada", "seed groups", "serve --port 0", "token issue --public"]) {
    it(`is refused by ${command} before anything is written into it`, { timeout: 60_000 }, async (t) => {
      const desk = await emptyDesk(t);
      await desk.write("thesis.txt", "");
      const { exitCode, stderr } = await desk.run(["--data", ".", ...command.split(" ")]);
      assert.match(stderr, /^error: \S+ is not a data folder of this service: it contains thesis\.txt\.\n/);
      assert.equal(exitCode, 1);
      assert.deepEqual(await readdir(desk.folder), ["thesis.txt"]);
    });
  }
});

describeBothWays("a question", (open) => {
  it("is not asked about a player who is excluded already", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada");
    const { questions } = await answering(desk, "yes", "player", "exclude", "Ada");
    assert.deepEqual(questions, ["Exclude Ada? [y/N] "]);
    const again = await answering(desk, "yes", "player", "exclude", "Ada");
    assert.deepEqual([again.exitCode, again.questions], [0, []]);
    assertIncludes(again.stderr, "`addon-cli player readmit Ada` ends the exclusion.");
    assert.equal(await desk.ok("player", "exclude", "ada"), "Ada is already excluded.\n");
  });

  it("is not asked about a name that is in use, or does not exist", async (t) => {
    const desk = await open(t);
    for (const [name, refusal] of [
      ["BLACKLIST", /^error: The group BLACKLIST is in use: /],
      ["BLACKLST", /^error: There is no group "BLACKLST"\. Did you mean "BLACKLIST"\?/],
    ] as const) {
      const { exitCode, questions, stderr } = await answering(desk, "yes", "seed", "remove", "group", name);
      assert.match(stderr, refusal);
      assert.deepEqual([exitCode, questions], [1, []]);
    }
  });

  it("about a player's removal leads to an answer that undoes it", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
    const { stderr } = await answering(desk, "yes", "player", "remove", "Ada");
    const [, number = ""] = /`addon-cli undo (\d+)` undoes it\./.exec(stderr) ?? [];
    assertIncludes(await desk.ok("undo", number), "(player.remove)");
    assertIncludes(await desk.ok("player", "list"), "GROVE:4");
  });
});

describe("an audit that can show nothing", () => {
  it("says why: its times are the wrong way round, or its limit is 0", async (t) => {
    const desk = await seededDesk(t);
    assert.equal(
      await desk.misused("audit", "--since", "2h", "--until", "3h"),
      "error: --since is later than --until\n",
    );
    const { exitCode, stderr } = await desk.run(["audit", "--limit", "0"]);
    assert.deepEqual([exitCode, stderr], [0, "--limit 0 shows none.\n"]);
  });
});

it("health of a file says that it is no folder, and not that a service is to be started there", async (t) => {
  const desk = await emptyDesk(t);
  await desk.write("data.txt", "");
  const { exitCode, stderr } = await desk.run(["--data", "data.txt", "health"]);
  assert.match(stderr, /^error: The data folder \S+ cannot be used: a file or a broken symbolic link/);
  assert.equal(exitCode, 1);
});
