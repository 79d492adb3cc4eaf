/** `audit`: its output on a terminal, in a pipe and as JSON; filters; --follow. */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { connectControl } from "../../src/control/client.ts";
import { assertIncludes, assertLacks } from "../_setup.ts";
import { ada, adaKey, cells, deskWithHistory } from "./_history.ts";
import {
  colourBegins,
  type Desk,
  type FailureDocument,
  type IssuedDocument,
  linesOf,
  Running,
  seededDesk,
} from "./_setup.ts";

async function numbers(desk: Desk, ...args: readonly string[]): Promise<number[]> {
  const lines = linesOf(await desk.ok("--json", "audit", ...args));
  return lines.map((line) => (JSON.parse(line) as { number: number }).number);
}

function follow(desk: Desk, ...args: readonly string[]): Running {
  const running = new Running(["audit", "--follow", ...args], desk.folder, {});
  desk.beforeClear(() => running.stop());
  return running;
}

describe("audit", () => {
  it("each change is a line in words, also one of several records", async (t) => {
    const desk = await deskWithHistory(t);
    const { id } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    await desk.ok("token", "revoke", id);
    const said = linesOf(await desk.ok("audit")).map((line) => line.split("\t"));
    assert.deepEqual(
      said.map(([number, , who, operation, words]) => [number, who, operation, words]).slice(1),
      [
        ["2", "operator", "player.add", "added the player Ada, added the membership Ada (POLICE)"],
        ["3", "operator", "member.set", "changed the membership Ada (POLICE): rank 3 -> 4"],
        ["4", "Ada", "wantedreason.add", "added the wanted reason Theft"],
        ["5", "operator", "wantedreason.remove", "removed the wanted reason Theft"],
        ["6", "operator", "token.issue", `issued the token ${id} of Ada`],
        ["7", "operator", "token.revoke", `revoked the token ${id} of Ada`],
      ],
    );
    assert.match(said[0]?.[4] ?? "", /^added \d+ names$/);
  });

  it("a change of several records is undone by the first cell of its line", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "POLICE:3", "--member", "GROVE:1");
    const line = await desk.ok("audit", "--operation", "player.add", "--limit", "1");
    await desk.ok("undo", line.split("\t")[0] ?? "");
    assert.equal(await desk.ok("player", "list"), "");
  });

  it("on a terminal a line has the time and the words, and is not wider than the terminal", async (t) => {
    const desk = await deskWithHistory(t);
    const env = { NO_COLOR: "1" };
    const { stdout } = await desk.run(["audit", "--limit", "4"], { terminal: true, columns: 60, env });
    const lines = linesOf(stdout);
    assert.match(
      lines[0] ?? "",
      /^2 {2}\d\d:\d\d:\d\d {2}operator {2}added the player Ada, added the m\S*.*…$/,
    );
    assert.match(lines[2] ?? "", /^4 {2}\d\d:\d\d:\d\d {2}Ada {2}added the wanted reason Theft$/);
    for (const line of lines) assert.ok(line.length <= 60, line);
  });

  it("with --values in a pipe, each record is a line with tabs", async (t) => {
    const desk = await deskWithHistory(t);
    assert.deepEqual(await cells(desk, "--limit", "3"), [
      ["3", "operator", "member.set", "memberships", `POLICE/${adaKey}`, "rank 3 -> 4"],
      ["4", "Ada", "wantedreason.add", "wantedReasons", "theft", "added reason=Theft points=10"],
      ["5", "operator", "wantedreason.remove", "wantedReasons", "theft", "removed reason=Theft points=10"],
    ]);
  });

  it("with --values on a terminal, each change is a line, with its records below", async (t) => {
    const desk = await deskWithHistory(t);
    const { stdout } = await desk.run(["audit", "--values", "--limit", "3"], {
      terminal: true,
      env: { NO_COLOR: "1" },
    });
    assert.deepEqual(
      linesOf(stdout).map((line) => line.replace(/\d{4}-\S+Z/, "<time>")),
      [
        "3  <time>  operator  member.set",
        `    memberships POLICE/${adaKey} (Ada): rank 3 -> 4`,
        "4  <time>  Ada  wantedreason.add",
        "    wantedReasons theft: added reason=Theft points=10",
        "5  <time>  operator  wantedreason.remove",
        "    wantedReasons theft: removed reason=Theft points=10",
      ],
    );
    assertIncludes((await desk.run(["audit"], { terminal: true })).stdout, colourBegins);
  });

  it("when a change has many records, a terminal shows at most 20 of the selected ones", async (t) => {
    const desk = await seededDesk(t);
    for (let number = 0; number < 12; number += 1) {
      await desk.ok("player", "add", `P${number}`, "--member", "GROVE:1");
    }
    await desk.ok("data", "export", "e.json");
    const empty = await seededDesk(t);
    await empty.write("e.json", await readFile(join(desk.folder, "e.json"), "utf8"));
    await empty.ok("data", "import", "e.json", "--yes");
    const shownBy = async (...args: readonly string[]) =>
      linesOf((await empty.run(["audit", "--values", "--limit", "1", ...args], { terminal: true })).stdout);
    const all = await shownBy();
    assert.equal(all.length, 22);
    assertIncludes(all.at(-1) ?? "", "and 4 more records; --json or a pipe shows all of them");
    for (const args of [
      ["--player", "P7"],
      ["--record", "memberships/P7"],
    ]) {
      const [, ...records] = await shownBy(...args);
      assert.equal(
        records.filter((line) => line.includes("(P7)")).length,
        records.length - 1,
        records.join("\n"),
      );
    }
    assert.equal(linesOf(await empty.ok("audit", "--values", "--limit", "1", "--player", "P7")).length, 24);
  });

  it("when --json is given, each change is a document on a line", async (t) => {
    const desk = await deskWithHistory(t);
    const [line = "", ...others] = linesOf(await desk.ok("audit", "--limit", "1", "--by", "Ada", "--json"));
    assert.deepEqual(others, []);
    const { instant, request, table, ...rest } = JSON.parse(line);
    assert.equal(typeof instant, "number");
    assert.match(request, /^[0-9a-f-]{36}$/);
    assert.match(table, /^[0-9a-f]{12}$/);
    assert.deepEqual(rest, {
      number: 4,
      who: adaKey,
      name: "Ada",
      token: null,
      operation: "wantedreason.add",
      undoes: null,
      changes: [
        { collection: "wantedReasons", key: "theft", before: null, after: { reason: "Theft", points: 10 } },
      ],
    });
  });

  it("when a change was undone, the undo names it", async (t) => {
    const desk = await deskWithHistory(t);
    await desk.ok("undo", "5");
    const [shown = []] = await cells(desk, "--limit", "1");
    assert.deepEqual(shown.slice(0, 3), ["6", "operator", "undo 5"]);
  });

  it("when a player is registered and removed, the changes have the names of the commands", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "remove", "Ada", "--yes");
    const shown = await cells(desk, "--limit", "2");
    assert.deepEqual(
      [...new Set(shown.map(([number, , operation]) => `${number} ${operation}`))],
      ["2 player.add", "3 player.remove"],
    );
  });

  it("when filters are given, only changes that pass all of them are shown", async (t) => {
    const desk = await deskWithHistory(t);
    for (const [args, expected] of [
      [
        ["--player", "ada"],
        [2, 3, 4],
      ],
      [
        ["--player", ada],
        [2, 3, 4],
      ],
      [["--by", "Ada"], [4]],
      [
        ["--by", "operator"],
        [1, 2, 3, 5],
      ],
      [
        ["--operation", "wantedreason"],
        [4, 5],
      ],
      [["--operation", "wantedreason.remove"], [5]],
      [
        ["--record", "wantedReasons"],
        [4, 5],
      ],
      [
        ["--record", "memberships/Ada"],
        [2, 3],
      ],
      [["--record", "names/group/mod"], [1]],
      [
        ["--limit", "2"],
        [4, 5],
      ],
      [["--limit", "0"], []],
      [
        ["--since", "1h"],
        [1, 2, 3, 4, 5],
      ],
      [["--since", "2d ago", "--by", "Ada"], [4]],
      [["--until", "1h"], []],
      [["--since", "2999-01-01T00:00:00Z"], []],
      [["--since", "2999-01-01T00:00:00+02:00"], []],
      [
        ["--until", "4102444800000"],
        [1, 2, 3, 4, 5],
      ],
    ] as const) {
      assert.deepEqual(await numbers(desk, ...args), expected, args.join(" "));
    }
  });

  it("when nothing matches, it prints a remark and does not fail", async (t) => {
    const desk = await deskWithHistory(t);
    const ran = await desk.run(["audit", "--operation", "navipoint"]);
    assert.deepEqual([ran.exitCode, ran.stdout], [0, ""]);
    assertIncludes(ran.stderr, "No change in the journal matches");
  });

  it("when a filter is invalid, the error names what was expected", async (t) => {
    const desk = await deskWithHistory(t);
    for (const moment of ["yesterday", "2026-11-21T12", "2y", "-5", ""]) {
      assert.match(
        await desk.misused("audit", `--since=${moment}`),
        /--since.*a duration such as 2h/,
        moment,
      );
    }
    for (const limit of ["-1", "1.5", "all"]) {
      assert.match(await desk.misused("audit", `--limit=${limit}`), /whole number/);
    }
    await desk.misused("audit", "--until", "2h", "--follow");
    await desk.misused("audit", "statistic");
    assertIncludes(await desk.fails("audit", "--player", "Adda"), 'Did you mean "Ada"?');
    const failure = await desk.failsAs<FailureDocument>("audit", "--record", "wantedReason");
    assert.equal(failure.code, "UNKNOWN_ENTRY");
    assertIncludes(failure.info, 'Did you mean "wantedReasons"?');
  });

  it("when a player has been removed, the name is still shown", async (t) => {
    const desk = await deskWithHistory(t);
    await desk.ok("player", "remove", "Ada", "--yes");
    assert.deepEqual(await numbers(desk, "--player", "Ada"), [2, 3, 4, 6]);
    const [[, who] = []] = await cells(desk, "--by", "Ada");
    assert.equal(who, "Ada");
  });

  it("when a token was issued, neither it nor its hash is shown", async (t) => {
    const desk = await deskWithHistory(t);
    const { token, id } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    await desk.ok("token", "revoke", id);
    const hash = await desk.withService(async (service) => String(service.store.data.tokens.get(id)?.hash));
    assert.match(hash, /^[0-9a-f]{64}$/);
    for (const args of [
      ["audit", "--values"],
      ["audit", "--all", "--json"],
    ]) {
      const shown = await desk.ok(...args);
      assertLacks(shown, hash);
      assertLacks(shown, token);
      assertIncludes(shown, "…");
    }
  });

  it("when a change is internal, only --all shows it", async (t) => {
    const desk = await deskWithHistory(t);
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    await desk.answerTo(token, "/event");
    assertLacks(await desk.ok("audit"), "activity");
    assert.deepEqual(
      (await cells(desk, "--all", "--by", "system")).map(([, , , collection]) => collection),
      ["activity", "counters"],
    );
    assert.equal((await numbers(desk, "--record", "activity/Ada")).length, 1);
  });

  it("when a service runs on the folder, it works the same, without a request to it", async (t) => {
    const desk = await deskWithHistory(t);
    const expected = await desk.ok("audit");
    await desk.serve().shows(/Listening on/);
    assertIncludes(await desk.ok("audit"), expected);
    await desk.ok("call", "/wantedreason/add", "reason=Arson", "points=1");
    assert.match(await desk.ok("audit", "--limit", "1"), /added the wanted reason Arson$/m);
  });

  it("when another process has the folder open without serving it, it still works", async (t) => {
    const desk = await deskWithHistory(t);
    await desk.withService(async () => assert.deepEqual(await numbers(desk), [1, 2, 3, 4, 5]));
  });

  it("when a file between others is missing, it reports the changes that are not shown", async (t) => {
    const desk = await deskWithHistory(t);
    const reasons = ["Arson", "Fraud", "Speed"];
    for (const reason of reasons) {
      await desk.ok("data", "snapshot");
      await desk.ok("call", "/wantedreason/add", `reason=${reason}`, "points=1");
    }
    await rm(join(desk.data, "journal-000000000007.log"));
    for (const options of [[], ["--limit", "9"], ["--player", "Ada"]]) {
      const { exitCode, stderr } = await desk.run(["audit", ...options]);
      assert.equal(exitCode, 0);
      assertIncludes(stderr, "lacks change 7: it is not shown");
    }
    assert.deepEqual(await numbers(desk), [1, 2, 3, 4, 5, 6, 8]);
    assert.equal((await desk.run(["audit", "--limit", "1"])).stderr, "");
  });

  it("when the journal is damaged, it reports the position", async (t) => {
    const desk = await deskWithHistory(t);
    const [path = ""] = [...(await desk.files()).keys()].filter((name) => name.endsWith(".log"));
    const bytes = await readFile(path);
    const at = bytes.indexOf('"points":10');
    bytes.write('"points":99', at);
    await writeFile(path, bytes);
    const { exitCode, stderr } = await desk.run(["audit"]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /journal-000000000001\.log is damaged at byte \d+/);
  });
});

describe("audit --follow", () => {
  it("when changes arrive, it shows them until it is stopped", async (t) => {
    const desk = await deskWithHistory(t);
    const running = follow(desk);
    await running.shows(/^5\t.*wantedreason\.remove/m);
    await desk.ok("call", "/wantedreason/add", "reason=Arson", "points=1", "--as", "Ada");
    await running.shows(/^6\t.*\tAda\twantedreason\.add\tadded the wanted reason Arson$/m);
    assert.equal(await running.stop(), 0);
  });

  it("when a service writes, also to new segments, it shows every change once", async (t) => {
    const desk = await deskWithHistory(t);
    await desk.serve().shows(/Listening on/);
    const running = follow(desk, "--operation", "wantedreason");
    await running.shows(/^5\t/m);
    for (const reason of ["Arson", "Fraud", "Speed"]) {
      await desk.ok("call", "/wantedreason/add", `reason=${reason}`, "points=1");
      await running.shows(new RegExp(`added the wanted reason ${reason}$`, "m"));
      await (await connectControl(desk.data))?.snapshot();
    }
    assert.equal(linesOf(running.stdout.text).length, 2 + 3);
    assert.equal(await running.stop(), 0);
  });

  it("when the service stops and starts again, it says so", async (t) => {
    const desk = await deskWithHistory(t);
    const service = desk.serve();
    await service.shows(/Listening on/);
    const running = follow(desk);
    await running.shows(/^5\t/m);
    await service.stop();
    const says = async (words: RegExp) => {
      while (!words.test(running.stderr.text)) await setImmediate();
    };
    await says(/No service runs on the data folder\./);
    await desk.serve().shows(/Listening on/);
    await says(/The service runs again\./);
    assert.equal(await running.stop(), 0);
  });

  it("when a new player is registered, it shows the name", async (t) => {
    const desk = await deskWithHistory(t);
    const running = follow(desk, "--limit", "1");
    await running.shows(/^5\t/m);
    await desk.ok("player", "add", "Bob", "--member", "POLICE:4");
    await desk.ok("call", "/wantedreason/add", "reason=Arson", "points=1", "--as", "Bob");
    await running.shows(/\tBob\twantedreason\.add\t/);
  });

  it("when it is stopped before any change, it exits with 0", async (t) => {
    const desk = await deskWithHistory(t);
    const running = follow(desk, "--json", "--by", "system");
    assert.equal(await running.stop(), 0);
    assert.equal(running.stdout.text, "");
  });
});
