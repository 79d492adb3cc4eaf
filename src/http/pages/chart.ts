/** What was counted on each of the last days, drawn as bars. Each bar has its value, for whoever points at it. */

import { type Markup, markup } from "./markup.ts";
import type { Site } from "./site.ts";
import { counterLabel, texts } from "./texts.ts";

/** The height of a chart, and the width of a day, in units of its picture. */
const [height, step] = [40, 4];

/** Returns a chart of each statistic that was counted, and a table of all of them; nothing before the first count. */
export function activityChart(site: Site): Markup {
  const { activity, now } = site.data;
  const series = site.table.declared.statistics
    .map((statistic) => ({
      label: counterLabel(statistic),
      days: activity.totalsOf(statistic.counter, now()),
    }))
    .filter(({ days }) => days.some(({ value }) => value > 0));
  const [first] = series;
  if (first === undefined) return markup``;
  const rows = first.days.map(({ day }, index) => {
    const cells = series.map(
      ({ days }) => markup`<td class="number">${site.number(days[index]?.value ?? 0)}</td>`,
    );
    return markup`<tr><th scope="row">${site.day(day)}</th>${cells}</tr>`;
  });
  return markup`<section><h2>${texts.top.activity}</h2>
<p class="intro">${texts.top.activityIntro(site.number(first.days.length))}</p>
<div class="cards">${series.map(({ label, days }) => chart(site, label, days))}</div>
<details><summary>${texts.top.table}</summary><div class="scroll" tabindex="0" role="region" aria-label="${texts.top.activity}"><table>
<thead><tr><th scope="col">${texts.top.day}</th>${series.map(({ label }) => markup`<th scope="col" class="number">${label}</th>`)}</tr></thead>
<tbody>${rows.toReversed()}</tbody>
</table></div></details></section>`;
}

function chart(
  site: Site,
  label: string,
  days: readonly { readonly day: number; readonly value: number }[],
): Markup {
  const highest = Math.max(...days.map(({ value }) => value));
  const total = site.number(days.reduce((sum, { value }) => sum + value, 0));
  const bars = days.map(({ day, value }, index) => {
    const length = (value / highest) * height;
    const [x, y] = [index * step, (height - length).toFixed(2)];
    return markup`<g><title>${site.day(day)}: ${site.number(value)}</title><rect x="${x}" width="${step}" height="${height}"/><rect class="bar" x="${x + 0.5}" y="${y}" width="${step - 1}" height="${length.toFixed(2)}"/></g>`;
  });
  const words = texts.top.chart(label, total);
  return markup`<figure class="card"><figcaption><h3>${label}</h3> ${total}</figcaption>
<svg class="chart" role="img" aria-label="${words}" viewBox="0 0 ${days.length * step} ${height}" preserveAspectRatio="none">${bars}</svg>
<p class="ends"><span>${site.day(days[0]?.day ?? 0)}</span><span>${site.day(days.at(-1)?.day ?? 0)}</span></p></figure>`;
}
