/**
 * Posts gang wars, bank robberies, bombs and changes of the wanted list to a channel of Discord, through a webhook of the
 * channel. It needs no right in the service: issue it a read-only token with `addon-cli token issue --public --read-only`.
 *
 *   GAMEADDON_TOKEN=gat_… DISCORD_WEBHOOK=https://discord.com/api/webhooks/… node bot.js https://addon.example.org
 */
import process from "node:process";
import { GameAddonClient, GameAddonError, type Result, withSpaces } from "gameaddon-client";

const [, , baseUrl] = process.argv;
const { GAMEADDON_TOKEN: token, DISCORD_WEBHOOK: webhook } = process.env;
if (baseUrl === undefined || token === undefined || webhook === undefined) {
  console.error("Usage: GAMEADDON_TOKEN=<token> DISCORD_WEBHOOK=<URL> node bot.js <base-url>");
  process.exit(2);
}
const client = new GameAddonClient({ baseUrl, token });

let known: Result<"/event"> | undefined;
let wanted = new Map((await client.get("/wantedreason")).map(({ reason, points }) => [reason, points]));

try {
  for await (const news of client.watch()) {
    if (news.type === "event") await tellEvents(news.event);
    // After `missed`, anything may have changed. The client sends the ETag: an unchanged list costs next to nothing.
    else if (news.type === "missed" || news.resources.includes("wantedreason")) await tellWanted();
  }
} catch (error) {
  // Such as a token that was revoked: there is no point in trying again.
  if (!(error instanceof GameAddonError)) throw error;
  console.error(`The service refuses (${error.code}): ${error.info}`);
  process.exitCode = 1;
}

/** Posts what differs from the events before. The first ones are old news. */
async function tellEvents(event: Result<"/event">): Promise<void> {
  const { attacker, defender } = event.gangwar;
  const before = known ?? event;
  known = event;
  if (attacker !== before.gangwar.attacker || defender !== before.gangwar.defender)
    await post(`⚔️ Gang war: **${attacker} : ${defender}**`);
  if (event.bankRob !== null && event.bankRob !== before.bankRob)
    await post(`🏦 Bank robbery ${at(event.bankRob)}`);
  if (event.bomb !== null && event.bomb !== before.bomb) await post(`💣 Bomb ${at(event.bomb)}`);
}

async function tellWanted(): Promise<void> {
  const now = new Map((await client.get("/wantedreason")).map(({ reason, points }) => [reason, points]));
  const added = [...now].filter(([reason, points]) => wanted.get(reason) !== points);
  const removed = [...wanted.keys()].filter((reason) => !now.has(reason));
  wanted = now;
  const lines = [
    ...added.map(([reason, points]) => `🚓 ${plain(reason)}: ${points} points`),
    ...removed.map((reason) => `~~${plain(reason)}~~`),
  ];
  for (let first = 0; first < lines.length; first += 20)
    await post(lines.slice(first, first + 20).join("\n"));
}

/** Returns an instant that Discord shows in the reader's time zone. */
function at(instant: number): string {
  return `<t:${Math.floor(instant / 1000)}:R>`;
}

/** Returns a text of a player, in which Discord finds no markup. */
function plain(text: string): string {
  return withSpaces(text).replace(/[\\*_~`|>#[\]()<@:-]/g, "\\$&");
}

async function post(content: string): Promise<void> {
  const body = JSON.stringify({ content, allowed_mentions: { parse: [] } });
  const headers = { "Content-Type": "application/json" };
  // The webhook's address is a secret: the errors of `fetch` contain it.
  const answer = await fetch(String(webhook), { method: "POST", headers, body }).catch(() => undefined);
  if (answer === undefined) console.error("Discord cannot be reached.");
  else if (!answer.ok) console.error(`Discord answered ${answer.status}.`);
}
