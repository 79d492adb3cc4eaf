/** All texts of the pages. Texts about statistics, lists and scores are those of the route table. */
import { capitalised } from "../../domain/text.ts";

/** The language of the texts. Numbers, dates and orders are those of the table's language. */
export const textLanguage = "en";

export const texts = {
  title: "Game-addon data service",
  skip: "Skip to the content",
  pages: "Pages",
  nobody: "Nobody yet.",
  find: "Search",
  home: {
    label: "Home",
    about: "",
    intro: "What the players of our community share through their addon, live from the game.",
    version: "Latest addon version",
    noVersion: "–",
    clients: "Players with the addon",
    active: "Active in the last 3 days",
    requests: "Requests answered",
    developers: "For developers",
    documentation: "Documentation: every operation, to read and to try",
    guide: "Writing a client",
    typescript: "TypeScript client",
  },
  overlay: {
    label: "Overlay",
    about: "The live score for your stream.",
    heading: (score: string) => `Overlay: ${score}`,
    intro: "The live score for a stream, on a transparent background.",
    team: (side: string) => `Name of the ${side}`,
    theme: "Background of the stream",
    themes: { dark: "Dark", light: "Light" },
    open: "Open the overlay",
    recipe: "Copy the address of the page that opens into a browser source of OBS, 800 wide and 200 high.",
    lost: "Not live at the moment",
  },
  top: {
    label: "Top list",
    about: "The best players, and what happened day by day.",
    intro: "The best players in each category.",
    activity: "Activity",
    activityIntro: (days: string) => `What was counted on each of the last ${days} days (UTC).`,
    table: "The same as a table",
    day: "Day",
    chart: (counter: string, total: string) => `${counter} a day: ${total} in total.`,
  },
  player: {
    label: "Players",
    about: "Counters, places and groups of a player.",
    intro: "Look up a player by name.",
    search: "Name of a player",
    unknown: (name: string) => `No player is called ${name}.`,
    similar: "Players with similar names",
    rank: (place: string) => `Place ${place}`,
    member: (name: string, rank: string) => `${name}, rank ${rank}`,
    groups: "Groups",
  },
  housebans: {
    label: "House bans",
    about: "Who is barred, why, and until when.",
    intro: "Players whom the rescue service bars from its premises.",
    player: "Player",
    reasons: "Reasons",
    since: "Since",
    ends: "Ends",
  },
  team: {
    label: "Team",
    about: "Who belongs to which group.",
    intro: "The groups of our community and their members.",
    more: (count: string) => `And ${count} more.`,
  },
  list: {
    wanted: "Wanted",
    search: "Search",
    nothing: "Nothing here yet.",
    matches: (shown: string, all: string) => `${shown} of ${all}`,
    cut: (most: string) =>
      `Only the first ${most} are shown, and sorting orders only these. Search, or download all.`,
    none: "Nothing matches.",
    download: "Download",
  },
};

/** Returns the name of something that a table declares, such as `playTime`, as a label. */
export function labelOf(name: string): string {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return capitalised(words);
}

/** Returns the label of a counter: its description "The number of kills." without what all begin with. */
export function counterLabel({ description }: { readonly description: string }): string {
  return capitalised(description.replace(/^The (?:number of )?/, "").replace(/\.$/, ""));
}

/** Returns a stored text as people read it: it has `-` for each space. One of nothing else stays, and can be seen. */
export function readable(text: string): string {
  return /[^-]/.test(text) ? text.replaceAll("-", " ") : text;
}
