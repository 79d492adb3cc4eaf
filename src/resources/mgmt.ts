/** Clients of the addon and its versions (specification, sections 3 and 4.9). A client is a player with a token. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { compareVersions, versionForm } from "../identity/versions.ts";
import { defineChange, defineRead } from "./shared/define.ts";
import { anyUUID, count, field, uuid, version } from "./shared/values.ts";

const maximum = 2147483647;

export const overview = defineRead({
  description:
    "A client is a player with a token that can be used; it is active with a request in the last 3 days.",
  input: {},
  answer: v.pipe(
    v.object({
      requests: field(count, "How many requests with a valid token there ever were.", 48213),
      totalClients: field(count, "How many clients there are.", 120),
      activeClients: field(count, "How many of them are active.", 45),
      latestVersion: field(
        v.nullable(v.string()),
        "The highest version that is marked as current, compared number by number; null where none is.",
        "2.5.1",
      ),
      versions: v.pipe(
        v.array(
          v.pipe(
            v.object({
              version,
              users: field(count, "How many clients have it.", 32),
              current: field(v.boolean(), "Whether it is marked as current; otherwise it is outdated.", true),
            }),
            v.title("AddonVersion"),
            v.description("A version of the addon."),
          ),
        ),
        v.description("Every version that was marked at some time or is in use, the highest first."),
      ),
    }),
    v.title("ManagementOverview"),
    v.description("The addon's clients in numbers, and its versions."),
  ),
  read(data, _input, { activity, now }) {
    const { total, active, users } = data.clients.at(now);
    const marked = Array.from(data.versions.values());
    const known = new Set([...marked.map(({ version }) => version), ...users.keys()]);
    const current = marked.filter((each) => each.current).map(({ version }) => version);
    return {
      // Clients keep it in 32 bits.
      requests: Math.min(activity.requests, maximum),
      totalClients: total,
      activeClients: active,
      latestVersion: current.sort(compareVersions).at(-1) ?? null,
      versions: Array.from(known)
        .sort((a, b) => compareVersions(b, a))
        .map((version) => ({ version, users: users.get(version) ?? 0, current: current.includes(version) })),
    };
  },
});

export const users = defineRead({
  description: "With more than 1,000 clients the list can be up to two seconds old; otherwise it is exact.",
  input: {},
  answer: v.pipe(
    v.array(
      v.pipe(
        v.object({
          uuid: field(uuid, "The player's game UUID.", anyUUID),
          active: field(v.boolean(), "Whether there was a request in the last 3 days.", true),
          version: field(v.nullable(v.string()), "The version that the client told last, or null.", "2.5.1"),
          current: field(v.boolean(), "Whether that version is marked as current.", true),
        }),
        v.title("Client"),
        v.description("A client of the addon: a player with a token that can be used."),
      ),
    ),
    v.description("Every client, by UUID."),
  ),
  read: ({ userList }, _input, { now }) => userList.at(now),
});

export const mark = defineChange({
  example: "Marked version 2.5.1 as current.",
  description: "Several versions can be current at the same time.",
  input: {
    type: field(v.picklist(["add", "remove"]), "`add` marks it as current, `remove` as outdated."),
    version: field(
      v.pipe(v.string(), v.regex(versionForm, "two to four numbers with dots were expected")),
      "The version that is marked.",
      "2.5.1",
    ),
  },
  failures: { UNKNOWN_ENTRY: "With `remove`: the version was never marked, and nobody uses it." },
  change(draft, { type, version }, { clients, now }) {
    const current = type === "add";
    const isKnown = draft.versions.has(version) || clients.at(now).users.has(version);
    if (!current && !isKnown) {
      throw new Failure("UNKNOWN_ENTRY", `There is no version ${version}.`, { parameter: "version" });
    }
    const word = current ? "current" : "outdated";
    if (draft.versions.get(version)?.current === current) return `Version ${version} is ${word} already.`;
    draft.versions.put({ version, current });
    return `Marked version ${version} as ${word}.`;
  },
});
