/**
 * Activity: when each client was last seen and with which version, and how many requests there were. Not worth a
 * disk write each, so it is kept in memory and saved every minute and at shutdown (contract, section 3).
 */
import type { ActivityRecord, Token } from "../domain/model.ts";
import type { DataStore, DurableData } from "../store/data.ts";
import { versionForm } from "./versions.ts";

/** A client is active with a request in the last 3 days (contract, section 3). */
export const activeMilliseconds = 3 * 24 * 60 * 60 * 1000;

const requestCounter = "requests";
/** How many clients are saved with one change. */
const savedAtOnce = 500;

/** What was noted of a client since it was saved. */
interface Noted extends ActivityRecord {
  lastSeen: number;
  /** The version of the tokens when the client was last looked at. */
  tokens: number;
  /** When the newest of the client's tokens was issued, as of then. */
  issuedAt: number;
}

/** See the head of this file. */
export class Activity {
  readonly #data: DurableData;
  readonly #unsaved = new Map<string, Noted>();
  readonly #watchers: ((uuid: string) => void)[] = [];
  #unsavedRequests = 0;

  constructor(data: DurableData) {
    this.#data = data;
  }

  /** All authenticated requests ever. */
  get requests(): number {
    return (this.#data.counters.get(requestCounter)?.value ?? 0) + this.#unsavedRequests;
  }

  /**
   * Tells of every client that has become active, shows another version, or was seen earlier than before (the clock was
   * set back). Not of each request, nor of one that is active no longer: nothing happens then.
   */
  watch(watcher: (uuid: string) => void): void {
    this.#watchers.push(watcher);
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
    const noted = this.#unsaved.get(uuid);
    if (noted !== undefined && this.#isNoNews(noted, version, now)) {
      noted.lastSeen = now;
      return;
    }
    const told = version !== undefined && versionForm.test(version) ? version : undefined;
    const before = this.of(uuid);
    const after = { uuid, lastSeen: now, version: told ?? before?.version ?? null };
    const issuedAt = this.#newestOf(uuid);
    const isNews = before === undefined || tells(before, after) || issuedAt > before.lastSeen;
    this.#unsaved.set(uuid, { ...after, tokens: this.#data.tokens.version, issuedAt });
    if (isNews) this.#notify(uuid);
  }

  #notify(uuid: string): void {
    for (const watcher of this.#watchers) watcher(uuid);
  }

  /** Whether a request says nothing of its client that the one before it did not: almost all do. */
  #isNoNews(noted: Noted, version: string | undefined, now: number): boolean {
    return (
      (version === undefined || version === noted.version) &&
      noted.tokens === this.#data.tokens.version &&
      noted.issuedAt <= noted.lastSeen &&
      now >= noted.lastSeen &&
      now - noted.lastSeen < activeMilliseconds
    );
  }

  /** When the newest token of a player was issued. */
  #newestOf(uuid: string): number {
    const tokens = this.#data.tokens.find("player", uuid);
    return tokens.reduce((newest, { issuedAt }) => Math.max(newest, issuedAt), Number.NEGATIVE_INFINITY);
  }

  /**
   * Saves what was noted since the last time. Where that fails it is kept for the next one. It goes in pieces, so that
   * no request waits until all clients of a busy minute are written.
   */
  async save(store: DataStore): Promise<void> {
    const records = Array.from(this.#unsaved.values(), ({ uuid, lastSeen, version }) => {
      return { uuid, lastSeen, version };
    });
    if (this.#unsavedRequests === 0) return;
    for (let index = 0; index === 0 || index < records.length; index += savedAtOnce) {
      const requests = this.#unsavedRequests;
      const piece = records.slice(index, index + savedAtOnce);
      await store.change({ who: "system", operation: "activity.save" }, (draft) => {
        for (const record of piece) {
          if (draft.players.has(record.uuid)) draft.activity.put(record);
        }
        const value = (draft.counters.get(requestCounter)?.value ?? 0) + requests;
        draft.counters.put({ name: requestCounter, value });
      });
      this.#unsavedRequests -= requests;
      for (const { uuid, lastSeen, version } of piece) {
        const noted = this.#unsaved.get(uuid);
        if (noted?.lastSeen !== lastSeen || noted.version !== version) continue;
        this.#unsaved.delete(uuid);
        // Of a player who is not registered nothing was saved.
        if (this.#data.activity.get(uuid)?.lastSeen !== lastSeen) this.#notify(uuid);
      }
    }
  }
}

/** Whether there is news in a request: of somebody who was not active, of a version, or that the clock was set back. */
function tells(before: ActivityRecord, after: ActivityRecord): boolean {
  const passed = after.lastSeen - before.lastSeen;
  return before.version !== after.version || passed >= activeMilliseconds || passed < 0;
}
