/** A test of examples/discord-bot, with a server in the place of Discord. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { onlyInFull } from "../_depth.ts";
import { openWorld, projectFolder, temporaryFolder } from "../_setup.ts";
import { installClient } from "./_client.ts";
import { compiler, run } from "./_setup.ts";

it("the Discord bot posts events and the wanted list, without markup of players", {
  timeout: 120_000,
  skip: onlyInFull,
}, async (t) => {
  const world = await openWorld(t, { transport: "socket" });
  const { token: officer } = await world.player("Olga", { members: { POLICE: 5 } });
  await world.ok(officer, "/wantedreason/add", { reason: "Old", points: 1 });
  const folder = await temporaryFolder(t);
  await installClient(folder);
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await cp(join(projectFolder, "examples", "discord-bot", "bot.ts"), join(folder, "bot.ts"));
  const types = ["--types", "node", "--typeRoots", join(projectFolder, "node_modules", "@types")];
  const options = ["--target", "es2022", "--module", "nodenext", "--strict", "--outDir", folder];
  await run(process.execPath, [compiler, ...options, ...types, join(folder, "bot.ts")], { cwd: folder });
  const posts: { content: string; allowed_mentions: unknown }[] = [];
  let posted = () => {};
  const troubles = [
    (response: ServerResponse) => response.writeHead(429, { "retry-after": "0.1" }).end(),
    (response: ServerResponse) => response.destroy(),
  ];
  const discord = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const trouble = troubles.shift();
    if (trouble !== undefined) {
      trouble(response);
      return;
    }
    posts.push(JSON.parse(body));
    response.writeHead(204).end();
    posted();
  });
  await new Promise<void>((resolve) => discord.listen(0, "127.0.0.1", resolve));
  t.after(() => discord.close());
  const next = async () => {
    while (posts.length === 0) await new Promise<void>((resolve) => (posted = resolve));
    return posts.shift();
  };
  const env = {
    ...process.env,
    GAMEADDON_TOKEN: world.publicToken,
    DISCORD_WEBHOOK: `http://127.0.0.1:${(discord.address() as AddressInfo).port}/SECRET`,
  };
  const bot = spawn(process.execPath, [join(folder, "bot.js"), world.url], { env });
  t.after(() => bot.kill("SIGKILL"));
  let errors = "";
  bot.stderr.on("data", (chunk: Buffer) => (errors += chunk));
  while (world.service.streams.size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await world.ok(officer, "/wantedreason/add", { reason: "**Theft**-@everyone", points: 3 });
  const wanted = await next();
  assert.equal(wanted?.content, "🚓 \\*\\*Theft\\*\\* \\@everyone: 3 points");
  assert.deepEqual(wanted?.allowed_mentions, { parse: [] });
  await world.ok(officer, "/event/gangwar", { attacker: 2, defender: 1 });
  assert.equal((await next())?.content, "⚔️ Gang war: **2 : 1**");
  await world.ok(officer, "/wantedreason/remove", { reason: "Old" });
  assert.equal((await next())?.content, "~~Old~~");
  const reasons = Array.from({ length: 20 }, (_, index) => "*".repeat(60) + (100 + index));
  await Promise.all(reasons.map((reason) => world.ok(officer, "/wantedreason/add", { reason, points: 1 })));
  for (let lines = 0; lines < reasons.length; ) {
    const { content = "" } = (await next()) ?? {};
    assert.ok(content.length <= 2000, "Discord accepts no more");
    lines += content.split("\n").length;
  }
  assert.equal(errors, "Discord answered 429.\nDiscord cannot be reached.\n");
  const token = Array.from(world.service.store.data.tokens.values()).find(({ uuid }) => uuid === null);
  await world.service.administer("token.revoke", { id: token?.id ?? "" });
  await once(bot, "close");
  assert.match(errors, /TOKEN_REVOKED/);
  assert.doesNotMatch(errors, /gat_|SECRET/);
  troubles.push((response) => response.end("<h1>Log in</h1>"));
  const { origin } = new URL(env.DISCORD_WEBHOOK);
  const stderr = `What answered at ${origin} with 200 was not the service.\n`;
  await assert.rejects(run(process.execPath, [join(folder, "bot.js"), origin], { env }), { code: 1, stderr });
});
