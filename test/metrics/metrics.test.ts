/** Tests of the metrics of a running service: what they count, and that their labels are bounded. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Registry } from "prom-client";
import type { RequestRecord } from "../../src/engine/exchange.ts";
import { observerFor } from "../../src/metrics/requests.ts";
import { addFileMetrics, meterFor } from "../../src/metrics/store.ts";
import { addGauges } from "../../src/metrics/values.ts";
import { prefix, temporaryFolder } from "../_setup.ts";
import { tokenForm } from "../cli/_setup.ts";
import { openNotebook, put, ruledFiles, systemError } from "../store/_faults.ts";
import { Scrape, scrape, serveMeasured } from "./_setup.ts";

const duration = "gameaddon_http_request_duration_seconds";

function recordOf(route: string | null, more: Partial<RequestRecord> = {}): RequestRecord {
  const common = { requestId: "", method: "GET", status: 200, milliseconds: 2, caller: null, code: null };
  return { ...common, route, ...more };
}

describe("the metrics of requests", () => {
  it("count requests by route and status, and those that match nothing under the route none", async (t) => {
    const { desk, url, metrics } = await serveMeasured(t);
    const token = (await desk.ok("token", "issue", "--public")).trim();
    const get = async (path: string) => (await fetch(`${url}${path}`)).arrayBuffer();
    for (let count = 0; count < 3; count += 1) await get(`${prefix}/${token}/navipoint`);
    await get(`${prefix}/${token}/statistic/Nobody`);
    await get(`${prefix}/gat_${"x".repeat(43)}/navipoint`);
    await get(`/${token}`);
    const scraped = await scrape(metrics);
    const count = (route: string, status: number) =>
      scraped.value(`${duration}_count{route="${route}",status="${status}"}`);
    assert.equal(count("/navipoint", 200), 3);
    assert.equal(count("/navipoint", 401), 1);
    assert.equal(count("/statistic/{player}", 404), 1);
    assert.equal(count("none", 404), 1);
    assert.doesNotMatch(scraped.text, tokenForm);
  });

  it("do not count the health pages and scrapes", async (t) => {
    const { url, metrics } = await serveMeasured(t);
    for (const path of ["/health", "/ready"]) await (await fetch(`${url}${path}`)).arrayBuffer();
    await scrape(metrics);
    assert.deepEqual((await scrape(metrics)).labels("route"), new Set());
  });

  it("have durations in seconds", async () => {
    const registry = new Registry();
    observerFor(registry)(recordOf("/event", { milliseconds: 2 }));
    const text = new Scrape(await registry.metrics());
    assert.equal(text.value(`${duration}_sum{route="/event",status="200"}`), 0.002);
    assert.equal(text.value(`${duration}_bucket{le="0.001",route="/event",status="200"}`), 0);
    assert.equal(text.value(`${duration}_bucket{le="0.0025",route="/event",status="200"}`), 1);
  });

  it("count refused requests by limit, from 0 on", async () => {
    const registry = new Registry();
    observerFor(registry)(recordOf("/event", { status: 429, limit: "reads" }));
    const text = new Scrape(await registry.metrics());
    for (const [limit, expected] of Object.entries({ reads: 1, changes: 0, unknown: 0, pages: 0 })) {
      assert.equal(text.value(`gameaddon_limited_requests_total{limit="${limit}"}`), expected, String(limit));
    }
  });
});

describe("the metrics of the store", () => {
  it("count changes, batches, appends and syncs", async (t) => {
    const { desk, metrics } = await serveMeasured(t);
    const before = await scrape(metrics);
    for (const name of ["Ada", "Bob", "Cleo"]) await desk.ok("player", "add", name);
    const after = await scrape(metrics);
    for (const series of [
      "gameaddon_changes_total",
      "gameaddon_journal_batch_changes_sum",
      "gameaddon_journal_append_duration_seconds_count",
      "gameaddon_journal_sync_duration_seconds_count",
    ]) {
      assert.equal((after.value(series) ?? 0) - (before.value(series) ?? 0), 3, series);
    }
    assert.ok((after.value("gameaddon_journal_append_duration_seconds_sum") ?? 0) > 0);
    assert.equal(after.value("gameaddon_players"), 3);
    assert.equal(after.value("gameaddon_changes_accepted"), 1);
  });

  it("count several changes of a batch, and batches that fail", async (t) => {
    const registry = new Registry();
    let code: string | undefined;
    const files = ruledFiles(({ operation, path }) =>
      code !== undefined && operation === "write" && /journal-/.test(path) ? systemError(code) : undefined,
    );
    const store = await openNotebook(await temporaryFolder(t), { files, meter: meterFor(registry) });
    t.after(() => store.close());
    await Promise.all([1, 2, 3, 4, 5].map((number) => put(store, `n${number}`)));
    code = "ENOSPC";
    await assert.rejects(put(store, "refused"));
    const text = new Scrape(await registry.metrics());
    assert.equal(text.value("gameaddon_changes_total"), 5);
    assert.equal(text.value("gameaddon_journal_batch_changes_sum"), 5);
    assert.ok((text.value("gameaddon_journal_batch_changes_count") ?? 0) < 5, "some were written together");
    assert.equal(text.value("gameaddon_journal_append_failures_total"), 1);
  });

  it("count snapshots, and those that fail", async (t) => {
    const registry = new Registry();
    let isBroken = false;
    const files = ruledFiles(({ operation, path }) =>
      isBroken && operation === "write" && /snapshot-/.test(path) ? systemError("EIO") : undefined,
    );
    const store = await openNotebook(await temporaryFolder(t), { files, meter: meterFor(registry) });
    t.after(() => store.close());
    await put(store, "one");
    await store.snapshot();
    isBroken = true;
    await put(store, "two");
    await assert.rejects(store.snapshot());
    const text = new Scrape(await registry.metrics());
    assert.equal(text.value('gameaddon_snapshots_total{result="written"}'), 1);
    assert.equal(text.value('gameaddon_snapshots_total{result="failed"}'), 1);
  });

  it("report the size and the age of the journal and of the newest snapshot", async (t) => {
    const registry = new Registry();
    const folder = await temporaryFolder(t);
    const clock = { time: Date.parse("2026-11-22T12:00:00Z") };
    const now = () => clock.time;
    const store = await openNotebook(folder, { now });
    t.after(() => store.close());
    addFileMetrics(registry, folder, now);
    await put(store, "one");
    clock.time += 60_000;
    const before = new Scrape(await registry.metrics());
    assert.equal(before.value("gameaddon_journal_age_seconds"), 60);
    assert.equal(before.value("gameaddon_snapshot_size_bytes"), undefined);
    assert.equal(before.value("gameaddon_snapshot_age_seconds"), undefined);
    await store.snapshot();
    clock.time += 5_000;
    const after = new Scrape(await registry.metrics());
    assert.equal(after.value("gameaddon_journal_age_seconds"), 65);
    assert.equal(after.value("gameaddon_snapshot_age_seconds"), 5);
    assert.ok((after.value("gameaddon_snapshot_size_bytes") ?? 0) > 100);
    assert.ok(
      (after.value("gameaddon_journal_size_bytes") ?? 0) >
        (before.value("gameaddon_journal_size_bytes") ?? 0),
    );
    assert.ok((after.value("gameaddon_disk_free_bytes") ?? 0) > 0);
  });
});

it("a value that cannot be read is left out of the scrape", async () => {
  const registry = new Registry();
  let isBroken = false;
  const broken = async () => {
    if (isBroken) throw new Error("broken");
    return 1;
  };
  addGauges(registry, { broken: ["Broken.", broken], whole: ["Whole.", () => 2] });
  assert.equal(new Scrape(await registry.metrics()).value("broken"), 1);
  isBroken = true;
  const text = new Scrape(await registry.metrics());
  assert.deepEqual([text.value("broken"), text.value("whole")], [undefined, 2]);
});

describe("the metrics of the process", () => {
  it("report connections, the event loop, clients and descriptors", async (t) => {
    const { desk, url, metrics } = await serveMeasured(t);
    await desk.ok("player", "add", "Ada");
    const token = (await desk.ok("token", "issue", "--player", "Ada")).trim();
    const before = await scrape(metrics);
    assert.deepEqual(
      ["gameaddon_clients", "gameaddon_active_clients"].map((name) => before.value(name)),
      [1, 0],
    );
    await (await fetch(`${url}${prefix}/${token}/event`)).arrayBuffer();
    const after = await scrape(metrics);
    assert.equal(after.value("gameaddon_active_clients"), 1);
    assert.ok((after.value("gameaddon_connections") ?? 0) >= 1);
    assert.ok((after.value("gameaddon_connections_max") ?? 0) >= 8);
    assert.ok((after.value("process_cpu_seconds_total") ?? 0) > 0);
    assert.ok((after.value("process_start_time_seconds") ?? 0) > 1.7e9);
    if (process.platform === "linux") {
      const [open = 0, most = 0] = ["process_open_fds", "process_max_fds"].map((name) => after.value(name));
      assert.ok(open > 3 && open <= most, `${open} of ${most}`);
    }
  });

  it("report how long the event loop was blocked", { timeout: 60_000 }, async (t) => {
    const { metrics } = await serveMeasured(t);
    const delays = async () => {
      const scraped = await scrape(metrics);
      return ["p50", "p99", "max"].map(
        (which) => scraped.value(`nodejs_eventloop_lag_${which}_seconds`) ?? 0,
      );
    };
    for (let isSeen = false; !isSeen; ) {
      await sleep(50);
      // The event loop of this process is that of the service.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      await sleep(50);
      const [median = 0, p99 = 0, max = 0] = await delays();
      assert.ok(median <= p99 && p99 <= max, `${median} ${p99} ${max}`);
      isSeen = max > 0.2 && max < 10;
    }
  });
});
