/** `routes check` for an operator, an editor and CI: faults and warnings with their lines. */
import assert from "node:assert/strict";
import { readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { formatFaults } from "../../cli/terminal/excerpts.ts";
import { shippedRoutes } from "../_setup.ts";
import { colourBegins, type Desk, emptyDesk, linesOf, seededDesk, toDocument } from "./_setup.ts";

interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly kind?: string;
}

interface CheckDocument {
  readonly file: string;
  readonly revision: string;
  readonly routes: number | null;
  readonly faults: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly code?: string;
}

const faulty = `prefix: /gameaddon/v1/{tokenString}
routes:
  /event:
    summary: Events.
    restriction: { group: TARGETLST }
    handler: event.curent
`;

/** Returns the shipped table with one edit. */
async function tableWith(from: string, to: string): Promise<string> {
  const text = await readFile(shippedRoutes, "utf8");
  assert.equal(text.split(from).length, 2, `${from} is not there once`);
  return text.replace(from, () => to);
}

const withOpenHouseBans = () =>
  tableWith(
    "    restriction: { service: RESCUE, rank: 4 }\n    parameters: { name: playerName, reason: reason }\n    handler: houseban.add",
    "    restriction: open\n    parameters: { name: playerName, reason: reason }\n    handler: houseban.add",
  );

/** Returns the line number of a part of a table, from 1. */
const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split("\n").length;

async function checkOf(desk: Desk, text: string, ...options: string[]) {
  const file = await desk.write("table.yaml", text);
  return { file, ...(await desk.run(["routes", "check", "table.yaml", ...options])) };
}

describe("faults", () => {
  it("when there are several, each is shown with its line and a mark, on standard error", async (t) => {
    const desk = await emptyDesk(t);
    const { file, exitCode, stdout, stderr } = await checkOf(desk, faulty);
    assert.equal(exitCode, 1);
    assert.equal(stdout, "");
    const [head, group, groupLine, groupMark, handler, handlerLine, handlerMark, ...more] = linesOf(stderr);
    assert.equal(head, `error: ${file} has 2 faults:`);
    assert.ok(group?.startsWith(`${file}:5:27: unknown group "TARGETLST"; expected CEO, `), group);
    assert.ok(group?.endsWith('Did you mean "TARGETLIST"?'), group);
    assert.equal(groupLine, "   5 |     restriction: { group: TARGETLST }");
    assert.equal(groupMark, "     |                           ^");
    const near = 'unknown handler "event.curent". Did you mean "event.current"?';
    assert.equal(handler, `${file}:6:14: ${near}`);
    assert.equal(handlerLine, "   6 |     handler: event.curent");
    assert.equal(handlerMark, "     |              ^");
    assert.deepEqual(more, []);
  });

  it("when it is no terminal, or NO_COLOR is set, there are no colours; on a terminal there are", async (t) => {
    const desk = await emptyDesk(t);
    await desk.write("table.yaml", faulty);
    const args = ["routes", "check", "table.yaml"];
    assert.ok(!(await desk.run(args)).stderr.includes(colourBegins));
    const without = await desk.run(args, { terminal: true, env: { NO_COLOR: "1" } });
    assert.ok(!without.stderr.includes(colourBegins));
    const { stderr } = await desk.run(args, { terminal: true });
    assert.ok(stderr.includes(colourBegins));
    assert.ok(stderr.includes(`${colourBegins}31m^`), "the mark is red");
  });

  it("when --json is given, the document has file, revision, faults and warnings", async (t) => {
    const desk = await emptyDesk(t);
    const { file, exitCode, stdout, stderr } = await checkOf(desk, faulty, "--json");
    assert.equal(exitCode, 1);
    assert.equal(stderr, "");
    const document = toDocument<CheckDocument>(stdout);
    assert.equal(document.file, file);
    assert.match(document.revision, /^[0-9a-f]{12}$/);
    assert.equal(document.routes, null);
    assert.equal(document.code, "TABLE_FAULTS");
    assert.deepEqual(
      document.faults.map(({ line, column }) => [line, column]),
      [
        [5, 27],
        [6, 14],
      ],
    );
    assert.deepEqual(document.warnings, []);
  });

  it("when the service is to be served with it, it is refused with the same lines", async (t) => {
    const desk = await emptyDesk(t);
    await desk.write("routes.yaml", faulty);
    const check = await desk.fails("routes", "check");
    const serve = await desk.fails("serve", "--port", "0");
    assert.ok(serve.endsWith(check), serve);
    assert.ok(check.includes("^"));
  });

  it("when a running service refuses it, the command shows the lines as well", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("routes.yaml", await readFile(shippedRoutes, "utf8"));
    const running = desk.serve(["--no-watch"]);
    await running.shows(/Listening/);
    await desk.write("routes.yaml", faulty);
    const stderr = await desk.fails("routes", "check");
    assert.ok(stderr.includes("   5 |     restriction: { group: TARGETLST }\n"), stderr);
  });
});

describe("the mark", () => {
  const shown = (text: string, column: number, columns?: number) =>
    formatFaults([{ line: 1, column, message: "so" }], {
      file: "f",
      text,
      paint: (_, each) => each,
      columns,
      kind: "fault",
    }).split("\n");

  it("stands under the place behind tabs, since those stay tabs", () => {
    assert.deepEqual(shown("a:\tb", 4), ["f:1:4: so", "   1 | a:\tb", "     |   \t^"]);
  });
  it("stands under the place behind wide characters, which take two columns", () => {
    assert.deepEqual(shown("日本: x", 5), ["f:1:5: so", "   1 | 日本: x", "     |       ^"]);
  });
  it("stands under the place behind an emoji, which is two units of text and two columns", () => {
    assert.deepEqual(shown("😀: x", 5), ["f:1:5: so", "   1 | 😀: x", "     |     ^"]);
  });
  it("stands under the place behind a combining accent, which takes none", () => {
    assert.deepEqual(shown("e\u0301: x", 5), ["f:1:5: so", "   1 | e\u0301: x", "     |    ^"]);
  });
  it("stands behind the end of a line where that is the place", () => {
    assert.deepEqual(shown("a:", 3), ["f:1:3: so", "   1 | a:", "     |   ^"]);
  });
  it("has no line that steers the terminal", () => {
    assert.deepEqual(shown("a\u001b[31m: x", 9), [
      "f:1:9: so",
      "   1 | a\\u001b[31m: x",
      "     |              ^",
    ]);
  });
  it("has the part of a long line that fits", () => {
    const [, line = "", mark = ""] = shown(`${"a".repeat(300)}X${"b".repeat(300)}`, 301, 60);
    assert.ok(line.length <= 60, line);
    assert.match(line, /^ {3}1 \| …a+Xb+…$/);
    assert.equal(line[mark.indexOf("^")], "X");
  });
  it("is left out for an empty line", () => assert.deepEqual(shown("", 1), ["f:1:1: so"]));
});

describe("warnings", () => {
  it("when the shipped table is checked, there are none, also with --strict", async (t) => {
    const desk = await seededDesk(t);
    const { exitCode, stdout, stderr } = await desk.run(["routes", "check", shippedRoutes, "--strict"]);
    assert.equal(exitCode, 0, stderr);
    assert.equal(stderr, "");
    assert.equal(stdout, `${shippedRoutes}: 35 routes, no faults.\n`);
    const document = await desk.json<CheckDocument>("routes", "check");
    assert.equal(document.routes, 35);
    assert.match(document.revision, /^[0-9a-f]{12}$/);
    assert.deepEqual([document.faults, document.warnings], [[], []]);
  });

  it("when everyone may add house bans, it warns with the line, and exits with 0", async (t) => {
    const desk = await emptyDesk(t);
    const text = await withOpenHouseBans();
    const line = lineOf(text, "/houseban/add:") + 2;
    const { file, exitCode, stdout, stderr } = await checkOf(desk, text);
    assert.equal(exitCode, 0);
    assert.equal(stdout, `${file}: 35 routes, no faults, 2 warnings.\n`);
    const [change, caller, excerpt, mark, ...more] = linesOf(stderr);
    assert.ok(change?.startsWith(`${file}:${line}:18: warning: houseban.add changes data`), change);
    assert.ok(caller?.startsWith(`${file}:${line}:18: warning: houseban.add stores who called it`), caller);
    assert.equal(excerpt, ` ${line} |     restriction: open`);
    assert.equal(mark, "     |                  ^");
    assert.deepEqual(more, []);
  });

  it("when it is checked strictly, the exit code is 1", async (t) => {
    const desk = await emptyDesk(t);
    const { exitCode, stdout, stderr } = await checkOf(desk, await withOpenHouseBans(), "--strict");
    assert.equal(exitCode, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /warning: .*houseban\.add/);
    assert.match(stderr, /error: .*2 warnings/);
  });

  it("when --json is given, they are in the document, with their kind; strictly the exit code is 1", async (t) => {
    const desk = await emptyDesk(t);
    const text = await withOpenHouseBans();
    const line = lineOf(text, "/houseban/add:") + 2;
    const lax = await checkOf(desk, text, "--json");
    const strict = await checkOf(desk, text, "--json", "--strict");
    assert.deepEqual([lax.exitCode, strict.exitCode], [0, 1]);
    assert.deepEqual([lax.stderr, strict.stderr], ["", ""]);
    assert.equal(toDocument<CheckDocument>(lax.stdout).code, undefined);
    assert.equal(toDocument<CheckDocument>(strict.stdout).code, "TABLE_WARNINGS");
    for (const { stdout } of [lax, strict]) {
      const { routes, faults, warnings } = toDocument<CheckDocument>(stdout);
      assert.equal(routes, 35);
      assert.deepEqual(faults, []);
      assert.deepEqual(
        warnings.map((each) => [each.line, each.column, each.kind]),
        [
          [line, 18, "open-change"],
          [line, 18, "unknown-caller"],
        ],
      );
    }
  });

  it("when a group has no members in the data, that is shown, until it has one", async (t) => {
    const desk = await seededDesk(t);
    const warned = async () =>
      (await desk.json<CheckDocument>("routes", "check")).warnings.map(({ kind, message }) => {
        assert.match(message, /TARGETLIST/);
        return kind;
      });
    await desk.ok("player", "add", "Ada");
    assert.deepEqual(await warned(), ["empty-group", "empty-group", "empty-group"]);
    await desk.ok("group", "add", "Ada", "TARGETLIST");
    assert.deepEqual(await warned(), []);
  });

  it("when a restriction requires a rank that nobody has, it warns, and --strict fails", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "POLICE:6", "--member", "GROVE:4");
    for (const group of ["TARGETLIST"]) await desk.ok("group", "add", "Ada", group);
    const withRank = async (rank: number) => {
      const text = (await readFile(shippedRoutes, "utf8")).replaceAll(
        "POLICE, rank: 4",
        `POLICE, rank: ${rank}`,
      );
      return checkOf(desk, text, "--strict");
    };
    assert.equal((await withRank(6)).exitCode, 0);
    const { exitCode, stderr } = await withRank(44);
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /warning: nobody has rank 44 or higher in the service POLICE; the highest is 6; if this is intended,/,
    );
  });

  it("when a service runs on the data, its members count", async (t) => {
    const desk = await seededDesk(t);
    await desk.serve().shows(/Listening/);
    await desk.ok("group", "add", "Mallory", "VIP");
    const { warnings } = await desk.json<CheckDocument>("routes", "check");
    assert.equal(warnings.length, 3);
  });

  it("when an operation is not served, it warns, unless the table declares it unserved", async (t) => {
    const desk = await emptyDesk(t);
    const users = `  /mgmt/users:
    summary: Returns all registered clients with activity, version, UUID and version currency.
    restriction: open
    handler: mgmt.users
`;
    const text = await tableWith(users, "");
    const [only, ...more] = toDocument<CheckDocument>((await checkOf(desk, text, "--json")).stdout).warnings;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [only?.kind, only?.line, only?.column],
      ["unserved-operation", lineOf(text, "routes:\n"), 1],
    );
    assert.match(only?.message ?? "", /mgmt\.users/);
    const meant = await checkOf(desk, `${text}\nunserved: [mgmt.users]\n`, "--strict");
    assert.equal(meant.exitCode, 0, meant.stderr);
  });
});

describe("the first start", () => {
  it("when it puts down a table, it puts the schema beside it, for editors", async (t) => {
    const desk = await seededDesk(t);
    const [first] = (await readFile(join(desk.folder, "routes.yaml"), "utf8")).split("\n");
    assert.equal(first, "# yaml-language-server: $schema=./routes.schema.json");
    const schema = JSON.parse(await readFile(join(desk.folder, "routes.schema.json"), "utf8"));
    assert.equal(schema.type, "object");
  });
});

it("a routes.yaml that is a link to nothing is refused: the packaged table does not take its place", async (t) => {
  const desk = await seededDesk(t);
  await rm(join(desk.folder, "routes.yaml"), { force: true });
  await symlink("nowhere.yaml", join(desk.folder, "routes.yaml"));
  assert.match(await desk.fails("routes", "check"), /routes\.yaml is a broken symbolic link/);
});
