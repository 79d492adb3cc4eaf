/** What all pages share: their frame, links between them, and numbers and times as the table's language writes them. */
import { capitalised, fold, pluralOf } from "../../domain/text.ts";
import { encodeText } from "../../engine/router.ts";
import type { OperationContext } from "../../operations.ts";
import { PlayerNames } from "../../resources/player-names.ts";
import { pageFiles } from "../../table/pages.ts";
import type { Table } from "../../table/table.ts";
import { type Markup, markup } from "./markup.ts";
import { labelOf, textLanguage, texts } from "./texts.ts";

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

export class Site {
  readonly table: Table;
  readonly data: OperationContext;
  readonly names: PlayerNames;
  readonly title: string;
  readonly #numbers: Intl.NumberFormat;
  readonly #days: Intl.DateTimeFormat;
  readonly #instants: Intl.DateTimeFormat;
  readonly #spans: Intl.RelativeTimeFormat;

  /** @param data what pages show beside the answers of operations */
  constructor(table: Table, data: OperationContext) {
    const { language, title = texts.title } = table;
    [this.table, this.data, this.title] = [table, data, title];
    this.names = new PlayerNames(data.store.data.players);
    this.#numbers = new Intl.NumberFormat(language);
    this.#days = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
    const instant = { dateStyle: "medium", timeStyle: "long", timeZone: "UTC" } as const;
    this.#instants = new Intl.DateTimeFormat(language, instant);
    this.#spans = new Intl.RelativeTimeFormat(language);
  }

  number(value: number): string {
    return this.#numbers.format(value);
  }

  day(instant: number): string {
    return this.#days.format(instant);
  }

  /** Returns an instant: one to come as the time until then, another as its day; in full where it is pointed at. */
  time(instant: number): Markup {
    const ahead = instant - this.data.now();
    const [unit, length] = units.find(([, least]) => ahead >= least) ?? ["minute", 60_000];
    const words = ahead > 0 ? this.#spans.format(Math.ceil(ahead / length), unit) : this.day(instant);
    const full = this.#instants.format(instant);
    return markup`<time datetime="${new Date(instant).toISOString()}" title="${full}">${words}</time>`;
  }

  /** Returns the colour of a faction or service as CSS, such as `#2e9e4f`, if it has one. */
  colorOf(name: string): string | undefined {
    const { names } = this.data.store.data;
    const colors = (["faction", "service"] as const).map((kind) => names.get(`${kind}/${fold(name)}`)?.color);
    return colors.find((color) => color !== undefined);
  }

  /** Returns a player's name, with a link if there is a page of players. */
  player(name: string): Markup {
    if (!this.table.pages.some((page) => page.name === "player")) return markup`${name}`;
    return markup`<a href="/player?name=${encodeText(name)}">${name}</a>`;
  }

  /** Returns the pages that the table declares, each with its label. */
  links(): { readonly path: string; readonly label: string; readonly about: string }[] {
    const { pages, declared } = this.table;
    return pages.map(({ path, name, list }) => {
      if (name === "overlay" && declared.scores.length > 1)
        return { path, ...texts[name], label: texts[name].heading(labelOf(path.replace(/.*\//, ""))) };
      if (name !== "list") return { path, ...texts[name] };
      const { title = "", description = "" } = list ?? {};
      const label = path === "/wanted" ? texts.list.wanted : capitalised(pluralOf(title));
      return { path, label, about: description };
    });
  }

  /** Returns a whole page. @param path the path of the page */
  page(path: string, heading: string, intro: string | undefined, content: Markup): Markup {
    const links = this.links().map(({ path: to, label }) =>
      to === path
        ? markup`<a href="${to}" aria-current="page">${label}</a>`
        : markup`<a href="${to}">${label}</a>`,
    );
    return this.document(
      heading === this.title ? heading : `${heading} – ${this.title}`,
      "page",
      markup`<body>
<a class="skip" href="#content">${texts.skip}</a>
<header><a class="name" href="/">${this.title}</a><nav aria-label="${texts.pages}">${links}</nav></header>
<main id="content">
<h1>${heading}</h1>
${intro && markup`<p class="intro">${intro}</p>`}
${content}
</main>
</body>`,
    );
  }

  /** Returns a form that searches. @param found how many were found */
  search(name: string, label: string, value: string, found = ""): Markup {
    return markup`<form role="search" class="search"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="search" value="${value}" maxlength="64" autocomplete="off" spellcheck="false"><button>${texts.find}</button><output>${found}</output></form>`;
  }

  /** Returns a document around a body. @param kind the name of its style and its script */
  document(title: string, kind: "page" | "overlay", body: Markup): Markup {
    return markup`<!doctype html>
<html lang="${textLanguage}" data-language="${this.table.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${pageFiles}/${kind}.css">
<script type="module" src="${pageFiles}/${kind}.js"></script>
</head>
${body}
</html>
`;
  }
}
