/** Quantities as a person reads them. */

/** What a row is measured in; a duration is in seconds. */
export type Unit = "a second" | "duration" | "bytes";

/** A quantity with its unit: `24,310/s`, `38.2 µs`, `251 MiB`. */
export function quantity(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return "–";
  if (unit === "a second") return `${Math.round(value).toLocaleString("en-US")}/s`;
  if (unit === "bytes") return `${Math.round(value / 2 ** 20)} MiB`;
  if (value < 1e-3) return `${significant(value * 1e6)} µs`;
  if (value < 1) return `${significant(value * 1e3)} ms`;
  return `${significant(value)} s`;
}

/** A ratio: a digit more than goals have, so that a close one does not look like what it is not. */
export function ratioText(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(3) : "–";
}

/** Three digits that count, without an exponent. */
function significant(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
