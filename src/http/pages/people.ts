/** The pages of people: the top list, a player, and the team. */
import * as v from "valibot";
import { fold } from "../../domain/text.ts";
import { measuresOf } from "../../resources/ranking.ts";
import { activityChart } from "./chart.ts";
import { type Markup, markup } from "./markup.ts";
import type { Site } from "./site.ts";
import { counterLabel, labelOf, texts } from "./texts.ts";
import type { View } from "./view.ts";

const topSchema = v.record(v.string(), v.array(v.object({ name: v.string(), value: v.number() })));

/** Returns the label of a category: that of a counter, or of both counters of a ratio. */
function categoryLabel({ table: { declared } }: Site, name: string): string {
  const ofCounter = (counter = "") => {
    const found = declared.statistics.find((known) => known.counter === counter);
    return found === undefined ? labelOf(counter) : counterLabel(found);
  };
  const ratio = declared.ratios.find((known) => known.name === name);
  return ratio === undefined
    ? ofCounter(name)
    : `${ofCounter(ratio.counters[0])} / ${ofCounter(ratio.counters[1])}`;
}

/** The best players, and what was counted day by day. */
export const top: View = {
  // The chart changes while the answer does not.
  cachedFor: 1_000,
  show(answer, site) {
    const categories = Object.entries(v.parse(topSchema, answer)).map(([name, players]) => {
      const rows = players.map(
        (
          player,
          index,
        ) => markup`<tr><td class="place">${index + 1}</td><th scope="row">${site.player(player.name)}</th>
<td class="bar" aria-hidden="true"><svg viewBox="0 0 100 1" preserveAspectRatio="none"><rect width="${Math.round((100 * player.value) / (players[0]?.value ?? 1))}" height="1"/></svg></td>
<td class="number">${site.number(player.value)}</td></tr>`,
      );
      const list =
        rows.length === 0
          ? markup`<p class="note">${texts.nobody}</p>`
          : markup`<table><tbody>${rows}</tbody></table>`;
      return markup`<section class="card"><h2>${categoryLabel(site, name)}</h2>${list}</section>`;
    });
    const { label, intro } = texts.top;
    return site.page(
      "/top",
      label,
      intro,
      markup`<div class="cards">${categories}</div>${activityChart(site)}`,
    );
  },
};

const playerSchema = v.object({
  name: v.string(),
  gameaddon: v.object({ groups: v.record(v.string(), v.boolean()) }),
  gameplay: v.record(v.string(), v.number()),
  faction: v.nullable(v.object({ name: v.string(), rank: v.number() })),
});

/** A player, found by name. */
export const player: View = {
  reads: ["name"],
  input: (query) => ({ player: query.get("name")?.trim() ?? "" }),
  show(answer, site, query) {
    const name = query.get("name")?.trim() ?? "";
    const { label, intro, search } = texts.player;
    const isKnown = answer !== undefined;
    const result = name === "" ? undefined : isKnown ? profile(site, answer) : similar(site, name);
    // Screen readers announce it.
    const found = name === "" || isKnown ? name : texts.player.unknown(name);
    return site.page(
      "/player",
      label,
      intro,
      markup`${site.search("name", search, name, found)}<div id="results">${result}</div>`,
    );
  },
};

function similar(site: Site, name: string): Markup | undefined {
  const names = site.names.like(name).map((known) => markup`<li>${site.player(known)}</li>`);
  return names.length === 0
    ? undefined
    : markup`<section><h2>${texts.player.similar}</h2><ul class="chips">${names}</ul></section>`;
}

function profile(site: Site, answer: unknown): Markup {
  const { name, gameaddon, gameplay, faction } = v.parse(playerSchema, answer);
  const places = site.data.sources.ranking.placesOf(name);
  const counters = measuresOf(site.table.declared).map(({ name: category }) => {
    const place = places[category];
    const rank =
      place === undefined
        ? undefined
        : markup`<dd class="rank">${texts.player.rank(site.number(place))}</dd>`;
    return markup`<div class="card"><dt>${categoryLabel(site, category)}</dt><dd class="value">${site.number(gameplay[category] ?? 0)}</dd>${rank}</div>`;
  });
  const groups = Object.keys(gameaddon.groups).filter(
    (group) => gameaddon.groups[group] && group !== site.table.excludedGroup,
  );
  const member =
    faction === null
      ? undefined
      : markup`<p class="intro">${texts.player.member(faction.name, site.number(faction.rank))}</p>`;
  const chips =
    groups.length === 0
      ? undefined
      : markup`<h3>${texts.player.groups}</h3><ul class="chips">${groups.map((group) => markup`<li>${group}</li>`)}</ul>`;
  return markup`<article><h2>${name}</h2>${member}<dl class="cards small">${counters}</dl>${chips}</article>`;
}

const teamSchema = v.record(
  v.string(),
  v.array(v.object({ name: v.string(), uuid: v.nullable(v.string()) })),
);

/** How many members of a group the page shows. */
const mostMembers = 300;

/** The groups and their members, except for those who are excluded. */
export const team: View = {
  cachedFor: 60_000,
  show(answer, site) {
    const { excludedGroup = "" } = site.table;
    const { [excludedGroup]: excluded = [], ...groups } = v.parse(teamSchema, answer);
    const idOf = ({ name, uuid }: (typeof excluded)[number]) => uuid ?? fold(name);
    const isExcluded = new Set(excluded.map(idOf));
    const sections = Object.entries(groups).map(([group, members]) => {
      const visible = members.filter((member) => !isExcluded.has(idOf(member)));
      const names = visible.slice(0, mostMembers).map(({ name }) => markup`<li>${site.player(name)}</li>`);
      const list =
        names.length === 0
          ? markup`<p class="note">${texts.nobody}</p>`
          : markup`<ul class="chips">${names}</ul>`;
      const more = visible.length - names.length;
      const cut = more === 0 ? undefined : markup`<p class="note">${texts.team.more(site.number(more))}</p>`;
      return markup`<section class="card"><h2>${group}</h2>${list}${cut}</section>`;
    });
    return site.page(
      "/team",
      texts.team.label,
      texts.team.intro,
      markup`<div class="cards">${sections}</div>`,
    );
  },
};
