/** Tests of docs/several-machines.md: two machines on one journal, behind Caddy. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { onlyInFull } from "../_depth.ts";
import { prefix, shippedRoutes, temporaryFolder } from "../_setup.ts";
import { until } from "../store/shared/_nodes.ts";
import { Postgres, withoutPostgres } from "../store/shared/_postgres.ts";
import { blocks, freePort, readPage, runBuildIn } from "./_page.ts";

const page = await readPage("docs/several-machines.md");
const skip = spawnSync("caddy", ["version"]).status !== 0 && "Caddy is not installed";

/** Starts Caddy as on the page, in front of two ports. Returns its address, and its log. */
async function startCaddy(t: TestContext, folder: string, ports: readonly number[]) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const [head = ""] = (await readPage("deploy/Caddyfile")).split("\naddon.example.org");
  const site = blocks(page, "caddy").join("").replace("addon.example.org", url);
  const config =
    head.replace("{\n", "{\n\tadmin off\n") +
    site.replace(/10\.0\.0\.(.):8888/g, (_, n) => `127.0.0.1:${ports[n - 1]}`);
  await writeFile(join(folder, "Caddyfile"), config);
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const caddy = spawn("caddy", ["run", "--config", "Caddyfile"], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  caddy.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  t.after(() => caddy.kill());
  await until(async () => (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200);
  return { url, log: () => log };
}

it("two machines serve as pasted, and clients of Caddy go on when one is killed", {
  skip: withoutPostgres || skip || onlyInFull,
  timeout: 120_000,
}, async (t) => {
  let folder = "";
  const lock = (data: string) => Number(readFileSync(join(folder, data, "lock"), "utf8"));
  // Before its folder is removed.
  t.after(() => process.kill(lock("other"), "SIGKILL"));
  folder = await temporaryFolder(t);
  const pg = await Postgres.start(t);
  await cp(shippedRoutes, join(folder, "routes.yaml"));
  const ports = [await freePort(), await freePort()];
  const pasted = blocks(page, "journal")
    .join("")
    .replace(/postgres:.*/, pg.url)
    .replace("8888", `${ports[0]}`)
    .replace("8889", `${ports[1]}`);
  const background = pasted.replace(
    / serve --port (\d+)/g,
    " serve --port $1 & until curl -sf -o ready http://127.0.0.1:$1/ready; do sleep 0.1; done",
  );
  const script = `npx addon-cli player add Ada\nnpx addon-cli token issue --player Ada > token\n${background}\necho pasted; wait`;
  const shell = spawn("bash", ["-euc", script], {
    cwd: folder,
    env: await runBuildIn(folder),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let shown = "";
  for await (const text of shell.stdout.setEncoding("utf8")) {
    shown += text;
    if (/^pasted$/m.test(shown)) break;
  }
  assert.match(shown, /\/data\t[\s\S]*\/other\t/);
  const { url, log } = await startCaddy(t, folder, ports);
  const token = readFileSync(join(folder, "token"), "utf8").trim();
  process.kill(lock("data"), "SIGKILL");
  for (let number = 1; number <= 20; number += 1) {
    const answered = await fetch(`${url}${prefix}/${token}/statistic/Ada/add?type=KILL`, {
      headers: { "Idempotency-Key": `${number}` },
    });
    assert.equal(answered.status, 200);
  }
  assert.doesNotMatch(log(), /gat_/);
});

it("Caddy repeats only requests with an Idempotency-Key", { skip }, async (t) => {
  let received = 0;
  const ports = [0, 1].map(() => {
    const server = createServer((request, response) => {
      if (request.url === "/ready" || ++received > 1) response.end();
      else request.socket.destroy();
    }).listen(0, "127.0.0.1");
    t.after(() => server.close());
    return server;
  });
  const { url } = await startCaddy(
    t,
    await temporaryFolder(t),
    ports.map((server) => Number(Object(server.address()).port)),
  );
  assert.equal((await fetch(`${url}/add`)).status, 502);
  assert.equal(received, 1);
  received = 0;
  assert.equal((await fetch(`${url}/add`, { headers: { "Idempotency-Key": "1" } })).status, 200);
});
