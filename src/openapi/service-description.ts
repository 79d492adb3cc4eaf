/** What the description of the interface has besides the route table: texts about the service, its tokens and resources. */
/** Of a table without a title. */
export const title = "Game-addon data service";

/** In Markdown; what is common to every table follows it. */
export const introduction = `Shared community data for the client addon of a multiplayer game.

Each caller has an addon token, which an operator issues: \`gat_\` and 43 more characters. A public token belongs to nobody and can call operations that are open to everyone; a player's token identifies the player. A read-only token can only read, and every change with it is refused (\`READ_ONLY\`): use one in web pages, where everybody can see the token.

Texts are untrusted input, which can contain HTML. Show them as text (\`textContent\`, not \`innerHTML\`).

Texts have \`-\` for each space, in requests and in answers: show every \`-\` as a space, not only the first, and send texts back unchanged. Names and texts that differ only in case are the same; the service keeps the first spelling, or of players who are not registered the latest. Players are named by their game name or game UUID, with or without dashes; answers have UUIDs without dashes.

The names of groups come from the data of the service. Clients should read them as a map, and operators should keep them, since a typed client can fail with others. A player's \`version\` is null unless the token was issued with \`--addon-version\` or the client sends its \`User-Agent\`.

The service remembers the answer to an operation that counts by its \`Idempotency-Key\` for 24 hours, for the last 1,000 keys of each caller and the last 100,000 of all callers.`;

/** Of the resources that are code, by the first segment of a path. */
export const resources: ReadonlyMap<string, string> = new Map(
  Object.entries({
    statistic: "Statistics of players, and the top list.",
    player: "Addon groups and their members.",
    targetlist: "Targets: players to be done, and players who are done.",
    houseban: "Players whom the rescue service bars from its premises, why, and until when.",
    mgmt: "The addon's clients and versions.",
    event: "Current events in the game.",
    token: "How the client of an invited player gets a token.",
    stream: "What has changed, as it changes.",
    bundle: "All lists at once, for the start of a client.",
  }),
);
