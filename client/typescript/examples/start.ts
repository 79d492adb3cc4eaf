/**
 * An addon at the start of the game: fetches all lists in one call, adds a kill, and shows the player why a change is
 * refused.
 *
 *   GAMEADDON_TOKEN=gat_… node start.js http://127.0.0.1:8888 Ada
 */
import process from "node:process";
import { GameAddonClient, GameAddonError, GameAddonNetworkError, withSpaces } from "gameaddon-client";

const [, , baseUrl, player] = process.argv;
const token = process.env.GAMEADDON_TOKEN;
if (baseUrl === undefined || player === undefined || token === undefined) {
  console.error("Usage: GAMEADDON_TOKEN=<token> node start.js <base-url> <player>");
  process.exit(2);
}
const client = new GameAddonClient({ baseUrl, token, addonVersion: "2.5.1" });

try {
  const lists = await client.get("/bundle");
  console.log(`Lists: ${Object.keys(lists).join(", ")}`);
  for (const { reason, points } of lists.wantedreason ?? []) {
    console.log(`  ${withSpaces(reason)}: ${points} points`);
  }
  for (const { name, expirationTime } of lists.houseban ?? []) {
    console.log(`  ${name} is banned until ${new Date(expirationTime).toISOString()}`);
  }
  // Repeated until it arrives, and counted once.
  const { info } = await client.get("/statistic/{player}/add", { path: { player }, query: { type: "KILL" } });
  console.log(info);
  // Refused: only for members of the group TARGETLIST, for whom no such player is on the list.
  await client.get("/targetlist/done", { query: { name: "Nobody" } });
} catch (error) {
  if (error instanceof GameAddonError) console.log(`Refused (${error.code}): ${error.info}`);
  else if (error instanceof GameAddonNetworkError)
    console.log(`The service is unreachable: ${error.message}`);
  else throw error;
}
