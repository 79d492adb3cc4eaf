/** Fills a data folder with a world, through the store's own door; and leaves changes in its journal, if asked to. */
import { randomUUID } from "node:crypto";
import { model } from "../../src/domain/model.ts";
import type { DataStore, Draft } from "../../src/store/data.ts";
import { Store } from "../../src/store/store.ts";
import { readNames } from "./seed.ts";
import { naviPoints, targets, type World, wantedReasons } from "./world.ts";

/** How many players one change registers: a change each would take minutes for 100,000. */
const batchLength = 500;

/** How many changes are asked for at a time; they share a sync. */
const togetherLength = 1000;

/** What a data folder is filled with. */
export interface Filling {
  readonly world: World;
  /** Additions to statistics that are made after the last snapshot, so that a start has to replay them. */
  readonly journal?: number;
}

/** Fills a folder that has no data yet. What it holds then depends on the filling alone, but for the tokens. */
export async function fill(folder: string, { world, journal = 0 }: Filling): Promise<void> {
  const store = await openStore(folder);
  await put(store, (draft) => putSurroundings(draft, world));
  const names = await readNames();
  await put(store, (draft) => names.forEach((named) => void draft.names.put(named)));
  for (let first = 0; first <= world.excluded; first += batchLength) {
    const end = Math.min(first + batchLength, world.excluded + 1);
    await put(store, (draft) => {
      for (let number = first; number < end; number += 1) putPlayer(draft, world, number);
    });
  }
  await store.close({ snapshot: true });
  if (journal > 0) await leaveInJournal(folder, world, journal);
}

function openStore(folder: string): Promise<DataStore> {
  return Store.open({
    folder,
    model,
    // Only the snapshot at the end: nothing of how the folder came to be is kept beside it.
    snapshotAfter: { bytes: Number.POSITIVE_INFINITY, snapshots: 0 },
    retention: { milliseconds: 0, snapshots: 1 },
  });
}

function put(store: DataStore, decide: (draft: Draft) => void): Promise<void> {
  return store.change({ who: "operator", operation: "bench.fill" }, decide);
}

function putSurroundings(draft: Draft, world: World): void {
  for (const reason of wantedReasons) draft.wantedReasons.put(reason);
  for (const point of naviPoints) draft.naviPoints.put(point);
  for (const target of targets) draft.targets.put(target);
  // With a public token in the folder `serve` does not issue and print one.
  draft.tokens.put(world.tokenRecord(-1));
  const { name, uuid } = world.player(world.excluded);
  draft.groupMembers.put({ group: "BLACKLIST", name, uuid });
}

function putPlayer(draft: Draft, world: World, number: number): void {
  draft.players.put(world.player(number));
  draft.statistics.put(world.statistic(number));
  draft.memberships.put(world.membership(number));
  draft.tokens.put(world.tokenRecord(number));
}

/** Adds one kill after another, player by player, each as a request would, and closes without a snapshot. */
async function leaveInJournal(folder: string, world: World, count: number): Promise<void> {
  const store = await openStore(folder);
  for (let first = 0; first < count; first += togetherLength) {
    const changes = Array.from({ length: Math.min(togetherLength, count - first) }, (_, each) => {
      const { uuid } = world.player((first + each) % world.size);
      const origin = { who: uuid, operation: "statistic.add", request: randomUUID(), table: "000000000000" };
      return store.change(origin, (draft) => {
        const statistic = draft.statistics.get(uuid);
        if (statistic !== undefined) draft.statistics.put({ ...statistic, kills: statistic.kills + 1 });
      });
    });
    await Promise.all(changes);
  }
  await store.close();
}
