/** The output of results, remarks and failures: on a terminal, in a pipe, and as JSON (contract, section 4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertIncludes } from "../_setup.ts";
import {
  colourBegins,
  emptyDesk,
  type FailureDocument,
  linesOf,
  type PlayerDocument,
  seededDesk,
  toDocument,
} from "./_setup.ts";

const adasUUID = "069a79f444e94726a5befca90e38aaf5";

describe("results and remarks", () => {
  it("when a command succeeds, its result is on standard output and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    const ran = await desk.run(["player", "add", "Ada"]);
    assert.equal(ran.exitCode, 0);
    assert.match(ran.stdout, /Ada/);
    assert.equal(ran.stderr, "");
  });

  it("when a command fails, the reason is on standard error only and the exit code is 1", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("player", "show", "Nobody"), /Nobody/);
  });

  it("when a new folder is created, the remarks are not on standard output", async (t) => {
    const desk = await emptyDesk(t);
    const { exitCode, stdout, stderr } = await desk.run(["seed", "groups"]);
    assert.equal(exitCode, 0);
    assert.ok(stderr.includes(desk.data), "the remark names the folder that was begun");
    assert.ok(!stdout.includes(desk.folder));
  });

  it("when there is no data yet, a command that reads explains how to create it, and creates no folder", async (t) => {
    const desk = await emptyDesk(t);
    for (const command of [
      ["player", "list"],
      ["player", "show", "Ada"],
      ["admin", "list"],
      ["token", "list"],
      ["group", "list"],
    ]) {
      assert.match(await desk.fails(...command), /no data.*\n.*serve.*seed groups/);
    }
    await assert.rejects(desk.files(), { code: "ENOENT" });
  });
});

describe("lists", () => {
  it("when a list goes to a terminal, it is a table with bold headings", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", adasUUID);
    const { stdout } = await desk.run(["player", "list"], { terminal: true });
    const [heading = "", row = "", ...more] = linesOf(stdout);
    assert.ok(heading.includes(colourBegins));
    assert.match(heading, /NAME.*UUID/);
    assert.match(row, new RegExp(`^Ada +${adasUUID}`));
    assert.deepEqual(more, []);
  });

  it("when a list goes to a terminal, its columns are aligned", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "add", "Bartholomew");
    const { stdout } = await desk.run(["player", "list"], { terminal: true, env: { NO_COLOR: "1" } });
    const [heading = "", ...rows] = linesOf(stdout);
    assert.equal(rows.length, 2);
    for (const row of rows) assert.match(row.slice(heading.indexOf("UUID")), /^[0-9a-f]{32}/);
  });

  it("when a list goes to a pipe, each row is a line with tabs, and nothing else is printed", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", adasUUID);
    await desk.ok("player", "add", "Bob");
    const lines = linesOf(await desk.ok("player", "list"));
    assert.deepEqual(
      lines.map((line) => line.split("\t")[0]),
      ["Ada", "Bob"],
    );
    assert.equal(lines[0]?.split("\t")[1], adasUUID);
  });

  it("when older data has control characters, they are escaped, in lists and in sentences", async (t) => {
    const desk = await seededDesk(t);
    const evil = "x\u001b]0;title\u0007\u202e\u009b\ny";
    const shown = String.raw`x\u001b]0;title\u0007\u202e\u009b`;
    await desk.withService(({ store }) =>
      store.change({ who: "operator", operation: "import" }, (draft) => {
        draft.groupMembers.put({ group: "VIP", name: evil, uuid: null });
        draft.wantedReasons.put({ reason: evil, points: 1 });
      }),
    );
    for (const terminal of [true, false]) {
      const { stdout } = await desk.run(["group", "list"], { terminal });
      assertIncludes(stdout, `${shown} y`);
    }
    assertIncludes(await desk.ok("call", "/wantedreason/remove", `reason=${evil}`), shown);
  });

  it("when a document contains invisible characters that are harmless to a terminal, they are printed as they are", async (t) => {
    const desk = await seededDesk(t);
    const reason = "a\u00adb\u200cc\ue000";
    await desk.withService(({ store }) =>
      store.change({ who: "operator", operation: "import" }, (draft) => {
        draft.wantedReasons.put({ reason, points: 1 });
      }),
    );
    assertIncludes(await desk.ok("data", "export"), reason);
    assertIncludes(await desk.ok("call", "/wantedreason"), reason);
  });

  it("when a list is empty, standard output is empty and a remark reports that", async (t) => {
    const desk = await seededDesk(t);
    for (const command of ["player", "admin", "token"]) {
      const { exitCode, stdout, stderr } = await desk.run([command, "list"]);
      assert.equal(exitCode, 0);
      assert.equal(stdout, "");
      assert.match(stderr, /\S/);
    }
  });

  it("when a list is empty, it is an empty list as JSON", async (t) => {
    const desk = await seededDesk(t);
    for (const command of ["player", "admin", "token"]) {
      assert.deepEqual(await desk.json(command, "list"), []);
    }
  });
});

describe("colours", () => {
  const commands = [
    ["player", "list"],
    ["group", "list"],
    ["routes", "list"],
    ["player", "show", "Ada"],
    ["player", "show", "Nobody"],
    ["frob"],
    ["--help"],
    ["routes", "check"],
  ];

  it("when standard output and standard error are pipes, nothing has colours", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    for (const command of commands) {
      const { stdout, stderr } = await desk.run(command);
      assert.ok(!`${stdout}${stderr}`.includes(colourBegins), command.join(" "));
    }
  });

  it("when NO_COLOR is set, nothing has colours on a terminal either", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    for (const command of commands) {
      const { stdout, stderr } = await desk.run(command, { terminal: true, env: { NO_COLOR: "1" } });
      assert.ok(!`${stdout}${stderr}`.includes(colourBegins), command.join(" "));
    }
  });

  it("when a command fails on a terminal, the error has a colour", async (t) => {
    const desk = await seededDesk(t);
    const { stderr } = await desk.run(["player", "show", "Nobody"], { terminal: true });
    assert.ok(stderr.includes(colourBegins));
  });

  it("when --json is given, nothing has colours on a terminal", async (t) => {
    const desk = await seededDesk(t);
    for (const command of commands.filter(([name]) => name !== "--help")) {
      const { stdout } = await desk.run(["--json", ...command], { terminal: true });
      assert.ok(!stdout.includes(colourBegins), command.join(" "));
    }
  });
});

describe("--json", () => {
  it("when a command succeeds, there is one document on standard output", async (t) => {
    const desk = await seededDesk(t);
    const added = await desk.json<PlayerDocument>("player", "add", "Ada", "--uuid", adasUUID);
    assert.equal(added.name, "Ada");
    assert.equal(added.uuid, adasUUID);
    for (const command of [
      ["seed", "groups"],
      ["player", "list"],
      ["player", "show", "Ada"],
      ["member", "set", "Ada", "GROVE", "4"],
      ["member", "remove", "Ada", "GROVE"],
      ["admin", "grant", "Ada"],
      ["admin", "list"],
      ["admin", "revoke", "Ada"],
      ["group", "add", "Ada", "VIP"],
      ["group", "list"],
      ["group", "remove", "Ada", "VIP"],
      ["token", "list"],
      ["call", "/wantedreason/add", "reason=Theft", "points=10"],
      ["call", "/wantedreason"],
      ["routes", "list"],
      ["routes", "check"],
      ["player", "exclude", "Ada", "--yes"],
      ["player", "readmit", "Ada"],
      ["player", "reset-statistic", "Ada"],
      ["player", "remove", "Ada", "--yes"],
    ]) {
      const { exitCode, stdout, stderr } = await desk.run(["--json", ...command]);
      assert.equal(exitCode, 0, command.join(" "));
      assert.equal(typeof toDocument(stdout), "object", command.join(" "));
      assert.equal(stderr, "", command.join(" "));
    }
  });

  it("when a command fails, the only document is the failure, with its code and a sentence", async (t) => {
    const desk = await seededDesk(t);
    const { exitCode, stdout, stderr } = await desk.run(["--json", "player", "show", "Nobody"]);
    assert.equal(exitCode, 1);
    assert.equal(stderr, "");
    const failure = toDocument<FailureDocument>(stdout);
    assert.equal(failure.code, "UNKNOWN_PLAYER");
    assert.match(failure.info, /Nobody/);
  });

  it("when a call is refused, the document is the same as over HTTP", async (t) => {
    const desk = await seededDesk(t);
    const answer = await desk.failsAs<Record<string, unknown>>("call", "/wantedreason/add", "reason=Theft");
    const { info, requestId, hint, ...rest } = answer;
    assert.deepEqual(rest, {
      httpStatusCode: 400,
      httpStatus: "Bad Request",
      code: "PARAMETER_MISSING",
      parameter: "points",
    });
    assert.match(String(info), /points/);
    assert.equal(typeof requestId, "string");
    assert.match(String(hint), /1000/);
  });

  it("when the table has faults, the document contains them, with line and column", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("bad.yaml", "prefix: /gameaddon/v1/{tokenString}\nrouts: {}\n");
    const document = await desk.failsAs<{ faults: { line: number; column: number; message: string }[] }>(
      "routes",
      "check",
      "bad.yaml",
    );
    const fault = document.faults.find(({ message }) => message.includes("routs"));
    assert.deepEqual([fault?.line, fault?.column], [2, 1]);
  });
});

describe("an error of the system", () => {
  it("comes with what to do about it", async (t) => {
    const desk = await emptyDesk(t);
    await desk.write("file", "");
    for (const folder of ["file", "file/below"]) {
      assert.match(
        await desk.fails("player", "add", "Ada", "--data", folder),
        /name another one with --data/,
      );
    }
    const { hint } = await desk.failsAs<FailureDocument>("player", "add", "Ada", "--data", "file");
    assert.match(hint ?? "", /name another one with --data/);
  });
});
