/** The addon's clients and versions. A client is a player with a token. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { integerRange } from "../domain/limits.ts";
import { uuid } from "../domain/uuid.ts";
import { compareVersions, versionForm, versionWords } from "../identity/versions.ts";
import { defineChange, defineRead, type Sources } from "./common/define.ts";
import { anyUUID, component, count, field, version } from "./common/values.ts";

/** Without activity: each request for these answers would change them. */
const versionFor = ({ tokens, versions }: Sources) => tokens.version + versions.version;

export const overview = defineRead({
  description:
    "A client is a player with a valid token. It is active if it sent a request in the last 3 days. With more than 1,000 tokens the counts may be up to two seconds old.",
  input: {},
  answer: component("ManagementOverview", "The number of the addon's clients, and its versions.", {
    requests: field(count, "The number of all requests ever that had a valid token.", 48213),
    totalClients: field(count, "The number of clients.", 120),
    activeClients: field(count, "The number of active clients.", 45),
    latestVersion: field(
      v.nullable(v.string()),
      "The highest version that is marked as current, compared number by number; null without one.",
      "2.5.1",
    ),
    versions: v.pipe(
      v.array(
        component("AddonVersion", "A version of the addon.", {
          version,
          users: field(count, "The number of clients with this version.", 32),
          current: field(v.boolean(), "Whether the version is current or outdated.", true),
        }),
      ),
      v.description("Every version that was ever marked or is in use, the highest first."),
    ),
  }),
  versionFor,
  async read({ clients, versions }, _input, { activity, now }) {
    const { total, active, users } = await clients.at(now);
    const marked = Array.from(versions.values());
    const known = new Set([...marked.map(({ version }) => version), ...users.keys()]);
    const current = marked.filter((version) => version.current).map(({ version }) => version);
    return {
      // Clients parse it into 32 bits.
      requests: Math.min(activity.requests, integerRange.maximum),
      totalClients: total,
      activeClients: active,
      latestVersion: current.sort(compareVersions).at(-1) ?? null,
      versions: Array.from(known)
        .sort((a, b) => compareVersions(b, a))
        .map((version) => ({
          version,
          users: users.get(version) ?? 0,
          current: current.includes(version),
        })),
    };
  },
});

export const users = defineRead({
  description: "With more than 1,000 tokens the list may be up to two seconds old.",
  input: {},
  answer: v.pipe(
    v.array(
      component("Client", "A client of the addon: a player with a valid token.", {
        uuid: field(uuid, "The player's game UUID.", anyUUID),
        active: field(v.boolean(), "Whether it sent a request in the last 3 days.", true),
        version: field(
          v.nullable(v.string()),
          "The version that the client last reported, or null.",
          "2.5.1",
        ),
        current: field(v.boolean(), "Whether that version is marked as current.", true),
      }),
    ),
    v.description("Every client, ordered by UUID."),
  ),
  versionFor,
  read: async ({ clients }, _input, { now }) => (await clients.at(now)).list,
});

export const mark = defineChange({
  example: "Marked version 2.5.1 as current.",
  description: "Several versions can be current at the same time.",
  input: {
    type: field(v.picklist(["add", "remove"]), "`add` marks the version as current, `remove` as outdated."),
    version: field(
      v.pipe(v.string(), v.regex(versionForm, `expected ${versionWords}`)),
      "The version to mark.",
      "2.5.1",
    ),
  },
  failures: { UNKNOWN_ENTRY: "With `remove`: the version was never marked, and no client uses it." },
  change(draft, { type, version }, { clients, now }) {
    const current = type === "add";
    // Asking all clients takes longest.
    if (!current && !draft.versions.has(version) && !clients.isUsed(version, now)) {
      throw new Failure("UNKNOWN_ENTRY", `There is no version ${version}.`, { parameter: "version" });
    }
    const word = current ? "current" : "outdated";
    if (draft.versions.get(version)?.current === current) return `Version ${version} is already ${word}.`;
    draft.versions.put({ version, current });
    return `Marked version ${version} as ${word}.`;
  },
});
