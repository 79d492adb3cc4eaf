/** `data restore` and `data import` on existing data: one change, previewed, confirmed, audited and undoable. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { assertIncludes } from "../_setup.ts";
import { deskWithPast, players, running, type VerifyDocument } from "./_data.ts";
import { answering, type Desk, type IssuedDocument, linesOf, seededDesk } from "./_setup.ts";

interface Portion {
  readonly count: number;
  readonly first: readonly string[];
}

interface RestoreDocument {
  readonly sequence: number | null;
  readonly changes: number;
  readonly resources: readonly {
    readonly resource: string;
    readonly added: Portion;
    readonly changed: Portion;
    readonly removed: Portion;
  }[];
}

interface AuditDocument {
  readonly number: number;
  readonly who: string;
  readonly operation: string;
  readonly undoes: number | null;
}

async function auditOf(desk: Desk): Promise<AuditDocument[]> {
  return linesOf(await desk.ok("--json", "audit")).map((line) => JSON.parse(line));
}

/** Returns a desk with Ada, Bob and Cleo, a backup and an export; since then, Cleo was removed, Dora added, and Theft changed. */
async function changedDesk(t: TestContext): Promise<Desk> {
  const desk = await deskWithPast(t);
  await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=10");
  await desk.ok("data", "backup", "b.gz");
  await desk.ok("data", "export", "e.json");
  await desk.ok("player", "remove", "Cleo", "--yes");
  await desk.ok("player", "add", "Dora");
  await desk.ok("call", "/wantedreason/remove", "reason=Theft");
  await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=90");
  return desk;
}

async function pointsOf(desk: Desk): Promise<number | undefined> {
  const reasons = await desk.json<{ points: number }[]>("call", "/wantedreason");
  return reasons[0]?.points;
}

for (const { command, operation, file } of [
  { command: "restore", operation: "data.restore", file: "b.gz" },
  { command: "import", operation: "data.import", file: "e.json" },
]) {
  for (const where of ["offline", "beside a running service"]) {
    describe(`data ${command} ${where}`, () => {
      it("is one change, which the audit shows and `undo` takes back", async (t) => {
        const desk = await changedDesk(t);
        if (where !== "offline") await running(desk);
        const before = await auditOf(desk);
        const { sequence, changes } = await desk.json<RestoreDocument>("data", command, file, "--yes");
        assert.equal(sequence, Number(before.at(-1)?.number) + 1);
        assert.equal(changes, 3);
        assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
        assert.equal(await pointsOf(desk), 10);

        const after = await auditOf(desk);
        assert.deepEqual(after.slice(0, -1), before);
        assert.equal(after.at(-1)?.operation, operation);
        assert.equal(after.at(-1)?.who, "operator");
        await desk.ok("undo", String(sequence));
        assert.deepEqual(await players(desk), ["Ada", "Bob", "Dora"]);
        assert.equal(await pointsOf(desk), 90);
        assert.equal((await auditOf(desk)).at(-1)?.undoes, sequence);
        assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
      });

      it("shows what would change, by resource and with the first names, and changes nothing on --dry-run", async (t) => {
        const desk = await changedDesk(t);
        if (where !== "offline") await running(desk);
        const before = await desk.files();
        const text = await desk.ok("data", command, file, "--dry-run");
        assert.match(text, /^players +1 added \(Cleo\), 1 removed \(Dora\)$/m);
        assert.match(text, /^wanted reasons +1 changed \(Theft\)$/m);
        assert.match(text, /: 3 records would change\.$/m);
        const { resources, sequence } = await desk.json<RestoreDocument>("data", command, file, "--dry-run");
        assert.equal(sequence, null);
        assert.deepEqual(
          resources.map(({ resource, added, changed, removed }) => [
            resource,
            added.first,
            changed.first,
            removed.first,
          ]),
          [
            ["players", ["Cleo"], [], ["Dora"]],
            ["wantedReasons", [], ["Theft"], []],
          ],
        );
        assert.deepEqual(await desk.files(), before);
      });
    });
  }

  describe(`data ${command}`, () => {
    it("asks on a terminal, and changes nothing unless the answer is yes", async (t) => {
      const desk = await changedDesk(t);
      for (const answer of ["n", "", undefined]) {
        const { exitCode, questions, stderr } = await answering(desk, answer, "data", command, file);
        assert.equal(exitCode, 1);
        assert.match(questions.join(), /Change 3 records\?/);
        assert.match(stderr, /1 added \(Cleo\)[\s\S]*Nothing was changed\./);
      }
      assert.deepEqual(await players(desk), ["Ada", "Bob", "Dora"]);
      const { exitCode, stdout } = await answering(desk, "y", "data", command, file);
      assert.equal(exitCode, 0);
      assert.match(stdout, /changed 3 records\. `addon-cli undo \d+` undoes it\./);
      assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
      const again = await answering(desk, undefined, "data", command, file);
      assert.deepEqual([again.exitCode, again.questions], [0, []]);
      assert.match(again.stdout, /nothing would change\./);
    });

    it("requires --yes if there is nobody to ask", async (t) => {
      const desk = await changedDesk(t);
      const before = await desk.files();
      assert.match(await desk.fails("data", command, file), /there is nobody to ask.*\n.*--yes/);
      const failure = await desk.failsAs<{ code: string; resources: unknown[] }>("data", command, file);
      assert.equal(failure.code, "CONFLICT");
      assert.equal(failure.resources.length, 2);
      const input = await answering(desk, "y", "--no-input", "data", command, file);
      assert.deepEqual([input.exitCode, input.questions], [1, []]);
      assert.deepEqual(await desk.files(), before);
    });

    it("accepts --replace with the remark that it is no longer needed", async (t) => {
      const desk = await changedDesk(t);
      const ran = await desk.run(["data", command, file, "--replace", "--yes"]);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.match(ran.stderr, /--replace is no longer needed/);
      assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
    });

    it("leaves bookkeeping as it is", async (t) => {
      const desk = await changedDesk(t);
      const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
      await desk.answerTo(token, "/player/groups");
      const bookkeeping = async () => {
        const { collections } = JSON.parse(await desk.ok("data", "export"));
        return [collections.activity, collections.counters, collections.repetitions];
      };
      const before = await bookkeeping();
      assert.equal(before[0].length, 1);
      await desk.ok("data", command, file, "--yes");
      assert.deepEqual(await bookkeeping(), before);
      assert.deepEqual(await desk.answerTo(token, "/player/groups"), [200, undefined]);
    });

    it("never removes the name of a group, which the route table may name", async (t) => {
      const desk = await changedDesk(t);
      await desk.write("names.yaml", "groups: [NEW]\n");
      await desk.ok("seed", "groups", "names.yaml");
      await desk.ok("data", command, file, "--yes");
      const groups = await desk.json<string[]>("call", "/player/groups");
      assert.ok(groups.includes("NEW"), groups.join());
    });
  });
}

describe("tokens", () => {
  /** Tokens of Ada, Bob and Cleo; a backup; then Bob's is revoked, Cleo is removed, and Ada gets another one. */
  async function tokenDesk(t: TestContext) {
    const desk = await deskWithPast(t);
    const issue = (player: string) => desk.json<IssuedDocument>("token", "issue", "--player", player);
    const tokens = { ada: await issue("Ada"), bob: await issue("Bob"), cleo: await issue("Cleo") };
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("token", "revoke", tokens.bob.id);
    await desk.ok("player", "remove", "Cleo", "--yes");
    const later = await issue("Ada");
    return { desk, ...tokens, later };
  }
  const codeOf = async (desk: Desk, { token }: IssuedDocument) =>
    (await desk.answerTo(token, "/player/groups"))[1];

  it("stay as they are, also of players who come back", async (t) => {
    const { desk, ada, bob, cleo, later } = await tokenDesk(t);
    await desk.ok("data", "restore", "b.gz", "--yes");
    assert.deepEqual(await players(desk), ["Ada", "Bob", "Cleo"]);
    assert.equal(await codeOf(desk, ada), undefined);
    assert.equal(await codeOf(desk, later), undefined);
    assert.equal(await codeOf(desk, bob), "TOKEN_REVOKED");
    assert.equal(await codeOf(desk, cleo), "TOKEN_UNKNOWN");
  });

  it("are counted before anybody is asked where they are left out", async (t) => {
    const { desk } = await tokenDesk(t);
    const leftOut = /^1 token is not restored; --tokens restores it\.$/m;
    assert.match(await desk.ok("data", "restore", "b.gz", "--dry-run"), leftOut);
    assert.match(await desk.fails("data", "restore", "b.gz"), leftOut);
    const json = await desk.json<{ tokensLeftOut: number }>("data", "restore", "b.gz", "--dry-run");
    assert.equal(json.tokensLeftOut, 1);
    assert.doesNotMatch(await desk.ok("data", "restore", "b.gz", "--dry-run", "--tokens"), leftOut);
  });

  it("are restored with --tokens, but none that was revoked since is valid again", async (t) => {
    const { desk, ada, bob, cleo, later } = await tokenDesk(t);
    await desk.ok("data", "restore", "b.gz", "--tokens", "--yes");
    assert.equal(await codeOf(desk, ada), undefined);
    assert.equal(await codeOf(desk, cleo), undefined);
    assert.equal(await codeOf(desk, bob), "TOKEN_REVOKED");
    assert.equal(await codeOf(desk, later), "TOKEN_UNKNOWN");
  });

  it("that were revoked stay so with --tokens, though their player was removed since", async (t) => {
    const { desk, ada, bob } = await tokenDesk(t);
    await desk.ok("player", "remove", "Bob", "--yes");
    await desk.ok("data", "restore", "b.gz", "--tokens", "--yes");
    assert.equal(await codeOf(desk, bob), "TOKEN_REVOKED");
    assert.equal(await codeOf(desk, ada), undefined);
  });

  it("whose revocation was undone are valid again with --tokens", async (t) => {
    const { desk, bob } = await tokenDesk(t);
    const { number } = await desk.json<{ number: number }>(
      "audit",
      "--operation",
      "token.revoke",
      "--limit",
      "1",
    );
    await desk.ok("undo", String(number));
    await desk.ok("player", "remove", "Bob", "--yes");
    await desk.ok("data", "restore", "b.gz", "--tokens", "--yes");
    assert.equal(await codeOf(desk, bob), undefined);
  });

  it("of a player whom a restore removes go with the player, and come back with an undo", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("player", "add", "Dora");
    const dora = await desk.json<IssuedDocument>("token", "issue", "--player", "Dora");
    const { sequence } = await desk.json<RestoreDocument>("data", "restore", "b.gz", "--yes");
    assert.equal(await codeOf(desk, dora), "TOKEN_UNKNOWN");
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    await desk.ok("undo", String(sequence));
    assert.equal(await codeOf(desk, dora), undefined);
  });
});

describe("undoing a restore", () => {
  it("is not kept from it by bookkeeping that came later", async (t) => {
    const desk = await changedDesk(t);
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    const { sequence } = await desk.json<RestoreDocument>("data", "restore", "b.gz", "--yes");
    await desk.answerTo(token, "/player/groups");
    await desk.ok("undo", String(sequence));
    assert.deepEqual(await players(desk), ["Ada", "Bob", "Dora"]);
  });

  it("is refused where records have changed since: the first five are named, the others counted", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("data", "backup", "b.gz");
    await desk.withService(async (service) => {
      for (let each = 0; each < 7; each += 1) {
        await service.call("/wantedreason/add", [
          ["reason", `R${each}`],
          ["points", "1"],
        ]);
      }
    });
    const { sequence } = await desk.json<RestoreDocument>("data", "restore", "b.gz", "--yes");
    await desk.withService(async (service) => {
      for (let each = 0; each < 7; each += 1) {
        await service.call("/wantedreason/add", [
          ["reason", `R${each}`],
          ["points", "2"],
        ]);
      }
    });
    const stderr = await desk.fails("undo", String(sequence));
    assert.equal(stderr.match(/has since been changed by change \d+ \(wantedreason\.add\)/g)?.length, 5);
    assertIncludes(stderr, "; and 2 more records.");
  });

  it("is refused if it would leave records of a missing player", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
    await desk.ok("member", "remove", "Ada", "GROVE");
    const number = String((await auditOf(desk)).at(-1)?.number);
    await desk.ok("player", "remove", "Ada", "--yes");
    assert.match(await desk.fails("undo", number), /is no longer registered/);
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
  });
});

describe("a source that changes between the question and the answer", () => {
  it("is not restored", async (t) => {
    const desk = await changedDesk(t);
    const other = await deskWithPast(t);
    await other.ok("data", "backup", "b.gz");
    const swapped = await readFile(join(other.folder, "b.gz"));
    const { exitCode, stderr } = await answering(
      desk,
      () => writeFile(join(desk.folder, "b.gz"), swapped).then(() => "y"),
      "data",
      "restore",
      "b.gz",
    );
    assert.equal(exitCode, 1);
    assert.match(stderr, /source has changed since it was previewed/);
    assert.deepEqual(await players(desk), ["Ada", "Bob", "Dora"]);
  });
});
