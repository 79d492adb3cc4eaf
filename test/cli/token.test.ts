/** `token issue`, `list` and `revoke`: a token is shown once, and never stored (contract, sections 2 and 4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Control, controlOf } from "../../src/control/control.ts";
import { startControl } from "../../src/control/server.ts";
import { Service } from "../../src/service.ts";
import { assertLacks, day, prefix, shippedRoutes } from "../_setup.ts";
import {
  type Desk,
  type FailureDocument,
  type IssuedDocument,
  linesOf,
  seededDesk,
  tokenForm,
} from "./_setup.ts";

const alone = new RegExp(`^${tokenForm.source}\n$`);

interface ListedToken {
  readonly id: string;
  readonly player: string | null;
  readonly label: string | null;
  readonly state: string;
  readonly readOnly: boolean;
  readonly expires: number | null;
}

/** Returns a desk with a player Ada. */
async function deskWithAda(t: Parameters<typeof seededDesk>[0]): Promise<Desk> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  return desk;
}

describe("token issue", () => {
  for (const whose of [["--player", "Ada"], ["--public"]]) {
    for (const terminal of [false, true]) {
      const where = terminal ? "a terminal" : "a pipe";
      it(`when ${whose.join(" ")} is issued a token on ${where} then standard output is the token alone`, async (t) => {
        const desk = await deskWithAda(t);
        const { exitCode, stdout, stderr } = await desk.run(["token", "issue", ...whose], { terminal });
        assert.equal(exitCode, 0);
        assert.match(stdout, alone);
        assert.doesNotMatch(stderr, tokenForm);
      });
    }
  }

  it("when tokens are issued, each is different", async (t) => {
    const desk = await deskWithAda(t);
    const first = await desk.ok("token", "issue", "--player", "Ada");
    assert.notEqual(await desk.ok("token", "issue", "--player", "Ada"), first);
  });

  it("when --json is given, the document has token, id, player and expires, and nothing else", async (t) => {
    const desk = await deskWithAda(t);
    const { token, id, ...rest } = await desk.json<IssuedDocument>("token", "issue", "--player", "ada");
    assert.match(`${token}\n`, alone);
    assert.match(id, /\S/);
    assert.deepEqual(rest, { player: "Ada", expires: null });
    const open = await desk.json<IssuedDocument>("token", "issue", "--public");
    assert.deepEqual(Object.keys(open).sort(), ["expires", "id", "player", "token"]);
    assert.equal(open.player, null);
  });

  it("when a token belongs to a player, it identifies the player; a public one identifies nobody", async (t) => {
    const desk = await deskWithAda(t);
    const { token: own } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    const { token: open } = await desk.json<IssuedDocument>("token", "issue", "--public");
    assert.deepEqual(await desk.answerTo(own, "/statistic/Ada/add?type=kill"), [200, undefined]);
    assert.deepEqual(await desk.answerTo(open, "/statistic/Ada/add?type=kill"), [403, "RESTRICTED"]);
    assert.deepEqual(await desk.answerTo(open, "/statistic/Ada"), [200, undefined]);
  });

  for (const [written, milliseconds] of [
    ["30d", 30 * day],
    ["12h", day / 2],
    ["45m", 45 * 60_000],
    ["2w", 14 * day],
  ] as const) {
    it(`when it expires in ${written}, it is valid until then and not after`, async (t) => {
      const desk = await deskWithAda(t);
      const before = Date.now();
      const { token, expires } = await desk.json<IssuedDocument>(
        ...["token", "issue", "--player", "Ada", "--expires", written],
      );
      assert.ok(expires !== null);
      assert.ok(before + milliseconds <= expires && expires <= Date.now() + milliseconds, String(expires));
      assert.deepEqual(await desk.answerTo(token, "/event", () => expires - 1), [200, undefined]);
      assert.deepEqual(await desk.answerTo(token, "/event", () => expires), [401, "TOKEN_EXPIRED"]);
    });
  }

  for (const written of ["", "30", "d", "0d", "-1d", "1.5d", "30 d", "1y", "9999999999999d"]) {
    it(`when it is to expire in ${JSON.stringify(written)}, it is wrong usage, and none is issued`, async (t) => {
      const desk = await deskWithAda(t);
      assert.match(await desk.misused("token", "issue", "--public", `--expires=${written}`), /30d/);
      assert.deepEqual(await desk.json("token", "list"), []);
    });
  }

  it("when an addon version is given, the player's client has it", async (t) => {
    const desk = await deskWithAda(t);
    await desk.ok("token", "issue", "--player", "Ada", "--addon-version", "2.5.1");
    const { gameaddon } = await desk.json<{ gameaddon: { version: string } }>("call", "/statistic/Ada");
    assert.equal(gameaddon.version, "2.5.1");
    assert.match(await desk.ok("player", "show", "Ada"), /^addon version +2\.5\.1$/m);
  });

  for (const [what, flags] of [
    ["the addon version is none", ["--addon-version", "latest"]],
    ["the label is empty", ["--label", ""]],
    ["the label is too long", ["--label", "x".repeat(65)]],
  ] as const) {
    it(`when ${what}, no token is issued`, async (t) => {
      const desk = await deskWithAda(t);
      const { exitCode, stdout } = await desk.run(["token", "issue", "--public", ...flags]);
      assert.notEqual(exitCode, 0);
      assert.equal(stdout, "");
      assert.deepEqual(await desk.json("token", "list"), []);
    });
  }

  it("when the player is not registered, no token is issued", async (t) => {
    const desk = await deskWithAda(t);
    assert.match(await desk.fails("token", "issue", "--player", "Nobody"), /Nobody/);
    assert.deepEqual(await desk.json("token", "list"), []);
  });

  it("when neither or both of --player and --public are given, it is wrong usage", async (t) => {
    const desk = await deskWithAda(t);
    assert.match(await desk.misused("token", "issue"), /--player.*--public/);
    assert.match(await desk.misused("token", "issue", "--public", "--player", "Ada"), /--player.*--public/);
    assert.deepEqual(await desk.json("token", "list"), []);
  });
});

describe("token list and token revoke", () => {
  it("when tokens are listed, it prints id, player, label and state", async (t) => {
    const desk = await deskWithAda(t);
    const own = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada", "--label", "her phone");
    const open = await desk.json<IssuedDocument>("token", "issue", "--public");
    const listed = await desk.json<ListedToken[]>("token", "list");
    const told = listed.map(({ id, player, label, state }) => [id, player, label, state]);
    assert.deepEqual(
      new Set(told.map(String)),
      new Set([`${own.id},Ada,her phone,valid`, `${open.id},,,valid`]),
    );
    const lines = linesOf(await desk.ok("token", "list"));
    assert.equal(lines.length, 2);
    for (const line of lines) assert.ok(line.includes("\t"));
  });

  it("when --read-only is given, the token allows reads and no changes, and is listed as read-only", async (t) => {
    const desk = await deskWithAda(t);
    const full = await desk.json<IssuedDocument>("token", "issue", "--public");
    const narrow = await desk.json<IssuedDocument>("token", "issue", "--public", "--read-only");
    const gangwar = "/event/gangwar?attacker=1&defender=1";
    assert.deepEqual(await desk.answerTo(full.token, gangwar), [200, undefined]);
    assert.deepEqual(await desk.answerTo(narrow.token, gangwar), [403, "READ_ONLY"]);
    assert.deepEqual(await desk.answerTo(narrow.token, "/event"), [200, undefined]);
    const listed = await desk.json<ListedToken[]>("token", "list");
    assert.deepEqual(
      new Map(listed.map(({ id, readOnly }) => [id, readOnly])),
      new Map([
        [full.id, false],
        [narrow.id, true],
      ]),
    );
    const line = linesOf(await desk.ok("token", "list")).find((each) => each.startsWith(narrow.id));
    assert.match(line ?? "", /\tread-only\t/);
    const own = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada", "--read-only");
    assert.match(
      await desk.ok("player", "show", "Ada"),
      new RegExp(`^tokens +${own.id} \\(valid, read-only\\)$`, "m"),
    );
  });

  it("when a service of an earlier version issues a full token for --read-only, it is revoked and not shown", async (t) => {
    const desk = await deskWithAda(t);
    const service = await Service.open({ folder: desk.data, routes: shippedRoutes });
    await service.loadTable();
    const holder = { pid: 4711, url: "http://127.0.0.1:8888", since: 0 };
    const present = controlOf(service, async () => service, holder);
    const issued: string[] = [];
    // An earlier version ignores the option, and stores a token without it.
    const administer: Control["administer"] = async (name, input) => {
      const answer = await present.administer(name, input);
      if (!("token" in answer)) return answer;
      issued.push(answer.token);
      await service.store.change({ who: "operator", operation: "test" }, (draft) => {
        for (const { readOnly: _, ...old } of draft.tokens.values()) draft.tokens.put(old);
      });
      return answer;
    };
    const control = await startControl(desk.data, { ...present, administer });
    desk.beforeClear(async () => {
      await control.close();
      await service.close();
    });

    const stderr = await desk.fails("token", "issue", "--public", "--read-only");
    assert.match(stderr, /allows changes; it was revoked\.\n.*Restart it/);
    const [token = ""] = issued;
    assertLacks(stderr, token);
    const path = `${prefix}/${token}/event`;
    assert.equal((await service.fetch(new Request(`http://localhost${path}`))).status, 401);
    assert.match(await desk.ok("token", "issue", "--public"), alone);
  });

  it("when a command has an option that the running service does not know, nothing is issued", async (t) => {
    const desk = await deskWithAda(t);
    await desk.withService(async (service) => {
      const later: { label: string } = { ...{ until: "death" }, label: "of a later version" };
      await assert.rejects(service.administer("token.issue", later), /no option "until"/);
      assert.deepEqual(await service.administer("token.list", {}), []);
    });
  });

  it("when a token is revoked, requests with it fail with TOKEN_REVOKED, and others are valid", async (t) => {
    const desk = await deskWithAda(t);
    const lost = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    const kept = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    await desk.ok("token", "revoke", lost.id);
    assert.deepEqual(await desk.answerTo(lost.token, "/event"), [401, "TOKEN_REVOKED"]);
    assert.deepEqual(await desk.answerTo(kept.token, "/event"), [200, undefined]);
    const states = (await desk.json<ListedToken[]>("token", "list")).map(({ id, state }) => [id, state]);
    assert.deepEqual(Object.fromEntries(states), { [lost.id]: "revoked", [kept.id]: "valid" });
  });

  it("when a token is revoked twice, nothing changes and the exit code is 0", async (t) => {
    const desk = await deskWithAda(t);
    const { id } = await desk.json<IssuedDocument>("token", "issue", "--public");
    await desk.ok("token", "revoke", id);
    const before = await desk.json("token", "list");
    assert.match(await desk.ok("token", "revoke", id), /already/);
    assert.deepEqual(await desk.json("token", "list"), before);
  });

  it("when there is no token of that id then the exit code is 1 and `token list` is pointed to", async (t) => {
    const desk = await deskWithAda(t);
    assert.match(await desk.fails("token", "revoke", "nope"), /token list/);
    assert.equal((await desk.failsAs<FailureDocument>("token", "revoke", "nope")).code, "UNKNOWN_ENTRY");
  });

  for (const [what, line] of [
    ["an id", (token: string) => ["token", "revoke", token]],
    ["a player to show", (token: string) => ["player", "show", token]],
    ["a player to call as", (token: string) => ["call", "/event", "--as", token]],
    ["a player to register", (token: string) => ["player", "add", token]],
    ["a group", (token: string) => ["group", "add", "Ada", token]],
    ["an organisation", (token: string) => ["member", "set", "Ada", token, "1"]],
    ["a part of a path", (token: string) => ["call", `/gameaddon/v1/${token}/event`]],
    ["a path", (token: string) => ["call", token]],
    ["a parameter", (token: string) => ["call", "/event", token]],
    ["a parameter's value", (token: string) => ["call", "/event/gangwar", `attacker=${token}`, "defender=1"]],
    ["a command", (token: string) => ["token", token]],
  ] as const) {
    it(`when a token is given in place of ${what}, the error does not repeat it`, async (t) => {
      const desk = await deskWithAda(t);
      const { token } = await desk.json<IssuedDocument>("token", "issue", "--public");
      for (const args of [line(token), ["--json", ...line(token)]]) {
        const { exitCode, stdout, stderr } = await desk.run(args);
        assert.notEqual(exitCode, 0);
        assert.ok(!`${stdout}${stderr}`.includes(token), `${stdout}${stderr}`);
      }
    });
  }
});

describe("a token that was issued", () => {
  it("when data is listed or shown afterwards, the output does not contain the token", async (t) => {
    const desk = await deskWithAda(t);
    const { token, id } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    for (const command of [
      ["token", "list"],
      ["player", "show", "Ada"],
      ["player", "list"],
      ["call", "/mgmt/users"],
    ]) {
      for (const line of [command, ["--json", ...command]]) {
        const shown = await desk.ok(...line);
        assert.ok(!shown.includes(token), line.join(" "));
        assert.doesNotMatch(shown, tokenForm);
      }
    }
    assert.ok((await desk.ok("player", "show", "Ada")).includes(id), "the id is shown");
  });

  it("when the files of the data folder are searched, none contains the token", async (t) => {
    const desk = await deskWithAda(t);
    const issued = [
      await desk.json<IssuedDocument>("token", "issue", "--player", "Ada", "--label", "phone"),
      await desk.json<IssuedDocument>("token", "issue", "--public"),
    ];
    await desk.withService(async (service) => {
      await service.store.snapshot();
    });
    const files = await desk.files();
    assert.ok([...files.keys()].some((name) => name.includes("snapshot")));
    for (const { token, id } of issued) {
      assert.ok(
        [...files.values()].some((bytes) => bytes.includes(id)),
        "what belongs to the token is there",
      );
      const secret = token.slice("gat_".length);
      const raw = Buffer.from(secret, "base64url");
      for (const [name, bytes] of files) {
        for (const form of [secret, raw, raw.toString("hex"), raw.toString("base64")]) {
          assert.ok(!bytes.includes(form), `${name} has the token`);
        }
      }
    }
  });
});
