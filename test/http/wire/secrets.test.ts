/** A token never appears in a log, an error, a header, a list or a file. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import {
  assertLacks,
  describeOverTransports,
  everyRight,
  openAs,
  openWorld,
  prefix,
  type World,
} from "../../_setup.ts";

/** Sends requests; returns everything that the caller and the operator see of them, as one text. */
async function exposed(world: World, requests: readonly (readonly [path: string, init?: RequestInit])[]) {
  const seen: unknown[] = [];
  for (const [path, init] of requests) {
    const { status, headers, body } = await world.request(path, init);
    seen.push([path.length, status, [...headers], body]);
  }
  const log = world.log.map((record) => ({ ...record, error: String(record.error) }));
  return JSON.stringify([seen, log]);
}

describeOverTransports("a token", (transport) => {
  it("a token appears in no answer, header or log, wherever the request has it", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight, { transport });
    const at = `${prefix}/${token}`;
    const seen = await exposed(world, [
      [`${at}/player`],
      [`${at}/mgmt/users`],
      [`${at}/statistic/Root`],
      [`${at}/statistic/Root/add?type=KILL`],
      [`${at}/nowhere`],
      [`${at}/${token}`],
      [`/${token}`],
      [`${prefix}/player/${token}`],
      [`${at}/player`, { method: "POST" }],
      [`${at}/player`, { method: "HEAD" }],
      [`${at}/player`, { method: "OPTIONS" }],
      [`${at}/targetlist/add`, { headers: { Purpose: "prefetch" } }],
      [`${at}/targetlist/add`],
      [`${at}/targetlist/add?name=${token}`],
      [`${at}/targetlist/add?${token}=1`],
      [`${at}/targetlist/add?name=a&name=${token}`],
      [`${at}/statistic/${token}`],
      [`${at}/statistic/${token}/add?type=KILL`],
      [`${at}/statistic/Root/add?type=${token}`],
      [`${at}/blacklistreason/${token}`],
      [`${at}/player/add?name=Ada&group=${token}`],
      [`${at}/houseban?advanced=${token}`],
      [`${at}/mgmt/version?type=add&version=${token}`],
      [`${at}/event/bomb?startTime=${token}`],
      [`${at}/statistic/%ZZ`],
      [`${prefix}/-/player`, { headers: { Authorization: `Bearer ${token}` } }],
      [`${prefix}/-/nowhere`, { headers: { Authorization: `Bearer ${token}` } }],
      [`${prefix}/-/player`, { headers: { Authorization: token } }],
      [`${prefix}/-/player`, { headers: { Authorization: `Bearer ${token}x, ${token}` } }],
      [`${prefix}/-/targetlist/add?name=${token}`, { headers: { Authorization: `Bearer ${token}` } }],
      [`${at}/player`, { headers: { "User-Agent": `gameaddon/${token}` } }],
      [`${at}/mgmt/users`],
    ]);
    assertLacks(seen, token);
    assertLacks(seen, token.slice(4));
  });

  it("a token appears in no error about a reason or the name of a place", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight, { transport });
    const at = `${prefix}/${token}`;
    const seen = await exposed(world, [
      [`${at}/wantedreason/remove?reason=${token}`],
      [`${at}/housebanreason/remove?reason=${token}`],
      [`${at}/blacklistreason/GROVE/remove?reason=${token}`],
      [`${at}/navipoint/remove?name=${token}`],
      [`${at}/houseban/add?name=Ada&reason=${token}`],
    ]);
    assertLacks(seen, token);
  });

  it("an unknown, revoked or expired token appears in no answer", async (t) => {
    const world = await openWorld(t, { transport });
    const revoked = await world.service.administer("token.issue", { label: "revoked" });
    await world.service.administer("token.revoke", { id: revoked.id });
    const expired = await world.service.administer("token.issue", { expiresIn: 1 });
    world.clock.advance(1);
    for (const token of [revoked.token, expired.token, `gat_${"B".repeat(43)}`, "nonsense-token"]) {
      const seen = await exposed(world, [[`${prefix}/${token}/player`], [`${prefix}/${token}/nowhere`]]);
      assertLacks(seen, token);
    }
  });

  it("a token appears in no list for the operator, and in no file", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight, { transport });
    await world.ok(token, "/targetlist/add", { name: "Ada" });
    const lists = [
      await world.service.administer("token.list", {}),
      await world.service.administer("player.show", { player: "Root" }),
    ];
    assertLacks(JSON.stringify(lists), token.slice(4));
    await world.service.close({ snapshot: true });
    const entries = await readdir(world.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    assert.notEqual(files.length, 0);
    for (const { parentPath, name } of files) {
      assertLacks(await readFile(join(parentPath, name), "latin1"), token.slice(4));
    }
  });
});
