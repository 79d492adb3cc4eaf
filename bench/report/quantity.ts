/** Quantities as a person reads them. */

/** The unit of a row; a duration is in seconds. */
export type Unit = "a second" | "duration" | "bytes";

/** Returns a quantity with its unit: `24,310/s`, `38.2 µs`, `251 MiB`. */
export function quantity(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return "–";
  if (unit === "a second") return `${grouped(Math.round(value))}/s`;
  if (unit === "bytes") return `${Math.round(value / 2 ** 20)} MiB`;
  if (value < 1e-3) return `${significant(value * 1e6)} µs`;
  if (value < 1) return `${significant(value * 1e3)} ms`;
  return `${significant(value)} s`;
}

/** Returns a ratio with one digit more than goals have, so that rounding does not hide a near miss. */
export function ratioText(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(3) : "–";
}

/** Returns a whole number with its digits in groups of three: `100,000`. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** Returns the median: the middle number, or the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
  return ((sorted[low] ?? Number.NaN) + (sorted[high] ?? Number.NaN)) / 2;
}

/** Returns the mean of some numbers. */
export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function significant(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
