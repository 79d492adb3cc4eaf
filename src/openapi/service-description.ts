/**
 * What the description of the interface says beside the route table: what this service is, how its tokens look, and
 * what its resources are.
 */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { tokenInText } from "../identity/tokens.ts";
import { packaged } from "../packaged.ts";
import type { DescriptionOptions } from "./openapi.ts";

const introduction = `Shared community data for the client addon of a multiplayer game: statistics and a top list, addon groups, a target list, blacklist reasons per faction, house bans, navi points, wanted reasons, live events, and the versions of the addon.

Each caller has an addon token, which an operator issues: \`gat_\` and 43 more characters. A public token belongs to nobody and can call what is open; a player's token identifies the player. A read-only token reads, and is refused every change with \`READ_ONLY\`: use one in web pages, where everybody can read the token.

Texts are untrusted: people wrote them, and a reason can be HTML. Show them as text (\`textContent\`, not \`innerHTML\`).

In reasons and in names of places a space is written \`-\`, in what is sent and in what is answered: show every \`-\` as a space, not only the first, and send back what you were given. Names and reasons that differ only in case are the same; the first spelling is kept, and of players who are not registered the latest. A player is named by the game name or by the game UUID, with or without dashes; a UUID is answered without.

The names of groups come from the data of the service: a client reads them as a map, and an operator keeps the shipped names, since a typed client can break on others. A player's \`version\` is null unless the token was issued with \`--addon-version\` or the client sends its \`User-Agent\`, such as \`gameaddon/2.5.1\`.

The answer to an operation that counts is remembered under its \`Idempotency-Key\` for 24 hours, of each caller for the last 1,000 keys and of all callers for the last 100,000.`;

/** What is behind the first segment of a path. */
const resources = {
  statistic: "Statistics of players, and the top list.",
  player: "Addon groups and their members.",
  targetlist: "Players who are to be done, and those who are.",
  blacklistreason: "The reasons for which a faction blacklists players. Each faction has its own.",
  houseban: "Players who are banned from the house, for how long and for what.",
  housebanreason: "The reasons for which players can be banned from the house.",
  navipoint: "Places that have a name.",
  wantedreason: "The reasons for which players are wanted, and their points.",
  mgmt: "The addon's clients and versions.",
  event: "What is going on in the game right now.",
  bundle: "All lists at once, for the start of an addon.",
};

const packageSchema = v.object({ version: v.string(), license: v.string() });

let known: DescriptionOptions | undefined;

/** See the head of this file. */
export function descriptionOptions(): DescriptionOptions {
  known ??= readOptions();
  return known;
}

function readOptions(): DescriptionOptions {
  const { version, license } = v.parse(
    packageSchema,
    JSON.parse(readFileSync(packaged("package.json"), "utf8")),
  );
  return {
    info: {
      title: "Game-addon data service",
      description: introduction,
      license: { name: license, identifier: license },
      version,
    },
    tokenPattern: `^${tokenInText.source}$`,
    resources,
  };
}
