/** The queries of the dashboard and of the alerts use metrics and labels that the service has. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { parse } from "yaml";
import { prefix, projectFolder, temporaryFolder } from "../_setup.ts";
import { type Scrape, scrape, serveMeasured, without } from "../metrics/_setup.ts";

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const read = (name: string) => readFile(join(projectFolder, "deploy", name), "utf8");
const dashboard: Dashboard = JSON.parse(await read("grafana.json"));
const alerts: Alerts = parse(await read("alerts.yaml"));

const dashboardQueries = [
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...dashboard.annotations.list.map(({ expr }) => expr),
];
const alertQueries = alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));

/** Returns the names of metrics in a query: of the service, its process and Node.js, or Prometheus' own `up`. */
function metricsIn(query: string): string[] {
  return query.match(/\b(?:gameaddon|process|nodejs)_\w+/g) ?? [];
}

/** Returns the labels that a query selects or sums by, without those that Prometheus adds. */
function labelsIn(query: string): string[] {
  const selected = Array.from(query.matchAll(/[{,]\s*(\w+)\s*=~?"/g), ([, name = ""]) => name);
  const grouped = Array.from(query.matchAll(/\bby \(([^)]*)\)/g), ([, names = ""]) =>
    names.split(/,\s*/),
  ).flat();
  return [...selected, ...grouped].filter((name) => !["job", "instance"].includes(name));
}

/** Starts a service that has answered a request and written a snapshot, and scrapes it. */
async function scrapeBusy(t: TestContext): Promise<Scrape> {
  const { desk, url, metrics } = await serveMeasured(t);
  const token = (await desk.ok("token", "issue", "--public")).trim();
  await (await fetch(`${url}${prefix}/${token}/event`)).arrayBuffer();
  await desk.ok("data", "snapshot");
  return scrape(metrics);
}

describe("the queries of the dashboard and the alerts", () => {
  it("use metrics and labels that the service has", async (t) => {
    const { text } = await scrapeBusy(t);
    const names = new Set(Array.from(text.matchAll(/^(\w+)(?=[ {])/gm), ([name]) => name));
    for (const query of [...dashboardQueries, ...alertQueries]) {
      const used = metricsIn(query);
      assert.ok(used.length > 0 || /^up\b/.test(query), query);
      assert.deepEqual(
        used.filter((name) => !names.has(name)),
        [],
        query,
      );
      const lines = text.split("\n").filter((line) => used.some((name) => line.startsWith(name)));
      for (const label of labelsIn(query)) {
        assert.ok(
          lines.some((line) => line.includes(`${label}="`)),
          `${label} in ${query}`,
        );
      }
    }
  });

  it("show every metric of the service but its version on the dashboard", async (t) => {
    const { text } = await scrapeBusy(t);
    const shown = dashboardQueries
      .flatMap(metricsIn)
      .map((name) => name.replace(/_(?:bucket|sum|count)$/, ""));
    const names = Array.from(text.matchAll(/^# TYPE (gameaddon_\w+)/gm), ([, name = ""]) => name);
    assert.deepEqual(
      names.filter((name) => !shown.includes(name)),
      ["gameaddon_info"],
    );
  });
});

it("the panels of the dashboard do not overlap, and have an id each", () => {
  const taken = new Set<string>();
  for (const { title, gridPos } of dashboard.panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(!taken.has(`${x} ${y}`), title);
        taken.add(`${x} ${y}`);
      }
    }
  }
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
});

it("`promtool` can parse every query of the dashboard", { skip: without("promtool") }, async (t) => {
  const rules = dashboardQueries.map((query, index) => ({
    record: `query${index}`,
    expr: query.replaceAll("$__rate_interval", "5m").replaceAll("$instance", "a"),
  }));
  // JSON is YAML.
  const file = join(await temporaryFolder(t), "rules.json");
  await writeFile(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
});
