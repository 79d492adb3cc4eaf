/** `can-i` and `who-can`. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import type { Decision } from "../../src/explain/can-i.ts";
import type { WhoCan } from "../../src/explain/who-can.ts";
import { shippedRoutes } from "../_setup.ts";
import { type Desk, linesOf, seededDesk, toDocument } from "./_setup.ts";

const adding = "/blacklistreason/GROVE/add";

async function crewDesk(t: TestContext): Promise<Desk> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
  await desk.ok("player", "add", "Bob", "--member", "GROVE:3", "--member", "BALLAS:6");
  await desk.ok("player", "add", "Eve", "--member", "GROVE:9");
  await desk.ok("player", "exclude", "Eve", "--yes");
  return desk;
}

describe("can-i", () => {
  it("when the caller is allowed, it prints yes and exits with 0", async (t) => {
    const desk = await crewDesk(t);
    const [verdict] = linesOf(await desk.ok("can-i", "ada", adding));
    assert.equal(verdict, `yes: Ada may call ${adding}.`);
  });

  it("when the caller is not allowed, it prints the reason and what would suffice, and exits with 1", async (t) => {
    const desk = await crewDesk(t);
    const { exitCode, stdout, stderr } = await desk.run(["can-i", "Bob", adding]);
    assert.equal(exitCode, 1);
    assert.equal(stderr, "");
    assert.match(stdout, /^no: Bob may not call \/blacklistreason\/GROVE\/add \(RESTRICTED\)\.$/m);
    assert.match(stdout, /needs +members of the faction GROVE with rank 4 or higher$/m);
    assert.match(stdout, /has +Bob is in the faction GROVE with rank 3$/m);
    assert.match(
      stdout,
      /enough +rank 4 or higher in the faction GROVE \(addon-cli member set Bob GROVE 4\)$/m,
    );
  });

  it("when two conditions are required, each has a line with its result", async (t) => {
    const desk = await crewDesk(t);
    const text = (await readFile(shippedRoutes, "utf8")).replaceAll(
      "{ faction: $factionString, rank: 4 }",
      "{ allOf: [{ faction: $factionString }, administrators] }",
    );
    await desk.write("next.yaml", text);
    const { exitCode, stdout } = await desk.run(["can-i", "Bob", adding, "--table", "next.yaml"]);
    assert.equal(exitCode, 1);
    assert.match(stdout, /^ {2}\+ part +1: members of the faction GROVE$/m);
    assert.match(stdout, /^ {2}- part +2: administrators$/m);
    assert.match(stdout, /^ {2}- has +Bob is in the faction GROVE with rank 3, is no administrator$/m);
    assert.match(stdout, /^ {4}enough +the administrator flag \(addon-cli admin grant Bob\)$/m);
  });

  it("when the player receives what would suffice, the call is allowed", async (t) => {
    const desk = await crewDesk(t);
    for (const [who, path] of [
      ["Bob", adding],
      ["Bob", "/targetlist/add"],
      ["Bob", "/navipoint/add"],
      ["Eve", "/event"],
    ] as const) {
      const { stdout } = await desk.run(["can-i", who, path]);
      const [, command = ""] = /enough .*\(addon-cli (.+)\)/.exec(stdout) ?? [];
      await desk.ok(...command.split(" "));
      await desk.ok("can-i", who, path);
    }
  });

  it("when --json is given, the document has the decision and its steps", async (t) => {
    const desk = await crewDesk(t);
    const { exitCode, stdout } = await desk.run(["--json", "can-i", "Eve", adding]);
    assert.equal(exitCode, 1);
    const { allowed, code, parameters, steps } = toDocument<Decision>(stdout);
    assert.deepEqual(
      { allowed, code, parameters },
      { allowed: false, code: "EXCLUDED", parameters: { factionString: "GROVE" } },
    );
    assert.ok(steps.some(({ step, passed }) => step === "exclusion" && passed === false));
  });

  it("when --read-only is given, changes are refused and reads are allowed", async (t) => {
    const desk = await crewDesk(t);
    const { exitCode, stdout } = await desk.run(["can-i", "Ada", adding, "--read-only"]);
    assert.equal(exitCode, 1);
    assert.match(stdout, /^no: Ada may not call \/blacklistreason\/GROVE\/add \(READ_ONLY\)\.$/m);
    assert.match(stdout, /^ {2}- token +a read-only token allows no changes$/m);
    await desk.ok("can-i", "Ada", "/blacklistreason/GROVE", "--read-only");
    await desk.ok("player", "exclude", "Ada", "--yes");
    const { code } = toDocument<Decision>(
      (await desk.run(["--json", "can-i", "Ada", adding, "--read-only"])).stdout,
    );
    assert.equal(code, "EXCLUDED");
  });

  it("when all tokens of a player are read-only, it says that they allow no changes", async (t) => {
    const desk = await crewDesk(t);
    await desk.ok("token", "issue", "--player", "Ada", "--read-only");
    const says =
      /^ {4}token +Ada has only read-only tokens, which allow no changes \(addon-cli token issue --player Ada\)$/m;
    assert.match(await desk.ok("can-i", "Ada", adding), says);
    assert.doesNotMatch(await desk.ok("can-i", "Ada", "/blacklistreason/GROVE"), says);
    await desk.ok("token", "issue", "--player", "Ada");
    assert.doesNotMatch(await desk.ok("can-i", "Ada", adding), says);
  });

  it("when the operation is a change, who-can reports that read-only tokens do not suffice", async (t) => {
    const desk = await crewDesk(t);
    assert.match(await desk.ok("who-can", adding), /^Read-only tokens may not call it: it is a change\.$/m);
    assert.doesNotMatch(await desk.ok("who-can", "/targetlist"), /Read-only/);
    assert.equal((await desk.json<{ readOnly: boolean }>("who-can", "/targetlist")).readOnly, true);
  });

  it("when --table is given, that table decides, and the one in force stays", async (t) => {
    const desk = await crewDesk(t);
    const text = (await readFile(shippedRoutes, "utf8")).replaceAll(
      "$factionString, rank: 4",
      "$factionString, rank: 5",
    );
    await desk.write("next.yaml", text);
    assert.equal((await desk.run(["can-i", "Ada", adding, "--table", "next.yaml"])).exitCode, 1);
    await desk.ok("can-i", "Ada", adding);
    await desk.write("next.yaml", "routes: 1\n");
    assert.match(await desk.fails("can-i", "Ada", adding, "--table", "next.yaml"), /next\.yaml:1:1/);
  });

  it("when a service runs, it decides as for a request", async (t) => {
    const desk = await crewDesk(t);
    const token = (await desk.ok("token", "issue", "--player", "Bob")).trim();
    const serving = desk.serve();
    const [base] = await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const response = await fetch(`${base}/gameaddon/v1/${token}${adding}?reason=X&price=1&kills=1`);
    const { code, requestId } = (await response.json()) as { code: string; requestId: string };
    assert.equal(code, "RESTRICTED");
    assert.equal((await desk.run(["can-i", "Bob", adding])).exitCode, 1);
    await serving.stop();
    // The log has the rest under the request id.
    const line = linesOf(serving.stderr.text).find((each) => each.includes(requestId)) ?? "";
    assert.match(
      line,
      /"needs":"members of the faction GROVE with rank 4 or higher".*"had":"is in the faction GROVE with rank 3"/,
    );
  });

  it("when the path or the caller is unknown, it fails, without yes or no", async (t) => {
    const desk = await crewDesk(t);
    assert.match(await desk.fails("can-i", "Adda", adding), /Did you mean "Ada"/);
    assert.match(await desk.fails("can-i", "Ada", "/blacklistreason/GROWE/add"), /Did you mean "GROVE"/);
    assert.match(await desk.fails("can-i", "Ada", "/targetlst/add"), /targetlist\/add/);
    assert.match(await desk.misused("can-i", "Ada", "targetlist"), /without its prefix/);
    assert.match(await desk.misused("can-i", "Ada", "/houseban", "advanced"), /name=value/);
    assert.match(await desk.misused("can-i", "Ada"), /path/);
  });
});

describe("who-can", () => {
  it("when a path is given, it lists everyone who is allowed by name, and nobody who is excluded", async (t) => {
    const desk = await crewDesk(t);
    const lines = linesOf(await desk.ok("who-can", adding));
    assert.deepEqual(
      lines.filter((line) => line.startsWith("  ")),
      ["  Ada"],
    );
    assert.match(lines.join("\n"), /1 of 3 players\n/);
    assert.match(lines.join("\n"), /Public tokens may not/);
    assert.match(lines.join("\n"), /Excluded from every operation: 1 of 3 players/);
  });

  it("when public tokens are allowed, it reports that", async (t) => {
    const desk = await crewDesk(t);
    const { allowed } = await desk.json<WhoCan>("who-can", "/event");
    assert.deepEqual(
      allowed.map((each) => [each.public, each.count]),
      [[true, 2]],
    );
    assert.match(await desk.ok("who-can", "/event"), /^ {2}every public token$/m);
  });

  it("when the parameter of the restriction is missing, it lists each known value", async (t) => {
    const desk = await crewDesk(t);
    const { allowed } = await desk.json<WhoCan>("who-can", "/blacklistreason/{factionString}");
    assert.deepEqual(
      allowed.map(({ when, players }) => [when.factionString, players.map(({ name }) => name)]),
      [
        ["GROVE", ["Ada", "Bob"]],
        ["BALLAS", ["Bob"]],
        ["VAGOS", []],
        ["TRIADS", []],
        ["CARTEL", []],
      ],
    );
    const given = await desk.json<WhoCan>(
      "who-can",
      "/blacklistreason/{factionString}",
      "factionString=ballas",
    );
    assert.deepEqual(
      given.allowed.map(({ players }) => players.map(({ name }) => name)),
      [["Bob"]],
    );
  });

  it("when there is no data, it explains how to create it", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("--data", "elsewhere", "who-can", "/event"), /no data/);
  });
});
