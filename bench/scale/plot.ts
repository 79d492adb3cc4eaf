/**
 * Plots cost over size as SVG: the time of requests, the time of a start, and memory. Both axes are logarithmic, so that
 * a constant cost is a flat line. The background makes the plot readable on light and dark pages.
 */
import { quantity, type Unit } from "../report/quantity.ts";

/** One kind of cost at each size. */
export interface Cost {
  readonly what: string;
  readonly unit: Unit;
  readonly sizes: readonly number[];
  /** The median at each size. */
  readonly values: readonly number[];
  /** The figures of each run, by size. */
  readonly runs: readonly (readonly number[])[];
}

/** A colour that people with colour blindness can tell apart, and a mark: a path around its middle. */
type Style = readonly [colour: string, mark: string];
const firstStyle: Style = ["#0072b2", "M-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0z"];
const styles: readonly Style[] = [
  firstStyle,
  ["#d55e00", "M-3,-3h6v6h-6z"],
  ["#009e73", "M0,-4.5l4.5,4.5l-4.5,4.5l-4.5,-4.5z"],
  ["#cc79a7", "M0,-4l4,7h-8z"],
  ["#7a5c00", "M-4,-4l8,8m0,-8l-8,8"],
];

const width = 980;
const top = 64;
const bottom = 330;
const muted = 'fill="#57606a"';
const bold = 'font-weight="600"';

/** Returns the plot. */
export function plot(costs: readonly Cost[]): string {
  const isStart = ({ what }: Cost) => what.startsWith("start");
  const requests = costs.filter((cost) => cost.unit === "duration" && !isStart(cost));
  const memory = costs.filter(({ unit }) => unit === "bytes");
  const height = bottom + 62 + Math.ceil(requests.length / 2) * 20;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="#24292f">`,
    "<title>Cost over the number of players</title>",
    `<rect width="${width}" height="${height}" rx="6" fill="#ffffff"/>`,
    text(24, 28, "Cost over the number of players, both axes logarithmic", `font-size="15" ${bold}`),
    ...drawPanel("time of a request", 70, 430, requests),
    ...drawPanel("time of a start", 520, 690, costs.filter(isStart)),
    ...drawPanel("resident memory", 780, 950, memory),
    ...requests.flatMap(({ what }, number) => {
      const [x, y] = [70 + (number % 2) * 380, bottom + 52 + Math.floor(number / 2) * 20];
      return [drawMark(x, y - 4, styleOf(number)), text(x + 12, y, what)];
    }),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

function drawPanel(title: string, left: number, right: number, costs: readonly Cost[]): string[] {
  const values = costs.flatMap((cost) => cost.values).filter((value) => value > 0);
  const [cost] = costs;
  if (cost === undefined || values.length === 0) return [];
  const { sizes, unit } = cost;
  const ticks = ticksFor(values, unit === "bytes" ? 2 ** 20 : 1);
  const x = logScale(sizes[0] ?? 1, sizes.at(-1) ?? 1, left + 12, right - 12);
  const y = logScale(ticks[0] ?? 1, ticks.at(-1) ?? 1, bottom, top);
  return [
    text(left, top - 14, title, bold),
    ...ticks.flatMap((tick) => [
      `<line x1="${left}" x2="${right}" y1="${y(tick)}" y2="${y(tick)}" stroke="#d8dee4"/>`,
      text(left - 6, y(tick) + 4, quantity(tick, unit).replace(/\.0+ /, " "), `text-anchor="end" ${muted}`),
    ]),
    ...sizes.map((size) => {
      const label = size < 1000 ? String(size) : `${size / 1000}k`;
      return text(x(size), bottom + 20, label, `text-anchor="middle" ${muted}`);
    }),
    ...costs.flatMap(({ values: line }, number) => {
      const points = line.map((value, at) => [x(sizes[at] ?? 1), y(value)] as const);
      const style = styleOf(number);
      return [
        `<polyline points="${points.join(" ")}" fill="none" stroke="${style[0]}" stroke-width="2"/>`,
        ...points.map(([px, py]) => drawMark(px, py, style)),
      ];
    }),
  ];
}

function styleOf(number: number): Style {
  return styles[number % styles.length] ?? firstStyle;
}

function drawMark(x: number, y: number, [colour, mark]: Style): string {
  return `<path transform="translate(${x},${y})" d="${mark}" fill="${colour}" stroke="${colour}" stroke-width="2"/>`;
}

/** Returns a scale on which equal factors have equal lengths. */
function logScale(from: number, to: number, start: number, end: number): (value: number) => number {
  const span = Math.log(to / from) || 1;
  return (value) => round(start + (Math.log(value / from) / span) * (end - start));
}

/** Returns round values around all values: 1, 2 and 5 of each power of ten, or only the powers if there are many. */
function ticksFor(values: readonly number[], one: number): number[] {
  const [least, most] = [Math.min(...values) / one, Math.max(...values) / one];
  const first = Math.floor(Math.log10(least));
  const count = Math.ceil(Math.log10(most)) - first + 1;
  const powers = Array.from({ length: count }, (_, power) => 10 ** (first + power));
  const steps = count > 4 ? [1] : [1, 2, 5];
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
