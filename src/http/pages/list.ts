/** Pages of lists: a table to search and to sort, and its rows as CSV and JSON. That of house bans is one of them. */
import * as v from "valibot";
import { DerivedCache } from "../../domain/derived-cache.ts";
import { capitalised, comparisonForm, escapeFormulas, pluralOf } from "../../domain/text.ts";
import type { Field } from "../../table/declared/lists.ts";
import type { TablePage } from "../../table/pages.ts";
import { type Markup, markup } from "./markup.ts";
import type { Site } from "./site.ts";
import { labelOf, readable, texts } from "./texts.ts";
import type { View } from "./view.ts";

/** The most rows that a page shows: each search of a stranger costs their markup. */
const mostRows = 300;
/** As long as the times until something ends are right, in milliseconds. */
const cachedFor = 60_000;

/** A column: its field in a row, its label, and what it has. */
interface Column {
  readonly name: string;
  readonly label: string;
  readonly kind: string;
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of an answer, and the texts in which a search looks, one of each row. */
interface Content {
  readonly rows: readonly Row[];
  readonly texts: () => readonly string[];
}
/** Of an answer of ours: to check each field of 50,000 rows would take longer than to read them. */
const rowsSchema = v.array(v.custom<Row>(() => true));

const banColumns = [
  { name: "name", label: texts.housebans.player, kind: "player" },
  { name: "reasons", label: texts.housebans.reasons, kind: "text" },
  { name: "startTime", label: texts.housebans.since, kind: "instant" },
  { name: "expirationTime", label: texts.housebans.ends, kind: "instant" },
];
const reasonsSchema = v.array(v.object({ reason: v.string() }));

function toBanRow({ houseBanReasonList, ...ban }: Row): Row {
  const reasons = v.parse(reasonsSchema, houseBanReasonList).map(({ reason }) => reason);
  return { ...ban, reasons: reasons.join(", ") };
}

function toColumn({ name, type, refersTo }: Field): Column {
  return { name, label: labelOf(name), kind: refersTo === "player" ? refersTo : type.base };
}

/** Returns the page of a list, and its files. */
export function listViews(page: TablePage): [path: string, view: View][] {
  const { path, list } = page;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const columns = list?.fields.map(toColumn) ?? banColumns;
  // Reading a list of 50,000 rows takes 0.2 s, which each search of a stranger would cost.
  const contents = new DerivedCache<Content>(1);
  const contentOf = (answer: object | undefined) =>
    contents.get(path, [answer], () => {
      const parsed = v.parse(rowsSchema, answer);
      const rows = list === undefined ? parsed.map(toBanRow) : parsed;
      let texts: string[] | undefined;
      const textOf = (row: Row) => comparisonForm(columns.map((column) => row[column.name] ?? "").join("\n"));
      return { rows, texts: () => (texts ??= rows.map(textOf).map(readable)) };
    });
  const file = (
    ending: string,
    type: string,
    write: (answer: object | undefined) => string,
  ): [string, View] => [
    `${path}.${ending}`,
    { cachedFor, show: (answer) => ({ type, name: `${name}.${ending}`, text: write(answer) }) },
  ];
  const show: View["show"] = (answer, site, query) =>
    listPage(page, columns, contentOf(answer), site, query.get("q") ?? "");
  return [
    [path, { reads: ["q"], cachedFor, show }],
    file("csv", "text/csv", (answer) => toCSV(columns, contentOf(answer).rows)),
    file("json", "application/json", JSON.stringify),
  ];
}

function listPage(
  { path, list }: TablePage,
  columns: readonly Column[],
  { rows, texts: textsOf }: Content,
  site: Site,
  search: string,
): Markup {
  const { label, intro } = texts.housebans;
  const heading = list === undefined ? label : capitalised(pluralOf(list.title));
  const wanted = comparisonForm(readable(search)).trim();
  const found = wanted === "" ? rows : rows.filter((_, index) => textsOf()[index]?.includes(wanted));
  const shown = found.slice(0, mostRows).map((row) => {
    return markup`<tr>${columns.map(({ name, kind }) => cell(site, kind, row[name]))}</tr>`;
  });
  const heads = columns.map((column) => markup`<th scope="col" class="${column.kind}">${column.label}</th>`);
  const none = rows.length > 0 ? texts.list.none : texts.list.nothing;
  const results = markup`<div class="scroll" tabindex="0" role="region" aria-label="${heading}"><table class="sortable">
<thead><tr>${heads}</tr></thead>
<tbody>${shown}</tbody>
</table></div>`;
  const cut = markup`<p class="note">${texts.list.cut(site.number(mostRows))}</p>`;
  const counts = texts.list.matches(site.number(found.length), site.number(rows.length));
  return site.page(
    path,
    heading,
    list === undefined ? intro : list.description,
    markup`${site.search("q", texts.list.search, search, counts)}
<p class="note">${texts.list.download} <a href="${path}.csv" download>CSV</a> <a href="${path}.json" download>JSON</a></p>
<div id="results">${shown.length > 0 ? results : markup`<p class="empty">${none}</p>`}${found.length > mostRows ? cut : undefined}</div>`,
  );
}

function cell(site: Site, kind: string, value: unknown): Markup {
  if (typeof value === "number") {
    const shown = kind === "instant" ? site.time(value) : site.number(value);
    return markup`<td class="${kind}" data-value="${value}">${shown}</td>`;
  }
  const text = String(value ?? "");
  if (kind === "player") return markup`<td>${site.player(text)}</td>`;
  return markup`<td>${kind === "text" ? readable(text) : text}</td>`;
}

/** Returns rows as CSV, without formulas. */
function toCSV(columns: readonly Column[], rows: readonly Row[]): string {
  const written = (value: unknown, kind: string) => {
    // No parameter has a year beyond 9999, but milliseconds.
    const isDate = typeof value === "number" && kind === "instant" && value < Date.UTC(10_000, 0);
    if (typeof value === "number") return isDate ? new Date(value).toISOString() : String(value);
    return `"${escapeFormulas(String(value ?? "")).replaceAll('"', '""')}"`;
  };
  const lines = rows.map((row) => columns.map(({ name, kind }) => written(row[name], kind)).join(","));
  return `${[columns.map(({ name }) => name).join(","), ...lines].join("\r\n")}\r\n`;
}
