/** Reasons and names of places, which have `-` for each space on the wire. */

/** Returns a text to send: `Bank-robbery` for `Bank robbery`. */
export function withoutSpaces(text: string): string {
  return text.trim().replaceAll(/\s+/g, "-");
}

/** Returns a text to show: `Bank robbery` for `Bank-robbery`. To send it back, use the original. */
export function withSpaces(text: string): string {
  return text.replaceAll("-", " ");
}
