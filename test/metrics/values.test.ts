/** The values of a scrape: where each is read, and what it is while it cannot be read. */
import assert from "node:assert/strict";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connectionLimit } from "../../src/http/descriptors.ts";
import type { Readiness } from "../../src/http/health-pages.ts";
import { Metrics, type Surveyed } from "../../src/metrics/metrics.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readDataFiles } from "../../src/store/reading.ts";
import { openWorld, temporaryFolder } from "../_setup.ts";
import { openNotebook, put } from "../store/_faults.ts";
import { Scrape } from "./_setup.ts";

/** The instant at which the data of these tests is written. */
const instant = Date.parse("2026-11-22T12:00:00Z");
const segment = "journal-000000000001.log";

describe("the files of a data folder", () => {
  /** Returns a folder with a change, and with a snapshot if wanted. */
  async function written(t: TestContext, hasSnapshot: boolean): Promise<string> {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder, { now: () => instant });
    await put(store, "one");
    if (hasSnapshot) await store.snapshot();
    await store.close();
    return folder;
  }

  async function sizeOf(...path: string[]): Promise<number> {
    return (await stat(join(...path))).size;
  }

  it("the files are read with their sizes, and when they were begun", async (t) => {
    const folder = await written(t, true);
    const { journal, snapshot } = await readDataFiles(nodeFiles, folder);
    assert.equal(journal?.since, instant);
    assert.ok(journal.bytes >= (await sizeOf(folder, segment)));
    const expected = { bytes: await sizeOf(folder, "snapshot-000000000001.jsonl"), since: instant };
    assert.deepEqual(snapshot, expected);
  });

  it("the files include no snapshot before the first one", async (t) => {
    const folder = await written(t, false);
    const journal = { bytes: await sizeOf(folder, segment), since: instant };
    assert.deepEqual(await readDataFiles(nodeFiles, folder), { journal, snapshot: undefined });
  });

  it("a damaged file has a size, and no age", async (t) => {
    const folder = await written(t, true);
    for (const name of [segment, "snapshot-000000000001.jsonl"])
      await writeFile(join(folder, name), "damaged\n");
    const { journal, snapshot } = await readDataFiles(nodeFiles, folder);
    assert.equal(journal?.since, undefined);
    assert.deepEqual(snapshot, { bytes: 8, since: undefined });
  });

  it("a file that cannot be read is a failure", async (t) => {
    const folder = await temporaryFolder(t);
    await mkdir(join(folder, segment));
    await assert.rejects(readDataFiles(nodeFiles, folder), /is a directory instead of a regular file/);
  });
});

describe("the metrics of a service", () => {
  const ready: Readiness = { status: "ready", changes: true, reason: null };

  async function surveyed(t: TestContext, more: Partial<Surveyed>): Promise<Metrics> {
    const { service } = await openWorld(t);
    const metrics = new Metrics();
    metrics.survey({
      service,
      connections: () => 3,
      droppedLogLines: () => 5,
      version: "1.2.3",
      ...more,
    });
    return metrics;
  }

  it("the metrics have the values of the service at the time of the scrape", async (t) => {
    const { service } = await openWorld(t);
    let readiness = ready;
    let connections = 3;
    let dropped = 5;
    t.mock.method(service, "readiness", async () => readiness);
    const counts = { total: 7, active: 4 };
    t.mock.method(service, "clientCount", () => counts);
    const metrics = await surveyed(t, {
      service,
      connections: () => connections,
      droppedLogLines: () => dropped,
    });
    const values = async () => {
      const scraped = new Scrape(await metrics.registry.metrics());
      return [
        `gameaddon_info{version="1.2.3",node="${process.version}"}`,
        "gameaddon_changes_accepted",
        "gameaddon_players",
        "gameaddon_clients",
        "gameaddon_active_clients",
        "gameaddon_connections",
        "gameaddon_connections_max",
        "gameaddon_log_lines_dropped_total",
      ].map((series) => scraped.value(series));
    };
    assert.deepEqual(await values(), [1, 1, 0, 7, 4, 3, connectionLimit(), 5]);
    await service.administer("player.add", { name: "Ada" });
    readiness = { ...ready, changes: false };
    connections = 0;
    dropped = 6;
    assert.deepEqual(await values(), [1, 0, 1, 7, 4, 0, connectionLimit(), 6]);
  });

  it("the metrics include those of the files, the disk, the process and requests", async (t) => {
    const text = new Scrape(await (await surveyed(t, {})).registry.metrics());
    for (const [series, least] of [
      ["gameaddon_journal_size_bytes", 1],
      ["gameaddon_journal_age_seconds", 0],
      ["gameaddon_disk_free_bytes", 1],
      ["process_cpu_seconds_total", 0.001],
      ["process_resident_memory_bytes", 10_000_000],
      ["nodejs_eventloop_lag_p50_seconds", 0],
      ['gameaddon_limited_requests_total{limit="reads"}', 0],
      ["gameaddon_changes_total", 0],
    ] as const) {
      assert.ok((text.value(series) ?? -1) >= least, `${series} ${text.value(series)}`);
    }
    const started = text.value("process_start_time_seconds") ?? 0;
    assert.ok(Math.abs(started - (Date.now() / 1000 - process.uptime())) < 5, `${started}`);
  });
});
