/**
 * The plot of cost over size, as SVG written by hand: the time of requests, the time of a start, and memory, each over
 * the number of players. Both axes are logarithmic: what stays the same is a flat line, what grows with the data rises
 * by the same slope. It has a background of its own, so that it can be read on a light and on a dark page.
 */
import { quantity } from "../report/quantity.ts";
import type { Cost } from "./main.ts";

const ink = "#24292f";
const faint = "#d8dee4";
const muted = "#57606a";

/** Colours that people who see few of them can tell apart, and marks besides, as paths around their middle. */
const looks = [
  { colour: "#0072b2", mark: "M-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0z" },
  { colour: "#d55e00", mark: "M-3,-3h6v6h-6z" },
  { colour: "#009e73", mark: "M0,-4.5l4.5,4.5l-4.5,4.5l-4.5,-4.5z" },
  { colour: "#cc79a7", mark: "M0,-4l4,7h-8z" },
  { colour: "#7a5c00", mark: "M-4,-4l8,8m0,-8l-8,8" },
] as const;
type Look = (typeof looks)[number];

const width = 980;
const top = 64;
const bottom = 330;

interface Panel {
  readonly title: string;
  readonly left: number;
  readonly right: number;
  readonly costs: readonly Cost[];
}

/** Draws the costs. */
export function plot(costs: readonly Cost[]): string {
  const isStart = ({ what }: Cost) => what.startsWith("start");
  const requests = costs.filter((cost) => cost.unit === "duration" && !isStart(cost));
  const panels: Panel[] = [
    { title: "time of a request", left: 70, right: 430, costs: requests },
    { title: "time of a start", left: 520, right: 690, costs: costs.filter(isStart) },
    { title: "resident memory", left: 780, right: 950, costs: costs.filter(({ unit }) => unit === "bytes") },
  ];
  const height = bottom + 62 + Math.ceil(requests.length / 2) * 20;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="${ink}">`,
    "<title>Cost over the number of players</title>",
    `<rect width="${width}" height="${height}" rx="6" fill="#ffffff"/>`,
    text(
      24,
      28,
      "Cost over the number of players, both axes logarithmic",
      'font-size="15" font-weight="600"',
    ),
    ...panels.flatMap(drawPanel),
    ...requests.flatMap(drawLegend),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

function drawPanel({ title, left, right, costs }: Panel): string[] {
  const values = costs.flatMap((cost) => cost.values).filter((value) => Number.isFinite(value) && value > 0);
  const [cost] = costs;
  if (cost === undefined || values.length === 0) return [];
  const { sizes, unit } = cost;
  const ticks = ticksFor(values, unit === "bytes" ? 2 ** 20 : 1);
  const x = logScale(sizes[0] ?? 1, sizes.at(-1) ?? 1, left + 12, right - 12);
  const y = logScale(ticks[0] ?? 1, ticks.at(-1) ?? 1, bottom, top);
  return [
    text(left, top - 14, title, 'font-weight="600"'),
    ...ticks.flatMap((value) => [
      `<line x1="${left}" x2="${right}" y1="${y(value)}" y2="${y(value)}" stroke="${faint}"/>`,
      text(
        left - 6,
        y(value) + 4,
        quantity(value, unit).replace(/\.0+ /, " "),
        `text-anchor="end" fill="${muted}"`,
      ),
    ]),
    ...sizes.map((size) =>
      text(
        x(size),
        bottom + 20,
        size < 1000 ? String(size) : `${size / 1000}k`,
        `text-anchor="middle" fill="${muted}"`,
      ),
    ),
    ...costs.flatMap(({ values: each }, number) => {
      const points = each.map((value, at) => [x(sizes[at] ?? 1), y(value)] as const);
      const look = lookOf(number);
      const path = points.map((point) => point.join(",")).join(" ");
      const line = `<polyline points="${path}" fill="none" stroke="${look.colour}" stroke-width="2"/>`;
      return [line, ...points.map(([px, py]) => drawMark(px, py, look))];
    }),
  ];
}

function drawLegend({ what }: Cost, number: number): string[] {
  const [left, y] = [70 + (number % 2) * 380, bottom + 52 + Math.floor(number / 2) * 20];
  return [drawMark(left, y - 4, lookOf(number)), text(left + 12, y, what)];
}

function lookOf(number: number): Look {
  return looks[number % looks.length] ?? looks[0];
}

function drawMark(x: number, y: number, { colour, mark }: Look): string {
  const paint = `fill="${colour}" stroke="${colour}" stroke-width="2"`;
  return `<path transform="translate(${x},${y})" d="${mark}" ${paint}/>`;
}

/** A scale on which each factor has the same length. */
function logScale(from: number, to: number, start: number, end: number): (value: number) => number {
  const span = Math.log(to / from) || 1;
  return (value) => round(start + (Math.log(value / from) / span) * (end - start));
}

/** Round values around all that is drawn, 1, 2 and 5 of each power of ten; only the powers where it spans many. */
function ticksFor(values: readonly number[], one: number): number[] {
  const [least, most] = [Math.min(...values) / one, Math.max(...values) / one];
  const first = Math.floor(Math.log10(least));
  const powers = Array.from(
    { length: Math.ceil(Math.log10(most)) - first + 1 },
    (_, each) => 10 ** (first + each),
  );
  const steps = powers.length > 4 ? [1] : [1, 2, 5];
  const all = powers.flatMap((power) => steps.map((step) => Number((step * power).toPrecision(1))));
  const begin = all.findLastIndex((value) => value <= least);
  const end = all.findIndex((value) => value >= most);
  return all.slice(Math.max(begin, 0), Math.max(end, begin + 1) + 1).map((value) => value * one);
}

function text(x: number, y: number, content: string, attributes = ""): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${round(x)}" y="${round(y)}"${attributes === "" ? "" : ` ${attributes}`}>${escaped}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
