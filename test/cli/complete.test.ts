/** The hidden command `complete`, which the completion scripts of shells call (contract, section 4). */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Argument, Command } from "commander";
import { cursorAt } from "../../cli/completion/cursor.ts";
import { isCompleted, valuesFor as valuesForArgument } from "../../cli/completion/values.ts";
import { Workspace } from "../../cli/data/workspace.ts";
import { type Desk, emptyDesk, linesOf, seededDesk } from "./_setup.ts";

/** The directives in the last line of an answer. */
const addNoSpace = 2;
const completeNoFiles = 4;
const completeDirectories = 16;

/** Returns the completions of the last word, without descriptions, and the directives. */
async function offered(
  desk: Desk,
  ...words: readonly string[]
): Promise<{ values: string[]; descriptions: string[]; directive: number }> {
  const { exitCode, stdout, stderr } = await desk.run(["complete", "--", ...words]);
  assert.deepEqual([exitCode, stderr], [0, ""]);
  const lines = linesOf(stdout);
  const last = lines.pop() ?? "";
  assert.match(last, /^:\d+$/);
  const parts = lines.map((line) => line.split("\t"));
  return {
    values: parts.map(([value = ""]) => value),
    descriptions: parts.map(([, description = ""]) => description),
    directive: Number(last.slice(1)),
  };
}

async function valuesFor(desk: Desk, ...words: readonly string[]): Promise<string[]> {
  return (await offered(desk, ...words)).values;
}

/** Returns a desk with Ada, who leads GROVE, and Bob. */
async function deskWithPlayers(t: TestContext): Promise<Desk> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
  await desk.ok("player", "add", "Bob");
  return desk;
}

describe("commands and options", () => {
  it("are offered with their descriptions, and hidden ones are not", async (t) => {
    const desk = await emptyDesk(t);
    const { values, descriptions, directive } = await offered(desk, "");
    assert.deepEqual(values.slice(0, 3), ["serve", "seed", "player"]);
    assert.match(descriptions[2] ?? "", /^register, show/);
    assert.ok(!values.includes("complete"), values.join());
    assert.equal(directive, completeNoFiles);
    assert.deepEqual(await valuesFor(desk, "to"), ["token"]);
    assert.deepEqual(await valuesFor(desk, "token", "re"), ["revoke"]);
    assert.deepEqual(await valuesFor(desk, "help", "tok"), ["token"]);
    assert.deepEqual(await valuesFor(desk, "hea"), ["health"]);
    assert.deepEqual(await valuesFor(desk, "health", "--u"), ["--url"]);
    assert.deepEqual(await valuesFor(desk, "serve", "--m"), ["--metrics"]);
    assert.deepEqual(await valuesFor(desk, "completion", ""), ["bash", "zsh", "fish"]);
  });

  it("are those of the command on the line, and the global options", async (t) => {
    const desk = await emptyDesk(t);
    assert.deepEqual(await valuesFor(desk, "token", "issue", "--p"), ["--player", "--public"]);
    assert.deepEqual(await valuesFor(desk, "token", "issue", "--da"), ["--data"]);
    assert.deepEqual(await valuesFor(desk, "token", "issue", "--vers"), []);
    assert.deepEqual(await valuesFor(desk, "data", "restore", "--rep"), [], "--replace is hidden");
    assert.deepEqual(await valuesFor(desk, "token", "issue", "--", "--p"), [], "an argument comes behind --");
  });

  it("are found behind options with values", async (t) => {
    const desk = await deskWithPlayers(t);
    assert.deepEqual(await valuesFor(desk, "--routes", "player", "player", "show", "A"), ["Ada"]);
    assert.deepEqual(await valuesFor(desk, "--json", "player", "--routes=x", "show", "A"), ["Ada"]);
  });
});

describe("values", () => {
  for (const [line, expected] of [
    ["player show ", ["Ada", "Bob"]],
    ["player show a", ["Ada"]],
    ["player show 'A", ["Ada"]],
    ["player show Ada ", []],
    ["player add ", []],
    ["token issue --player B", ["Bob"]],
    ["token issue --player=B", ["Bob"]],
    ["can-i ", ["public", "Ada", "Bob"]],
    ["routes list --for p", ["public"]],
    ["audit --by ", ["operator", "public", "system", "Ada", "Bob"]],
    ["group add Ada TAR", ["TARGETLIST"]],
    ["member set Ada P", ["POLICE"]],
    ["player add Cleo --member G", ["GROVE"]],
    ["audit --operation targetlist", ["targetlist.add", "targetlist.done", "targetlist.remove"]],
    ["audit --record houseBan", ["houseBans", "houseBanReasons"]],
    ["routes list --resource ev", ["event"]],
    ["call /wantedr", ["/wantedreason", "/wantedreason/add", "/wantedreason/remove"]],
    ["call /black", ["/blacklistreason/"]],
    [
      "call /statistic/",
      ["/statistic/top", "/statistic/Ada", "/statistic/Bob", "/statistic/Ada/", "/statistic/Bob/"],
    ],
    ["call /statistic/Ada/", ["/statistic/Ada/add", "/statistic/Ada/set"]],
    ["call /statistic/Ada/set ", ["type=", "amount="]],
    ["call /statistic/Ada/set amount=1 ", ["type="]],
    ["call /statistic/Ada/set type=K", ["type=KILL"]],
    ["call /statistic/top ", []],
    ["call /player/add name=A", ["name=Ada"]],
    ["call /player/add group=VI", ["group=VIP"]],
    ["call /nowhere ", []],
    ["can-i Ada /houseban adv", ["advanced="]],
    ["can-i Ada /houseban advanced=", ["advanced=true", "advanced=false"]],
    ["who-can /statistic/{player}/add pl", ["player="]],
  ] as const) {
    it(`of "${line}" are ${expected.join(", ") || "none"}`, async (t) => {
      const desk = await deskWithPlayers(t);
      assert.deepEqual(await valuesFor(desk, ...line.split(" ")), expected);
    });
  }

  it("of tokens come with whose they are", async (t) => {
    const desk = await deskWithPlayers(t);
    const { id } = await desk.json<{ id: string }>(
      "token",
      "issue",
      "--player",
      "Ada",
      "--label",
      "her laptop",
    );
    const { values, descriptions } = await offered(desk, "token", "revoke", "");
    assert.deepEqual([values, descriptions], [[id], ["Ada, her laptop, valid"]]);
  });

  it("that are not whole are followed by no space", async (t) => {
    const desk = await deskWithPlayers(t);
    for (const line of ["call /black", "call /statistic/Ada/set ty", "player add Cleo --member GR"]) {
      const { directive } = await offered(desk, ...line.split(" "));
      assert.equal(directive, completeNoFiles + addNoSpace, line);
    }
  });

  for (const [word, operands, expected] of [
    ["revision", [], ["0a1b2c"]],
    ["file|revision", [], []],
    ["name", ["group"], ["VIP"]],
    ["name", [], []],
  ] as const) {
    it(`of <${word}> behind "${operands.join(" ")}" are ${expected.join(", ") || "none"}`, async (t) => {
      const desk = await seededDesk(t);
      await mkdir(join(desk.data, "tables"));
      for (const file of ["0a1b2c.yaml", "list.json"]) await desk.write(join("data", "tables", file), "");
      const options = { data: "data", routes: "routes.yaml", json: false, input: false };
      const workspace = new Workspace({ cwd: desk.folder }, options);
      const sources = { workspace, signal: new AbortController().signal };
      const cursor = cursorAt(new Command(), [...operands, "VI"]);
      const { values } = await valuesForArgument(new Argument(`<${word}>`), cursor, sources);
      assert.deepEqual(
        values.map(({ value }) => value),
        expected,
      );
    });
  }

  it("of tables are the revisions that begin as what was typed, and else files", async (t) => {
    const desk = await seededDesk(t);
    await mkdir(join(desk.data, "tables"));
    for (const name of ["0a1b2c", "0aff00", "7c7c7c"])
      await desk.write(join("data", "tables", `${name}.yaml`), "");
    for (const before of ["routes diff 0a", "routes diff next.yaml 0a", "can-i Ada /x --table=0a"]) {
      const { values } = await offered(desk, ...before.split(" "));
      assert.deepEqual(
        values.map((value) => value.replace("--table=", "")).sort(),
        ["0a1b2c", "0aff00"],
        before,
      );
    }
    const files = { values: [], descriptions: [], directive: 0 };
    assert.deepEqual(await offered(desk, "routes", "diff", "next"), files);
  });

  it("that are files and folders are left to the shell", async (t) => {
    const desk = await emptyDesk(t);
    for (const line of [
      "routes check ",
      "routes diff a ",
      "data backup ",
      "--routes ",
      "can-i Ada /x --table=",
    ]) {
      assert.deepEqual(
        await offered(desk, ...line.split(" ")),
        { values: [], descriptions: [], directive: 0 },
        line,
      );
    }
    assert.equal((await offered(desk, "--data", "")).directive, completeDirectories);
  });

  it("are declared by the word in the brackets of every argument and option, or typed freely", async (t) => {
    const free = [
      "<cidr>",
      "<duration>",
      "<host>",
      "<host:port>",
      "<moment>",
      "<n>",
      "<number>",
      "<origin>",
      "<percent>",
      "<port>",
      "<rank>",
      "<text>",
    ];
    const chosen = ["<shell>", "<kind>", "<which>", "<level>"];
    const known = new Set([...free, ...chosen, "<new-name>", "<uuid>", "<version>", "[options]"]);
    const desk = await emptyDesk(t);
    const seen = new Set<string>();
    const undeclared: string[] = [];
    const lookAt = async (command: readonly string[]): Promise<void> => {
      const help = await desk.ok(...command, "--help");
      const words = help.matchAll(/^(?:Usage:| {2}-).*$/gm);
      for (const [line] of words)
        for (const [bracketed] of line.matchAll(/<[^>]+>|\[[^\]]+\]/g)) {
          seen.add(bracketed);
          const word = bracketed.slice(1, -1).replace(/\.\.\.$/, "");
          if (!known.has(bracketed) && !isCompleted(word))
            undeclared.push(`${command.join(" ")} ${bracketed}`);
        }
      const inner = await offered(desk, ...command, "");
      for (const [index, name] of inner.values.entries())
        if (name !== "help" && inner.descriptions[index] !== "") await lookAt([...command, name]);
    };
    await lookAt([]);
    assert.deepEqual(undeclared, []);
    for (const each of ["<player>", "<organisation:rank>", "[name=value...]"])
      assert.ok(seen.has(each), each);
  });
});

describe("the data that values come from", () => {
  it("is that of --data on the line, and else of ADDON_DATA", async (t) => {
    const desk = await deskWithPlayers(t);
    await desk.ok("--data", "other", "player", "add", "Cleo");
    assert.deepEqual(await valuesFor(desk, "--data", "other", "player", "show", ""), ["Cleo"]);
    assert.deepEqual(await valuesFor(desk, "player", "show", "--data=other", ""), ["Cleo"]);
    const { stdout } = await desk.run(["complete", "--", "player", "show", ""], {
      env: { ADDON_DATA: "other" },
    });
    assert.equal(stdout, "Cleo\n:4\n");
  });

  it("is not created, and words that do not need it are offered without it", async (t) => {
    const desk = await emptyDesk(t);
    assert.deepEqual(await valuesFor(desk, "player", "show", ""), []);
    assert.deepEqual(await valuesFor(desk, "can-i", ""), ["public"]);
    assert.deepEqual(await valuesFor(desk, "call", "/wantedreason/a"), ["/wantedreason/add"]);
    await assert.rejects(desk.files(), { code: "ENOENT" }, "nothing was begun");
  });

  it("is asked of the service that runs on it", async (t) => {
    const desk = await deskWithPlayers(t);
    const serving = desk.serve();
    await serving.shows(/http:\/\//);
    await desk.ok("player", "add", "Cleo");
    const before = await desk.files();
    assert.deepEqual(await valuesFor(desk, "player", "show", "C"), ["Cleo"]);
    assert.deepEqual([...(await desk.files()).keys()], [...before.keys()]);
  });

  it("is not waited for where a service does not answer", async (t) => {
    const desk = await deskWithPlayers(t);
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(join(desk.data, "socket"), resolve));
    desk.beforeClear(async () => void silent.close());
    assert.deepEqual(await valuesFor(desk, "player", "show", ""), []);
  });

  it("may be damaged, and so may the table: then the shell shows no error", async (t) => {
    const desk = await deskWithPlayers(t);
    await desk.write("routes.yaml", "routes: [");
    assert.deepEqual(await valuesFor(desk, "call", "/"), []);
    for (const name of (await desk.files()).keys())
      if (/journal-[^/]*$/.test(name))
        await desk.write(join("data", name.slice(desk.data.length + 1)), "damaged\n");
    assert.deepEqual(await valuesFor(desk, "player", "show", ""), []);
  });

  it("can have names that mean something to a shell, which are not offered", async (t) => {
    const desk = await emptyDesk(t);
    const seed = await desk.write(
      "seed.yaml",
      "groups: [VIP, 'V`reboot`', 'V;reboot', \"V'IP\", 'V(IP)', Vögel, VIP:2]\n",
    );
    await desk.ok("seed", "groups", seed);
    assert.deepEqual(await valuesFor(desk, "group", "add", "Ada", "V"), ["VIP", "Vögel"]);
  });
});

describe("more names than anyone reads", () => {
  it("are offered by how they go on, so that a shell inserts only what they have in common", async (t) => {
    const desk = await seededDesk(t);
    await desk.withService(async (service) => {
      const names = Array.from({ length: 201 }, (_, index) => `Player${String(index).padStart(3, "0")}`);
      await Promise.all(
        names.map((name) => service.administer("player.add", { name, members: [], administrator: false })),
      );
    });
    const { values, descriptions, directive } = await offered(desk, "player", "show", "");
    assert.deepEqual(values, ["Player0", "Player1", "Player200"]);
    assert.deepEqual(descriptions, ["100 names", "100 names", ""]);
    assert.equal(directive, completeNoFiles + addNoSpace);
    assert.equal((await valuesFor(desk, "player", "show", "Player1")).length, 100);
    assert.deepEqual(await valuesFor(desk, "call", "/statistic/P"), [
      "/statistic/Player0",
      "/statistic/Player1",
      "/statistic/Player200",
    ]);
  });

  it("are never cut within a character", async (t) => {
    const desk = await seededDesk(t);
    await desk.withService(async (service) => {
      for (const start of ["𐐀", "𐐁"])
        await Promise.all(
          Array.from({ length: 101 }, (_, index) =>
            service.administer("player.add", {
              name: `${start}${index}`,
              members: [],
              administrator: false,
            }),
          ),
        );
    });
    assert.deepEqual((await valuesFor(desk, "player", "show", "")).sort(), ["𐐀", "𐐁"]);
  });
});
