/**
 * Posts gang wars, bank robberies, bombs and changes of the wanted list to a channel of Discord, through a webhook of the
 * channel. It needs no right in the service: issue it a read-only token with `addon-cli token issue --public --read-only`.
 *
 *   GAMEADDON_TOKEN=gat_… DISCORD_WEBHOOK=https://discord.com/api/webhooks/… node bot.js https://addon.example.org
 */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import {
  GameAddonClient,
  GameAddonError,
  GameAddonNetworkError,
  type Result,
  withSpaces,
} from "gameaddon-client";

const [, , baseUrl] = process.argv;
const { GAMEADDON_TOKEN: token, DISCORD_WEBHOOK: webhook } = process.env;
if (baseUrl === undefined || token === undefined || webhook === undefined) {
  console.error("Usage: GAMEADDON_TOKEN=<token> DISCORD_WEBHOOK=<URL> node bot.js <base-url>");
  process.exit(2);
}
const client = new GameAddonClient({ baseUrl, token });
/** The most characters that Discord accepts in a message. */
const longest = 2000;
/** After so many, with pauses of over eight minutes in all, a message is old news. */
const mostAttempts = 10;

let known: Result<"/event"> | undefined;
let wanted: ReadonlyMap<string, number> = new Map();

try {
  wanted = await getWanted();
  for await (const news of client.watch()) {
    if (news.type === "event") {
      // The list may have changed before the stream was open.
      if (known === undefined) await tellWanted();
      await tellEvents(news.event);
    } else if (news.type === "missed" || news.resources.includes("wantedreason")) {
      // After `missed`, anything may have changed. The client sends the ETag: an unchanged list costs next to nothing.
      await tellWanted();
    }
  }
} catch (error) {
  // Such as a token that was revoked: there is no point in trying again.
  if (error instanceof GameAddonError) console.error(`The service refuses (${error.code}): ${error.info}`);
  // At the start, the service may be away for longer than the client tries again: start the bot again later.
  else if (error instanceof GameAddonNetworkError) console.error(error.message);
  else throw error;
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

async function getWanted(): Promise<ReadonlyMap<string, number>> {
  return new Map((await client.get("/wantedreason")).map(({ reason, points }) => [reason, points]));
}

async function tellWanted(): Promise<void> {
  const now = await getWanted().catch((error: unknown) => {
    const isAway = error instanceof GameAddonError && (error.status === 429 || error.status >= 500);
    if (!isAway && !(error instanceof GameAddonNetworkError)) throw error;
    // What has changed is posted with the next change, or when the stream begins again.
    return wanted;
  });
  const added = [...now].filter(([reason, points]) => wanted.get(reason) !== points);
  const removed = [...wanted.keys()].filter((reason) => !now.has(reason));
  wanted = now;
  const lines = [
    ...added.map(([reason, points]) => `🚓 ${plain(reason)}: ${points} points`),
    ...removed.map((reason) => `~~${plain(reason)}~~`),
  ];
  let message = "";
  for (const line of lines) {
    const longer = message === "" ? line : `${message}\n${line}`;
    if (longer.length > longest) await post(message);
    message = longer.length > longest ? line : longer;
  }
  if (message !== "") await post(message);
}

/** Returns an instant that Discord shows in the reader's time zone. */
function at(instant: number): string {
  return `<t:${Math.floor(instant / 1000)}:R>`;
}

/** Returns a text of a player, in which Discord finds no markup. */
function plain(text: string): string {
  return withSpaces(text).replace(/[\\*_~`|>#[\]()<@:-]/g, "\\$&");
}

/** Posts a message. Meanwhile the news of the service become one. */
async function post(content: string): Promise<void> {
  const body = JSON.stringify({ content, allowed_mentions: { parse: [] } });
  const headers = { "Content-Type": "application/json" };
  for (let attempt = 1; ; attempt += 1) {
    const signal = AbortSignal.timeout(10_000);
    // The webhook's address is a secret: the errors of `fetch` contain it.
    const answer = await fetch(String(webhook), { method: "POST", headers, body, signal }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
    console.error(answer === undefined ? "Discord cannot be reached." : `Discord answered ${answer.status}.`);
    const isTemporary = answer === undefined || answer.status === 429 || answer.status >= 500;
    if (!isTemporary || attempt === mostAttempts) return;
    // In seconds; at most an hour, and without one twice as long each time.
    const asked = Number(answer?.headers.get("retry-after")) || 2 ** (attempt - 1);
    await sleep(Math.min(asked, 3600) * 1000);
  }
}
