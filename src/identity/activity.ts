/**
 * Activity: when each client was last seen and with which version, and how many requests there were. Not worth a
 * disk write each, so it is kept in memory and saved every minute and at shutdown (contract, section 3).
 */
import type { ActivityRecord, Token } from "../model.ts";
import type { Data, DataStore } from "../store/data.ts";
import { versionForm } from "./versions.ts";

const requestCounter = "requests";

/** See the head of this file. */
export class Activity {
  readonly #data: Data;
  readonly #unsaved = new Map<string, ActivityRecord>();
  #unsavedRequests = 0;

  constructor(data: Data) {
    this.#data = data;
  }

  /** All authenticated requests ever. */
  get requests(): number {
    return (this.#data.counters.get(requestCounter)?.value ?? 0) + this.#unsavedRequests;
  }

  /** When a player's client was last seen, and the version that it told. */
  of(uuid: string): ActivityRecord | undefined {
    return this.#unsaved.get(uuid) ?? this.#data.activity.get(uuid);
  }

  /** The addon version of a client: what it told last, with its requests or when its token was issued. */
  versionOf(uuid: string, token: Token): string | null {
    const known = this.of(uuid);
    if (known?.version == null) return token.addonVersion;
    return token.addonVersion !== null && token.issuedAt > known.lastSeen
      ? token.addonVersion
      : known.version;
  }

  /** Notes an authenticated request. `version` is what the client's `User-Agent` says, whatever that is. */
  note(uuid: string | null, version: string | undefined, now: number): void {
    this.#unsavedRequests += 1;
    if (uuid === null) return;
    const told = version !== undefined && versionForm.test(version) ? version : undefined;
    this.#unsaved.set(uuid, { uuid, lastSeen: now, version: told ?? this.of(uuid)?.version ?? null });
  }

  /** Saves what was noted since the last time. Where that fails it is kept for the next one. */
  async save(store: DataStore): Promise<void> {
    const records = [...this.#unsaved.values()];
    const requests = this.#unsavedRequests;
    if (requests === 0) return;
    await store.change({ who: "system", operation: "activity.save" }, (draft) => {
      for (const record of records) {
        if (draft.players.has(record.uuid)) draft.activity.put(record);
      }
      const value = (draft.counters.get(requestCounter)?.value ?? 0) + requests;
      draft.counters.put({ name: requestCounter, value });
    });
    this.#unsavedRequests -= requests;
    for (const record of records) {
      if (this.#unsaved.get(record.uuid) === record) this.#unsaved.delete(record.uuid);
    }
  }
}
