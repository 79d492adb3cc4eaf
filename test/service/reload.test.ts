/**
 * Reloads of the route table under load, in every way, with valid and faulty tables in turn. No request fails, each
 * answer follows from one table alone, and never from a faulty one.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { connectControl } from "../../src/control/client.ts";
import type { Control } from "../../src/control/operations.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import { isFull } from "../_depth.ts";
import { prefix } from "../_setup.ts";
import { type Desk, emptyDesk, type Running } from "../cli/_setup.ts";

const reloads = isFull ? 60 : 12;
/** How many of them come in every way in turn; the others come by a signal or a command. */
const watched = isFull ? 16 : 4;
const clients = isFull ? 32 : 4;

/** The parts in which the two tables differ: all of them, so that an answer from a mixture is recognized. */
interface Variant {
  readonly excluded: string;
  readonly member: string;
  readonly handler: string;
  readonly amount: string;
}
const variants: readonly [Variant, Variant] = [
  {
    excluded: "BLACKLIST",
    member: "VIP",
    handler: "event.current",
    amount: "{ type: integer, minimum: 0, maximum: 9 }",
  },
  {
    excluded: "VIP",
    member: "BLACKLIST",
    handler: "player.groups",
    amount: "{ type: integer, minimum: 10, maximum: 19 }",
  },
];

function tableOf({ excluded, member, handler, amount }: Variant, remark: string): string {
  return `# ${remark}
prefix: ${prefix}/{tokenString}
excluded: { group: ${excluded} }
routes:
  /event: { summary: E., restriction: { group: ${member} }, handler: ${handler} }
  /mgmt: { summary: M., restriction: open, handler: ${handler} }
  /event/gangwar:
    summary: G.
    restriction: { group: ${member} }
    parameters: { attacker: ${amount}, defender: ${amount} }
    handler: event.gangwar
`;
}

/** Returns a faulty table that would allow everything if any part of it were in force. */
function faultyTable(remark: string): string {
  return `# ${remark}
prefix: ${prefix}/{tokenString}
routes:
  /event: { summary: E., restriction: open, handler: mgmt.overview }
  /mgmt: { summary: M., restriction: administrators, handler: mgmt.overview }
  /event/gangwar: { summary: G., restriction: open, handler: nowhere.${remark} }
`;
}

/** A call, and its answers by the first and the second table. */
interface Call {
  readonly who: "Vip" | "Black" | "Plain";
  readonly path: string;
  readonly answers: readonly [string, string];
}
const [first, second] = variants.map(
  ({ member }) => `RESTRICTED This operation is only for members of the group ${member}.`,
);
const events = "bankRob,bomb,gangwar";
const list = "a list";
const calls: readonly Call[] = [
  { who: "Vip", path: "/event", answers: [events, "EXCLUDED"] },
  { who: "Black", path: "/event", answers: ["EXCLUDED", list] },
  { who: "Plain", path: "/event", answers: [String(first), String(second)] },
  { who: "Plain", path: "/mgmt", answers: [events, list] },
  { who: "Vip", path: "/event/gangwar?attacker=5&defender=5", answers: ["changed", "EXCLUDED"] },
  { who: "Black", path: "/event/gangwar?attacker=15&defender=15", answers: ["EXCLUDED", "changed"] },
  { who: "Plain", path: "/event/gangwar?attacker=99", answers: [String(first), String(second)] },
];

/** Returns an answer in the words of {@link Call}. */
function toWords(status: number, body: unknown): string {
  if (Array.isArray(body)) return status === 200 ? list : `${status}`;
  const { code, info, ...rest } = body as { code?: string; info?: string };
  if (code === "RESTRICTED") return `${code} ${info}`;
  if (code !== undefined) return code;
  return info === undefined ? Object.keys(rest).sort().join(",") : "changed";
}

function revisionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

const ways = ["write", "rename", "signal", "control"] as const;

class Scene {
  readonly desk: Desk;
  readonly serving: Running;
  readonly control: Control;
  readonly base: string;
  readonly tokens: ReadonlyMap<string, string>;

  constructor(
    desk: Desk,
    serving: Running,
    control: Control,
    base: string,
    tokens: ReadonlyMap<string, string>,
  ) {
    this.desk = desk;
    this.serving = serving;
    this.control = control;
    this.base = base;
    this.tokens = tokens;
  }

  async ask({ who, path }: Call): Promise<string> {
    const response = await fetch(`${this.base}${prefix}/${this.tokens.get(who)}${path}`);
    return toWords(response.status, await response.json());
  }

  /** Writes a table and reloads it in one of the ways. Resolves when the service has accepted or refused it. */
  async reload(text: string, way: (typeof ways)[number], remark: string): Promise<void> {
    const isFaulty = text.includes("nowhere");
    if (way === "rename") {
      const next = await this.desk.write("next.yaml", text);
      await rename(next, join(this.desk.folder, "routes.yaml"));
    } else await this.desk.write("routes.yaml", text);
    if (way === "control") {
      if (isFaulty)
        await assert.rejects(this.control.run("routes.reload", {}), new RegExp(`nowhere\\.${remark}`));
      else assert.equal((await this.control.run("routes.reload", {})).revision, revisionOf(text));
      return;
    }
    if (way === "signal") this.serving.reload();
    const isSettled = async () => {
      const { revision, refused } = await this.control.run("routes.status", {});
      return isFaulty ? refused?.reason.includes(`nowhere.${remark}`) : revision === revisionOf(text);
    };
    while (!(await isSettled()));
  }
}

async function openScene(desk: Desk): Promise<Scene> {
  await desk.write("routes.yaml", tableOf(variants[0], "start"));
  await desk.ok("seed", "groups");
  const tokens = new Map<string, string>();
  for (const [name, group] of [
    ["Vip", "VIP"],
    ["Black", "BLACKLIST"],
    ["Plain", undefined],
  ] as const) {
    await desk.ok("player", "add", name);
    if (group !== undefined) await desk.ok("group", "add", name, group);
    tokens.set(name, (await desk.ok("token", "issue", "--player", name)).trim());
  }
  const serving = desk.serve(["--limits", "off"]);
  const [base = ""] = await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
  const control = await connectControl(desk.data);
  assert.ok(control !== undefined);
  return new Scene(desk, serving, control, base, tokens);
}

describe("reloads under load", () => {
  it(`during ${reloads} reloads, valid and faulty, each request of ${clients} clients is answered by one table`, async (t) => {
    const desk = await emptyDesk(t);
    const scene = await openScene(desk);
    let isRunning = true;
    const seen = new Map<string, number>();
    const client = async (start: number) => {
      for (let turn = start; isRunning; turn += 1) {
        const call = calls[turn % calls.length] as Call;
        const words = await scene.ask(call);
        const isKnown = call.answers.includes(words);
        assert.ok(isKnown, `${call.who} ${call.path} was answered ${words}`);
        const key = `${call.who} ${call.path} ${call.answers.indexOf(words)}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
      }
    };
    const load = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
    // A client that fails also ends the reloads.
    const failed = load.then(
      () => undefined,
      (error: unknown) => error,
    );
    const revisions: [Set<string>, Set<string>] = [
      new Set([revisionOf(tableOf(variants[0], "start"))]),
      new Set(),
    ];
    const change = async () => {
      let which: 0 | 1 = 0;
      for (let index = 0; index < reloads; index += 1) {
        // Each table takes something from the other's players: noticed by the watch, it has to settle for two seconds.
        const turn = Math.floor(index / 2) + Math.floor(index / 8);
        const way = (index < watched ? ways[turn % 4] : ways[2 + (turn % 2)]) as (typeof ways)[number];
        const isFaulty = index % 2 === 1;
        if (!isFaulty) which = which === 0 ? 1 : 0;
        const text = isFaulty ? faultyTable(`n${index}`) : tableOf(variants[which], `n${index}`);
        if (!isFaulty) revisions[which].add(revisionOf(text));
        await scene.reload(text, way, `n${index}`);
        // From now on the new table answers; after a faulty one, the old one still does.
        for (const call of calls)
          assert.equal(await scene.ask(call), call.answers[which], `${way} ${call.path}`);
      }
    };
    const error = await Promise.race([change(), failed]).finally(() => {
      isRunning = false;
    });
    if (error !== undefined) throw error;
    await load;
    for (const { who, path } of calls) {
      for (const index of [0, 1])
        assert.ok((seen.get(`${who} ${path} ${index}`) ?? 0) > 0, `${who} ${path} ${index}`);
    }
    assert.doesNotMatch(scene.serving.stderr.text, /"status":5\d\d/);
    assert.equal(await scene.serving.stop(), 0);
    const { uuid } = await desk.json<{ uuid: string }>("player", "show", "Vip");
    let changes = 0;
    for await (const { operation, who, table } of readHistory(nodeFiles, desk.data, 0)) {
      if (operation !== "event.gangwar" || table === null) continue;
      changes += 1;
      assert.ok(
        revisions[who === uuid ? 0 : 1].has(table),
        "the journal names the table that allowed the change",
      );
    }
    assert.ok(changes > 0);
  });
});
