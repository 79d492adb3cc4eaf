/**
 * Records of collections that earlier versions had: four lists, whose records have become entries. Every line of the
 * journal, of a snapshot, a backup or an export passes here when it is decoded.
 */
import * as v from "valibot";
import { type Entry, entryKey } from "./entry.ts";

const text = v.string();
const number = v.pipe(v.number(), v.integer());
const nullableText = v.optional(v.nullable(text), null);

/** The form of the records of a former collection, and the entry that each becomes. */
type Former = v.GenericSchema<unknown, Entry> & { readonly pipe: readonly [v.GenericSchema, ...unknown[]] };

const forms: Readonly<Record<string, Former>> = {
  blacklistReasons: v.pipe(
    v.object({ faction: text, reason: text, price: number, kills: number }),
    v.transform(({ faction, ...values }) => ({
      list: "blacklistreason",
      key: ["factionString", "reason"],
      values: { factionString: faction, ...values },
      names: { factionString: "faction" as const },
    })),
  ),
  houseBanReasons: v.pipe(
    v.object({ reason: text, days: number, creatorName: nullableText, creatorUUID: nullableText }),
    v.transform(({ reason, days, ...creator }) => ({
      list: "housebanreason",
      key: ["reason"],
      values: { reason, days },
      ...creator,
    })),
  ),
  naviPoints: v.pipe(
    v.object({ name: text, x: number, y: number, z: number, article: v.picklist(["der", "die", "das"]) }),
    v.transform((values) => ({ list: "navipoint", key: ["name"], values })),
  ),
  wantedReasons: v.pipe(
    v.object({ reason: text, points: number }),
    v.transform((values) => ({ list: "wantedreason", key: ["reason"], values })),
  ),
};

const all = new Map(Object.entries(forms));

/** Returns the schema of the records of a former collection; undefined for any other. */
export function formerSchema(collection: string): v.GenericSchema | undefined {
  return all.get(collection)?.pipe[0];
}

/** Returns a stored record in the present form, with its collection. One that is malformed stays as it is. */
export function presentRecord(collection: string, record: unknown): { collection: string; record: unknown } {
  const former = all.get(collection);
  const result = former && v.safeParse(former, record);
  return result?.success === true ? { collection: "entries", record: result.output } : { collection, record };
}

/** As {@link presentRecord}, for a record before and after a change; null is an absent one. */
export function presentChange<C extends Changed>(change: C): C {
  const { collection } = change;
  if (!all.has(collection)) return change;
  const [before, after] = [change.before, change.after].map((record) =>
    record === null ? { collection: "entries", record } : presentRecord(collection, record),
  );
  if (before?.collection !== "entries" || after?.collection !== "entries") return change;
  const entry = after.record ?? before.record;
  const key = entry === null ? change.key : entryKey(entry as Entry);
  return { ...change, collection: "entries", key, before: before.record, after: after.record };
}

interface Changed {
  readonly collection: string;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}
