/** A real Prometheus scrapes a real service, and `promtool` checks what it reads. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { prefix, projectFolder, temporaryFolder } from "../_setup.ts";
import { serveProcess } from "../cli/_process.ts";
import { seededDesk } from "../cli/_setup.ts";
import { blocks, freePort, readPage } from "../docs/_page.ts";
import { scrape, serveMeasured, without } from "./_setup.ts";

it("`promtool check metrics` accepts the metrics", { skip: without("promtool") }, async (t) => {
  const { desk, url, metrics } = await serveMeasured(t);
  const token = (await desk.ok("token", "issue", "--public")).trim();
  for (const path of [`${prefix}/${token}/event`, `${prefix}/x/event`, "/nowhere"])
    await (await fetch(`${url}${path}`)).arrayBuffer();
  const { text } = await scrape(metrics);
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
    input: text,
    encoding: "utf8",
  });
  assert.deepEqual([status, stdout, stderr], [0, "", ""]);
});

/** A running Prometheus. */
interface Running {
  readonly url: string;
  /** Fails if it has ended. */
  readonly requireRunning: () => void;
}

/** Runs Prometheus with a configuration until the end of the test. */
async function runPrometheus(t: TestContext, configuration: string): Promise<Running> {
  const folder = await temporaryFolder(t);
  const file = join(folder, "prometheus.yml");
  await writeFile(file, configuration);
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, "tsdb")}`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn("prometheus", args, { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return { url: `http://${address}`, requireRunning: () => assert.equal(child.exitCode, null, errors) };
}

/** An answer of Prometheus. */
interface QueryAnswer {
  readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

/** Queries Prometheus until there is a result. Returns its value. */
async function queried({ url, requireRunning }: Running, query: string): Promise<number> {
  for (;;) {
    requireRunning();
    const address = `${url}/api/v1/query?query=${encodeURIComponent(query)}`;
    const response = await fetch(address).catch(() => undefined);
    const answer = (await response?.json().catch(() => undefined)) as QueryAnswer | undefined;
    const value = answer?.data?.result[0]?.value[1];
    if (value !== undefined) return Number(value);
    await sleep(100);
  }
}

const inTime = { skip: without("prometheus"), timeout: 60_000 };

it(
  "Prometheus scrapes the service with the configuration of the reference, and loads its alerts",
  inTime,
  async (t) => {
    const desk = await seededDesk(t);
    const { child, open } = await serveProcess(desk, ["--metrics", "127.0.0.1:0"]);
    const [, target = ""] = await child.shows("stderr", /http:\/\/(127\.0\.0\.1:\d+)\/metrics/);
    await (await fetch(open)).arrayBuffer();
    const [shown = ""] = blocks(await readPage("docs/reference.md"), "prometheus");
    const configuration = shown
      .replace("127.0.0.1:9464", target)
      .replace(/[\w./]*alerts\.yaml/, join(projectFolder, "deploy", "alerts.yaml"));
    assert.ok(configuration.includes(target) && configuration.includes(projectFolder), configuration);
    const prometheus = await runPrometheus(t, `global: { scrape_interval: 200ms }\n${configuration}`);
    assert.equal(await queried(prometheus, 'up{job="gameaddon"} == 1'), 1);
    // The URL is the prefix, the token and the route.
    const route = new URL(open).pathname.slice(prefix.length).replace(/^\/[^/]+/, "");
    const count = `gameaddon_http_request_duration_seconds_count{route="${route}",status="200"}`;
    assert.equal(await queried(prometheus, count), 1);
    assert.match(await (await fetch(`${prometheus.url}/api/v1/rules`)).text(), /GameaddonChangesRefused/);
  },
);

const alertsFile = join(projectFolder, "deploy", "alerts.yaml");

it("`promtool check rules` accepts the alerts, and `promtool test rules` their tests", {
  skip: without("promtool"),
}, () => {
  const promtool = (...args: string[]) => execFileSync("promtool", args, { encoding: "utf8" });
  assert.match(promtool("check", "rules", alertsFile), /SUCCESS: \d+ rules found/);
  assert.match(
    promtool("test", "rules", join(projectFolder, "test", "deploy", "alerts.test.yaml")),
    /SUCCESS/,
  );
});

it("every alert is tested", async () => {
  const names = Array.from(
    (await readFile(alertsFile, "utf8")).matchAll(/- alert: (\w+)/g),
    ([, name = ""]) => name,
  );
  assert.ok(names.length >= 4);
  const tests = await readFile(join(projectFolder, "test", "deploy", "alerts.test.yaml"), "utf8");
  assert.deepEqual(
    names.filter((name) => !tests.includes(name)),
    [],
  );
});
