/** `call`: any operation of the table, with the checks of a request (contract, sections 1, 3 and 4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FailureDocument, type PlayerDocument, seededDesk } from "./_setup.ts";

const uuid = "069a79f444e94726a5befca90e38aaf5";

describe("call as the operator", () => {
  it("when an operation changes data, it prints the sentence of the answer", async (t) => {
    const desk = await seededDesk(t);
    const result = await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=10");
    assert.match(result, /^[^{}\n]*Theft[^{}\n]*\n$/);
    const { info } = await desk.json<{ info: string }>("call", "/wantedreason/remove", "reason=Theft");
    assert.match(info, /Theft/);
  });

  it("when an operation reads, it prints the answer as indented JSON", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=10");
    const expected = [{ reason: "Theft", points: 10 }];
    assert.equal(await desk.ok("call", "/wantedreason"), `${JSON.stringify(expected, undefined, 2)}\n`);
    assert.deepEqual(await desk.json("call", "/wantedreason"), expected);
  });

  it("when an operation is restricted, the operator may call it", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("call", "/targetlist/add", "name=Ada");
    await desk.ok("call", "/blacklistreason/GROVE/add", "reason=Theft", "price=100", "kills=2");
    await desk.ok("call", "/mgmt/version", "type=add", "version=2.5.1");
    await desk.ok("call", "/event/bankrob", "startTime=1790000000000");
    assert.equal(JSON.parse(await desk.ok("call", "/blacklistreason/grove")).length, 1);
  });

  it("when a path ends with a slash, the result is the same", async (t) => {
    const desk = await seededDesk(t);
    assert.equal(await desk.ok("call", "/wantedreason/"), "[]\n");
  });

  it("when a value has characters that are special in a URL, the operation receives them unchanged", async (t) => {
    const desk = await seededDesk(t);
    for (const reason of ["50%-off", "a+b", "A&B=C", "what?", "x#y", "Größe", "a%20b", "__proto__"]) {
      await desk.ok("call", "/wantedreason/add", `reason=${reason}`, "points=1");
      const listed = await desk.json<{ reason: string }[]>("call", "/wantedreason");
      assert.deepEqual(
        listed.map((entry) => entry.reason),
        [reason],
      );
      await desk.ok("call", "/wantedreason/remove", `reason=${reason}`);
    }
  });

  it("when a change is repeated, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    const line = ["call", "/wantedreason/add", "reason=Theft", "points=10"];
    await desk.ok(...line);
    await desk.ok(...line);
    assert.deepEqual(await desk.json("call", "/wantedreason"), [{ reason: "Theft", points: 10 }]);
  });
});

describe("invalid calls", () => {
  for (const [line, code, parameter] of [
    ["/wantedreason/add reason=Theft", "PARAMETER_MISSING", "points"],
    ["/wantedreason/add reason=Theft points=", "PARAMETER_INVALID", "points"],
    ["/wantedreason/add reason=Theft points=ten", "PARAMETER_INVALID", "points"],
    ["/wantedreason/add reason=Theft points=1001", "PARAMETER_INVALID", "points"],
    ["/wantedreason/add reason=Theft points=1 points=2", "PARAMETER_REPEATED", "points"],
    ["/wantedreason/add reason=Theft points=1 extra=2", "PARAMETER_UNKNOWN", "extra"],
    ["/wantedreason extra=2", "PARAMETER_UNKNOWN", "extra"],
    ["/player/add name=Ada group=NOWHERE", "UNKNOWN_GROUP", "group"],
    ["/blacklistreason/NOWHERE", "UNKNOWN_FACTION", "factionString"],
    ["/statistic/Nobody", "UNKNOWN_PLAYER", undefined],
    ["/wantedreason/remove reason=Theft", "UNKNOWN_ENTRY", undefined],
    ["/nowhere", "UNKNOWN_PATH", undefined],
    ["/", "UNKNOWN_PATH", undefined],
    ["/targetlist --as Nobody", "UNKNOWN_PLAYER", undefined],
  ] as const) {
    it(`when ${line} is called, it fails with ${code}, as over HTTP`, async (t) => {
      const desk = await seededDesk(t);
      const failure = await desk.failsAs<FailureDocument>("call", ...line.split(" "));
      assert.equal(failure.code, code);
      if (parameter !== undefined) assert.equal(failure.parameter, parameter);
      assert.match(await desk.fails("call", ...line.split(" ")), /\S/);
      assert.deepEqual(await desk.json("call", "/wantedreason"), []);
    });
  }

  it("when a value has a space, it fails and suggests a dash", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("call", "/wantedreason/add", "reason=Big theft", "points=1"), /"-"/);
  });

  it("when an entry of that name has other values, it is a conflict and nothing changes", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=10");
    const line = ["call", "/wantedreason/add", "reason=theft", "points=11"];
    assert.equal((await desk.failsAs<FailureDocument>(...line)).code, "CONFLICT");
    assert.deepEqual(await desk.json("call", "/wantedreason"), [{ reason: "Theft", points: 10 }]);
  });

  it("when a path is mistyped, it suggests one that can be typed", async (t) => {
    const desk = await seededDesk(t);
    const [, suggested = ""] =
      /Did you mean "?([^"?\s]+)/.exec(await desk.fails("call", "/wantedreson")) ?? [];
    assert.equal(suggested, "/wantedreason");
  });

  it("when a path is not a typo of a change, it does not suggest a change", async (t) => {
    const desk = await seededDesk(t);
    for (const path of ["/player/rename", "/houseban/move", "/targetlist/renew"])
      assert.doesNotMatch(await desk.fails("call", path), /Did you mean/, path);
    for (const path of ["/player/remov", "/playr/remove"])
      assert.match(await desk.fails("call", path), /Did you mean \/player\/remove\?/, path);
  });
});

describe("call as a player", () => {
  it("when the player does not meet the restriction, the message names what is missing", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "POLICE:3");
    const line = ["call", "/wantedreason/add", "reason=Theft", "points=10", "--as", "Ada"];
    const failure = await desk.failsAs<FailureDocument>(...line);
    assert.equal(failure.code, "RESTRICTED");
    assert.match(failure.info, /members of the service POLICE with rank 4 or higher/);
    assert.match(await desk.fails(...line), /members of the service POLICE with rank 4 or higher/);
    assert.deepEqual(await desk.json("call", "/wantedreason"), []);
  });

  it("when the player is not allowed, the message says nothing about the parameters", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const line = ["call", "/wantedreason/add", "pionts=ten", "--as", "Ada"];
    assert.equal((await desk.failsAs<FailureDocument>(...line)).code, "RESTRICTED");
  });

  it("when the player is allowed, the operation runs as that player", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid, "--member", "RESCUE:4");
    await desk.ok("call", "/housebanreason/add", "reason=Noise", "days=3", "--as", uuid);
    await desk.ok("call", "/houseban/add", "name=Bob", "reason=Noise", "--as", "ada");
    const [ban] = await desk.json<{ houseBanReasonList: { creatorName: string; creatorUUID: string }[] }[]>(
      ...["call", "/houseban", "advanced=true", "--as", "Ada"],
    );
    const [reason] = ban?.houseBanReasonList ?? [];
    assert.deepEqual([reason?.creatorName, reason?.creatorUUID], ["Ada", uuid]);
  });

  it("when only the player in the path is allowed, another one is refused, and the statistic is unchanged", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "add", "Bob");
    await desk.ok("call", "/statistic/ada/add", "type=kill", "--as", "Ada");
    const refused = await desk.failsAs<FailureDocument>(
      "call",
      "/statistic/Ada/add",
      "type=kill",
      "--as",
      "Bob",
    );
    assert.equal(refused.code, "RESTRICTED");
    assert.equal((await desk.json<PlayerDocument>("player", "show", "Ada")).statistic.kills, 1);
  });

  it("when one case of the restriction refuses the player, another one can allow it", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    assert.equal(await desk.ok("call", "/houseban", "--as", "Ada"), "[]\n");
    const refused = await desk.failsAs<FailureDocument>("call", "/houseban", "advanced=true", "--as", "Ada");
    assert.equal(refused.code, "RESTRICTED");
  });
});
