/** The start page for people, and the overlay for streams. */
import * as v from "valibot";
import type { TablePage } from "../../table/pages.ts";
import { descriptionPath } from "../description-pages.ts";
import { docsPath } from "../docs-page.ts";
import { type Markup, markup } from "./markup.ts";
import type { Site } from "./site.ts";
import { labelOf, readable, texts } from "./texts.ts";
import type { View } from "./view.ts";

const overviewSchema = v.object({
  requests: v.number(),
  totalClients: v.number(),
  activeClients: v.number(),
  latestVersion: v.nullable(v.string()),
});

/** What this is, the latest version of the addon, and where to go. */
export const home: View = {
  show(answer, site) {
    const { requests, totalClients, activeClients, latestVersion } = v.parse(overviewSchema, answer);
    const words = texts.home;
    const facts = [
      [words.version, latestVersion ?? words.noVersion],
      [words.clients, site.number(totalClients)],
      [words.active, site.number(activeClients)],
      [words.requests, site.number(requests)],
    ].map(([name, value]) => markup`<div class="card"><dt>${name}</dt><dd class="value">${value}</dd></div>`);
    const pages = site
      .links()
      .filter(({ path }) => path !== "/")
      .map(
        ({ path, label, about }) =>
          markup`<a class="card" href="${path}"><strong>${label}</strong> ${about}</a>`,
      );
    const links = [
      [docsPath, words.documentation],
      [descriptionPath(site.table.prefix, "openapi.json"), "openapi.json"],
      [descriptionPath(site.table.prefix, "openapi.yaml"), "openapi.yaml"],
      [`${docsPath}/clients.md`, words.guide],
      [`${docsPath}/typescript-client.md`, words.typescript],
    ].map(([to, label]) => markup`<li><a href="${to}">${label}</a></li>`);
    return site.page(
      "/",
      site.title,
      words.intro,
      markup`<dl class="cards small">${facts}</dl><div class="cards">${pages}</div>
<section><h2>${words.developers}</h2><ul>${links}</ul></section>`,
    );
  },
};

/** The longest name of a team. */
const longestName = 40;

/** The parameters that name the teams, by the place of their side. */
const teams = "abcdefgh";

/** Returns the overlay of a score: the score for a stream or, without parameters, a form that builds its address. */
export function overlay({ path }: TablePage): View {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return {
    reads: "all",
    show(answer, site, query) {
      const sides = site.table.declared.scores.find((score) => score.name === name)?.sides ?? [];
      if (query.size === 0) return overlayForm(path, name, sides, site);
      const { [name]: score } = v.parse(v.record(v.string(), v.unknown()), answer);
      const values = v.parse(v.record(v.string(), v.number()), score);
      const parts = sides.map((side, index) => {
        const team = Array.from(query.get(teams[index] ?? "") || labelOf(side))
          .slice(0, longestName)
          .join("");
        const color = site.colorOf(team);
        const stripe =
          color &&
          markup`<svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><rect width="1" height="1" fill="${color}"/></svg>`;
        return markup`<div class="side">${stripe}<span class="team">${readable(team)}</span><b data-side="${side}">${values[side] ?? 0}</b></div>`;
      });
      const heading = texts.overlay.heading(labelOf(name));
      const theme = query.get("theme") === "light" ? "light" : "dark";
      const content = markup`<body class="${theme}"><main><h1>${heading}</h1>
<div role="status">${parts}<i hidden title="${texts.overlay.lost}"></i></div></main></body>`;
      return site.document(heading, "overlay", content);
    },
  };
}

function overlayForm(path: string, name: string, sides: readonly string[], site: Site): Markup {
  const words = texts.overlay;
  const options = site.data
    .vocabulary()
    .faction.map((faction) => markup`<option value="${faction}"></option>`);
  const fields = sides.map((side, index) => {
    const id = teams[index];
    return markup`<p><label for="${id}">${words.team(labelOf(side))}</label><input id="${id}" name="${id}" list="teams" maxlength="${longestName}" placeholder="${labelOf(side)}"></p>`;
  });
  const themes = Object.entries(words.themes).map(
    ([value, label]) => markup`<option value="${value}">${label}</option>`,
  );
  return site.page(
    path,
    words.heading(labelOf(name)),
    words.intro,
    markup`<form class="fields">${fields}<p><label for="theme">${words.theme}</label><select id="theme" name="theme">${themes}</select></p>
<datalist id="teams">${options}</datalist><button>${words.open}</button></form><p class="note">${words.recipe}</p>`,
  );
}
