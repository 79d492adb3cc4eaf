/** The metrics of the store: what it measures while it writes, and its files when they are scraped. */
import { Counter, Histogram, type Registry } from "prom-client";
import { spaceFor } from "../store/folder/disk.ts";
import { nodeFiles } from "../store/folder/files.ts";
import type { Meter } from "../store/journal/meter.ts";
import { readDataFiles } from "../store/reading.ts";
import { addGauges } from "./values.ts";

/** The upper bounds of appends and syncs, in seconds: from a fast SSD to a disk that hangs. */
const buckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** The upper bounds of the changes in a batch, which has at most 256. */
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Returns a meter whose measurements become metrics. */
export function meterFor(registry: Registry): Meter {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const histogram = (name: string, help: string, bounds = buckets) =>
    new Histogram({ name, help, buckets: bounds, registers });
  const changes = counter("gameaddon_changes_total", "Changes that were made durable.");
  const batches = histogram(
    "gameaddon_journal_batch_changes",
    "Changes that were appended to the journal at once.",
    batchBuckets,
  );
  const appends = histogram(
    "gameaddon_journal_append_duration_seconds",
    "Time to append a batch to the journal, including its sync.",
  );
  const failures = counter(
    "gameaddon_journal_append_failures_total",
    "Batches that could not be appended to the journal. Their changes were refused.",
  );
  const shared = histogram(
    "gameaddon_shared_append_duration_seconds",
    "Time until the shared journal had acknowledged a batch, including repetitions.",
  );
  const conflicts = counter(
    "gameaddon_shared_conflicts_total",
    "Batches that were decided again, because another machine was faster.",
  );
  const syncs = histogram(
    "gameaddon_journal_sync_duration_seconds",
    "Time until the disk had synced the journal.",
  );
  const snapshots = new Counter({
    name: "gameaddon_snapshots_total",
    help: "Snapshots that were written, and attempts that failed.",
    labelNames: ["result"],
    registers,
  });
  for (const result of ["written", "failed"]) snapshots.inc({ result }, 0);
  return {
    appended(count, milliseconds) {
      changes.inc(count);
      batches.observe(count);
      appends.observe(milliseconds / 1000);
    },
    appendFailed: () => failures.inc(),
    shared: (milliseconds) => shared.observe(milliseconds / 1000),
    moved: () => conflicts.inc(),
    synced: (milliseconds) => syncs.observe(milliseconds / 1000),
    snapshot: (result) => snapshots.inc({ result }),
  };
}

/** Adds the metrics of the files in a data folder, and of its disk. */
export function addFileMetrics(registry: Registry, folder: string, now: () => number): void {
  const read = () => readDataFiles(nodeFiles, folder);
  const ageOf = ({ since }: { since?: number | undefined } = {}) =>
    since === undefined ? undefined : Math.max(0, now() - since) / 1000;
  addGauges(registry, {
    gameaddon_journal_size_bytes: [
      "Size of all segments of the journal.",
      async () => (await read()).journal?.bytes,
    ],
    gameaddon_journal_age_seconds: [
      "Age of the oldest segment of the journal: how far back the audit reaches.",
      async () => ageOf((await read()).journal),
    ],
    gameaddon_snapshot_size_bytes: [
      "Size of the newest snapshot.",
      async () => (await read()).snapshot?.bytes,
    ],
    gameaddon_snapshot_age_seconds: [
      "Time since the newest snapshot was begun. It may be long if there are few changes.",
      async () => ageOf((await read()).snapshot),
    ],
    gameaddon_disk_free_bytes: [
      "Space on the disk of the data folder that the service may still use.",
      async () => (await spaceFor(folder)).free,
    ],
  });
}
