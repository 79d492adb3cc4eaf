/** Fills a data folder with a dataset, through the store. */
import { randomUUID } from "node:crypto";
import { countIn, model } from "../../src/domain/model.ts";
import type { DataStore, Draft } from "../../src/store/data.ts";
import { Store } from "../../src/store/store.ts";
import { type Dataset, naviPoints, targets, wantedReasons } from "./dataset.ts";

/** The number of players that one change registers: a change each would take minutes for 100,000. */
const batchLength = 500;

/** The number of concurrent changes; they share a sync. */
const concurrency = 1000;

/**
 * Fills a folder that has no data yet. Its content depends only on the arguments, but for the tokens.
 * @param journal how many additions to statistics to make after the last snapshot, so that a start has to replay them
 */
export async function fill(folder: string, dataset: Dataset, journal: number): Promise<void> {
  const store = await openStore(folder);
  await put(store, (draft) => putLists(draft, dataset));
  for (let first = 0; first <= dataset.excluded; first += batchLength) {
    const end = Math.min(first + batchLength, dataset.excluded + 1);
    await put(store, (draft) => {
      for (let number = first; number < end; number += 1) putPlayer(draft, dataset, number);
    });
  }
  await store.close({ snapshot: true });
  if (journal > 0) await addToJournal(folder, dataset, journal);
}

function openStore(folder: string): Promise<DataStore> {
  return Store.open({
    folder,
    model,
    // Only the snapshot at the end, and no older files beside it.
    snapshotAfter: { bytes: Number.POSITIVE_INFINITY, snapshots: 0 },
    retention: { milliseconds: 0, snapshots: 1 },
  });
}

function put(store: DataStore, decide: (draft: Draft) => void): Promise<void> {
  return store.change({ who: "operator", operation: "bench.fill" }, decide);
}

function putLists(draft: Draft, dataset: Dataset): void {
  for (const values of wantedReasons) draft.entries.put({ list: "wantedreason", key: ["reason"], values });
  for (const values of naviPoints) draft.entries.put({ list: "navipoint", key: ["name"], values });
  for (const target of targets) draft.targets.put(target);
  for (const named of dataset.names) draft.names.put(named);
  // If there were no public token, `serve` would issue and print one.
  draft.tokens.put(dataset.tokenRecord(-1));
  const { name, uuid } = dataset.player(dataset.excluded);
  draft.groupMembers.put({ group: "BLACKLIST", name, uuid });
}

function putPlayer(draft: Draft, dataset: Dataset, number: number): void {
  draft.players.put(dataset.player(number));
  draft.statistics.put(dataset.statistic(number));
  draft.memberships.put(dataset.membership(number));
  draft.tokens.put(dataset.tokenRecord(number));
}

/** Adds kills, player by player, one change each as a request would, and closes without a snapshot. */
async function addToJournal(folder: string, dataset: Dataset, count: number): Promise<void> {
  const store = await openStore(folder);
  for (let first = 0; first < count; first += concurrency) {
    const changes = Array.from({ length: Math.min(concurrency, count - first) }, (_, index) => {
      const { uuid } = dataset.player((first + index) % dataset.size);
      const origin = { who: uuid, operation: "statistic.add", request: randomUUID(), table: "000000000000" };
      return store.change(origin, (draft) => {
        const statistic = draft.statistics.get(uuid);
        if (statistic !== undefined)
          draft.statistics.put({ ...statistic, kills: countIn(statistic, "kills") + 1 });
      });
    });
    await Promise.all(changes);
  }
  await store.close();
}
