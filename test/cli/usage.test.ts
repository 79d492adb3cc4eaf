/** Wrong usage and its suggestions (contract, section 4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Interrupted } from "../../cli/terminal/io.ts";
import { answering, emptyDesk, type FailureDocument, seededDesk, toDocument } from "./_setup.ts";

/** Invalid command lines, and the expected message. */
const misuses: readonly (readonly [line: string, says: RegExp])[] = [
  ["playr list", /player/],
  ["player lst", /list/],
  ["token isue --public", /issue/],
  ["player list --limt", /--limt/],
  ["player add Ada --membr GROVE:4", /--member/],
  ["token issue --publc", /--public/],
  ["--jsn player list", /--json/],
  ["serve --prt 1", /--port/],
  ["player add", /name/],
  ["player add Ada Bob", /argument/],
  ["player add Ada --member GROVE", /GROVE:4/],
  ["player add Ada --member :4", /organisation/],
  ["player add Ada --member GROVE:0", /--member.*rank from 1/],
  ["player add Ada --uuid", /--uuid/],
  ["member set Ada GROVE", /rank/],
  ["member set Ada GROVE high", /rank/],
  ["member set Ada GROVE 0", /rank/],
  ["token issue", /--player.*--public/],
  ["token issue --player Ada --public", /--player.*--public/],
  ["token issue --public --expires soon", /30d/],
  ["token issue --public --expires 30", /30d/],
  ["token issue --public --expires 0d", /30d/],
  ["token revoke", /id/],
  ["call", /path/],
  ["call wantedreason", /\/wantedreason/],
  ["call /wantedreason/add reason", /name=value/],
  ["group add Ada", /group/],
  ["serve --port 65536", /65535/],
  ["serve --port http", /65535/],
  ["serve --https", /--cert.*--key/],
  ["serve --https --cert cert.pem", /--cert.*--key/],
  ["serve --cert cert.pem --key key.pem", /--https/],
  ["serve now", /argument/],
];

describe("wrong usage", () => {
  for (const [line, says] of misuses) {
    it(`when "${line}" is typed then standard error says ${says} and the exit code is 2`, async (t) => {
      const desk = await emptyDesk(t);
      assert.match(await desk.misused(...line.split(" ")), says);
      await assert.rejects(desk.files(), { code: "ENOENT" }, "nothing was begun");
    });

    it(`when "${line}" is typed with --json then one document says ${says} and the exit code is 2`, async (t) => {
      const desk = await emptyDesk(t);
      const { exitCode, stdout, stderr } = await desk.run([...line.split(" "), "--json"]);
      assert.equal(exitCode, 2);
      assert.equal(stderr, "");
      const { info, hint = "" } = toDocument<FailureDocument>(stdout);
      assert.match(`${info} ${hint}`, says);
    });
  }

  it("when --json follows --, it is an argument, and the result is text", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.ok("player", "add", "--", "--json"), /^Registered --json\.\n[0-9a-f]{32}\n$/);
  });

  it("when no command is typed, the help is shown on standard error and the exit code is 2", async (t) => {
    const desk = await emptyDesk(t);
    assert.match(await desk.misused(), /Usage: addon-cli/);
    assert.match(await desk.misused("player"), /Usage: addon-cli player/);
  });

  for (const line of ["", "player"]) {
    it(`when "${line}" is typed with --json then a sentence says that a command is missing`, async (t) => {
      const desk = await emptyDesk(t);
      const { exitCode, stdout } = await desk.run(["--json", ...line.split(" ").filter(Boolean)]);
      assert.equal(exitCode, 2);
      assert.match(toDocument<FailureDocument>(stdout).info, /command/i);
    });
  }
});

describe("an unknown command", () => {
  /** Returns the commands that a help text lists. */
  function listed(help: string): string[] {
    const [list = ""] = help.split("\nCommands:\n")[1]?.split("\n\n") ?? [];
    return Array.from(list.matchAll(/^ {2}([a-z][a-z-]*)/gm), ([, name = ""]) => name);
  }
  /** The names of commands that remove something or grant access. */
  const harmful = /^(remove|revoke|exclude|readmit|reset|grant|set|restore|repair|import|undo|rollback)/;

  it("never suggests one that removes something or grants access", async (t) => {
    const desk = await emptyDesk(t);
    const groups = [[], ...listed(await desk.ok("--help")).map((name) => [name])];
    let tried = 0;
    for (const group of groups) {
      const names =
        group.length === 1 && group[0] === "help" ? [] : listed(await desk.ok(...group, "--help"));
      for (const name of names.filter((each) => harmful.test(each))) {
        for (const typed of [name.slice(0, -1), name.slice(1), `${name}s`, name.replace(/.(.)/, "$1")]) {
          if (names.includes(typed)) continue;
          tried += 1;
          const said = await desk.misused(...group, typed);
          assert.doesNotMatch(said, new RegExp(`Did you mean ${name}`), `${group.join(" ")} ${typed}`);
        }
      }
    }
    assert.ok(tried > 40, `${tried} were tried`);
  });

  it("names the list of commands if it suggests none", async (t) => {
    const desk = await emptyDesk(t);
    const said = await desk.misused("player", "move");
    assert.equal(said.trim(), "error: unknown command 'move'; `addon-cli player --help` lists the commands");
    assert.match(await desk.misused("und"), /`addon-cli --help` lists the commands/);
  });

  it("suggests the nearest one that does no harm", async (t) => {
    const desk = await emptyDesk(t);
    assert.match(
      await desk.misused("player", "shw"),
      /^error: unknown command 'shw'\n\(Did you mean show\?\)/,
    );
    assert.match(await desk.misused("rotues"), /Did you mean routes\?/);
    assert.match(await desk.misused("routes", "chek"), /Did you mean check\?/);
  });
});

describe("names that were mistyped", () => {
  for (const [line, meant] of [
    ["player show Bartolomew", "Bartholomew"],
    ["member set Bartolomew GROVE 4", "Bartholomew"],
    ["token issue --player Bartolomew", "Bartholomew"],
    ["admin grant Bartolomew", "Bartholomew"],
    ["player remove Bartolomew", "Bartholomew"],
    ["player reset-statistic Bartolomew", "Bartholomew"],
    ["call /targetlist --as Bartolomew", "Bartholomew"],
    ["group add Bartholomew TARGETLST", "TARGETLIST"],
    ["group remove Bartholomew TARGETLST", "TARGETLIST"],
    ["member set Bartholomew GROOVE 4", "GROVE"],
    ["member set Bartholomew RESQUE 4", "RESCUE"],
    ["member remove Bartholomew POLIZE", "POLICE"],
    ["player add Cleo --member GROOVE:4", "GROVE"],
    ["call /wantedreson", "/wantedreason"],
    ["call /wantedreason/add reason=Theft pionts=10", "points"],
    ["call /blacklistreason/GROOVE", "GROVE"],
    ["call /player/add name=Cleo group=TARGETLST", "TARGETLIST"],
  ] as const) {
    it(`when "${line}" is typed, it suggests ${meant} and exits with 1`, async (t) => {
      const desk = await seededDesk(t);
      await desk.ok("player", "add", "Bartholomew");
      const stderr = await desk.fails(...line.split(" "));
      const [, suggested] = /Did you mean "?([^"?\s]+)/.exec(stderr) ?? [];
      assert.ok(suggested?.endsWith(meant), stderr);
    });
  }

  it("when no name is near, nothing is suggested", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Bartholomew");
    assert.doesNotMatch(await desk.fails("player", "show", "Xx"), /Did you mean/);
    assert.doesNotMatch(await desk.fails("group", "add", "Bartholomew", "ZZZZZZZZZ"), /Did you mean/);
  });
});

describe("help", () => {
  /** Every command of section 4 of the contract. */
  const commands = [
    "serve",
    "seed groups",
    "seed remove",
    "player add",
    "player list",
    "player show",
    "player rename",
    "player remove",
    "player exclude",
    "player readmit",
    "player reset-statistic",
    "member set",
    "member remove",
    "admin grant",
    "admin revoke",
    "admin list",
    "token issue",
    "token list",
    "token revoke",
    "group list",
    "group add",
    "group remove",
    "call",
    "routes list",
    "routes check",
    "health",
  ];

  for (const command of commands) {
    it(`when the help of "${command}" is asked for then it is on standard output and the exit code is 0`, async (t) => {
      const desk = await emptyDesk(t);
      const { exitCode, stdout, stderr } = await desk.run([...command.split(" "), "--help"]);
      assert.equal(exitCode, 0);
      assert.match(stdout, new RegExp(`^Usage: addon-cli ${command}`));
      assert.equal(stderr, "");
    });
  }

  it("when `help` is given a command, nested or not, then it prints what --help does", async (t) => {
    const desk = await emptyDesk(t);
    assert.equal(await desk.ok("help"), await desk.ok("--help"));
    for (const command of ["token", "audit statistics", ...commands]) {
      const words = command.split(" ");
      assert.equal(await desk.ok("help", ...words), await desk.ok(...words, "--help"), command);
    }
  });

  it("when `help` is given a command that does not exist then it names the word and the nearest command", async (t) => {
    const desk = await emptyDesk(t);
    assert.match(await desk.misused("help", "tokn"), /'tokn'.*"token"/);
    assert.match(await desk.misused("help", "token", "isue"), /'isue' of 'token'.*"issue"/);
    assert.match(await desk.misused("help", "undo", "42"), /'42' of 'undo'/);
  });

  it("when the help of an executable command is requested, it has an example", async (t) => {
    const desk = await emptyDesk(t);
    const without: string[] = [];
    for (const command of ["", ...commands.filter((name) => !name.endsWith("list"))]) {
      const help = await desk.ok(...command.split(" ").filter(Boolean), "--help");
      if (!/Examples?:\n +\$ addon-cli /.test(help)) without.push(command);
    }
    assert.deepEqual(without, []);
  });

  it("when the help is requested, it names the environment variables and the exit codes", async (t) => {
    const desk = await emptyDesk(t);
    const help = await desk.ok("--help");
    for (const word of [
      "ADDON_DATA",
      "ADDON_ROUTES",
      "ADDON_HOST",
      "ADDON_PORT",
      "0 done",
      "1 failed",
      "2 wrong",
    ]) {
      assert.ok(help.includes(word), word);
    }
  });

  it("when the version is requested, it is that of the package", async (t) => {
    const desk = await emptyDesk(t);
    assert.match(await desk.ok("--version"), /^\d+\.\d+\.\d+\n$/);
  });
});

describe("the exit code", () => {
  it("is 0 where what was asked is already so, and nothing changes", async (t) => {
    const desk = await seededDesk(t);
    const token = await desk.json<{ id: string }>("token", "issue", "--public");
    for (const [command, again] of [
      ["player add Ada", "Ada is already registered."],
      ["member remove Ada GROVE", "Ada is not in GROVE."],
      ["group remove Ada VIP", "Ada is not in the group VIP."],
      ["group add Ada VIP", "Ada is already in VIP."],
      ["player readmit Bob", "Bob is not excluded."],
      ["admin revoke Ada", "Ada is already not an administrator."],
      ["player reset-statistic Ada", "Ada has no statistics."],
      [`token revoke ${token.id}`, `The token ${token.id} is already revoked.`],
      ["token revoke --player Ada", "Ada has no tokens to revoke."],
    ] as const) {
      await desk.ok(...command.split(" "));
      const before = await desk.files();
      assert.ok((await desk.ok(...command.split(" "))).startsWith(again), command);
      assert.deepEqual(await desk.files(), before, command);
    }
  });

  it("is 2 for a wrong value, and the error names the option or argument", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    for (const [command, says] of [
      [["player", "add", "B b"], /^error: <name>: Expected a player name/],
      [
        ["player", "add", "Bob", "--uuid", "x"],
        /^error: --uuid <uuid>: Expected a UUID of 32 hex digits, got "x"/,
      ],
      [["player", "show", "B b"], /^error: <player>: Expected a player name/],
      [["player", "rename", "Ada", "B b"], /^error: <new-name>: Expected a player name/],
      [["member", "set", "Ada", "GROVE", "999999999999"], /'rank'/],
      [["token", "issue", "--public", "--label", ""], /^error: --label <text>: Expected a label/],
      [
        ["token", "issue", "--public", "--addon-version", "x"],
        /^error: --addon-version <version>: Expected a version/,
      ],
      [["token", "list", "--player", "B b"], /^error: --player <player>: Expected a player name/],
      [["can-i", "Ada", "/houseban", "advanced=perhaps"], /"advanced" must be/],
    ] as const)
      assert.match(await desk.misused(...command), says);
  });

  it("is 1 where the data, a file or the service refuses", async (t) => {
    const desk = await seededDesk(t);
    for (const command of ["player show Bob", "member set Bob GROVE 1", "token revoke 00000000", "undo 99"])
      await desk.fails(...command.split(" "));
  });

  it("is 130 after Control-C at a question, which changes nothing", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const interrupt = () => Promise.reject(new Interrupted());
    const { exitCode, stderr } = await answering(desk, interrupt, "player", "remove", "Ada");
    assert.equal(exitCode, 130);
    assert.match(stderr, /^Nothing was changed\.$/m);
    await desk.ok("player", "show", "Ada");
  });
});
