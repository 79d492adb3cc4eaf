/**
 * Activity: when each client was last seen and with which version, and how many requests there were. Not worth a
 * disk write each, so it is kept in memory and saved every minute and at shutdown (contract, section 3).
 */
import type { ActivityRecord, Token } from "../model.ts";
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
}

/** See the head of this file. */
export class Activity {
  readonly #data: DurableData;
  readonly #unsaved = new Map<string, Noted>();
  #unsavedRequests = 0;
  #version = 0;

  constructor(data: DurableData) {
    this.#data = data;
  }

  /** All authenticated requests ever. */
  get requests(): number {
    return (this.#data.counters.get(requestCounter)?.value ?? 0) + this.#unsavedRequests;
  }

  /** Another number whenever a client has become active, or has another version. */
  get version(): number {
    return this.#version;
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
    if (before === undefined || this.#tells(before, after)) this.#version += 1;
    this.#unsaved.set(uuid, { ...after, tokens: this.#data.tokens.version });
  }

  /** Whether a request says nothing of its client that the one before it did not: almost all do. */
  #isNoNews(noted: Noted, version: string | undefined, now: number): boolean {
    return (
      (version === undefined || version === noted.version) &&
      noted.tokens === this.#data.tokens.version &&
      now - noted.lastSeen < activeMilliseconds
    );
  }

  /** Whether there is news in a request: of somebody who was not active, of a version, or by a newer token. */
  #tells(before: ActivityRecord, { uuid, lastSeen, version }: ActivityRecord): boolean {
    if (before.version !== version || lastSeen - before.lastSeen >= activeMilliseconds) return true;
    return this.#data.tokens.find("player", uuid).some(({ issuedAt }) => issuedAt > before.lastSeen);
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
        if (noted?.lastSeen === lastSeen && noted.version === version) this.#unsaved.delete(uuid);
      }
    }
  }
}
