/** Clients of the addon and its versions (specification, sections 3 and 4.9). A client is a player with a token. */
import * as v from "valibot";
import { Failure } from "../errors.ts";
import type { Activity } from "../identity/activity.ts";
import { liveTokensByPlayer } from "../identity/tokens.ts";
import { compareVersions, versionForm } from "../identity/versions.ts";
import type { Data } from "../store/data.ts";
import { type Context, defineChange, defineRead } from "./define.ts";
import { count, uuid } from "./values.ts";

/** A client is active with a request in the last 3 days. */
const activeMilliseconds = 3 * 24 * 60 * 60 * 1000;
const maximum = 2147483647;

interface Client {
  readonly uuid: string;
  readonly active: boolean;
  readonly version: string | null;
  readonly current: boolean;
}

function clients(data: Data, { activity, now }: Context): Client[] {
  return Array.from(liveTokensByPlayer(data, now), ([player, token]) => {
    const lastSeen = activity.of(player)?.lastSeen ?? Number.NEGATIVE_INFINITY;
    const version = activity.versionOf(player, token);
    const current = version !== null && data.versions.get(version)?.current === true;
    return { uuid: player, active: now - lastSeen < activeMilliseconds, version, current };
  }).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
}

function usersByVersion(list: readonly Client[]): Map<string, number> {
  const users = new Map<string, number>();
  for (const { version } of list) {
    if (version !== null) users.set(version, (users.get(version) ?? 0) + 1);
  }
  return users;
}

export const overview = defineRead({
  input: {},
  answer: v.object({
    requests: count,
    totalClients: count,
    activeClients: count,
    latestVersion: v.nullable(v.string()),
    versions: v.array(v.object({ version: v.string(), users: count, current: v.boolean() })),
  }),
  read(data, _input, context) {
    const all = clients(data, context);
    const users = usersByVersion(all);
    const marked = Array.from(data.versions.values());
    const known = new Set([...marked.map(({ version }) => version), ...users.keys()]);
    const current = marked.filter((each) => each.current).map(({ version }) => version);
    return {
      // Clients keep it in 32 bits.
      requests: Math.min(context.activity.requests, maximum),
      totalClients: all.length,
      activeClients: all.filter(({ active }) => active).length,
      latestVersion: current.sort(compareVersions).at(-1) ?? null,
      versions: Array.from(known)
        .sort((a, b) => compareVersions(b, a))
        .map((version) => ({ version, users: users.get(version) ?? 0, current: current.includes(version) })),
    };
  },
});

export const users = defineRead({
  input: {},
  answer: v.array(
    v.object({ uuid, active: v.boolean(), version: v.nullable(v.string()), current: v.boolean() }),
  ),
  read: (data, _input, context) => clients(data, context),
});

/** Whether a version is known: marked at some time, or in use. */
function isKnown(data: Data, version: string, activity: Activity, now: number): boolean {
  if (data.versions.has(version)) return true;
  for (const [player, token] of liveTokensByPlayer(data, now)) {
    if (activity.versionOf(player, token) === version) return true;
  }
  return false;
}

export const mark = defineChange({
  input: {
    type: v.picklist(["add", "remove"]),
    version: v.pipe(v.string(), v.regex(versionForm, "two to four numbers with dots were expected")),
  },
  change(draft, { type, version }, { activity, now }) {
    const current = type === "add";
    if (!current && !isKnown(draft, version, activity, now)) {
      throw new Failure("UNKNOWN_ENTRY", `There is no version ${version}.`, { parameter: "version" });
    }
    const word = current ? "current" : "outdated";
    if (draft.versions.get(version)?.current === current) return `Version ${version} is ${word} already.`;
    draft.versions.put({ version, current });
    return `Marked version ${version} as ${word}.`;
  },
});
