/** Reasons and names of places have no spaces on the wire: there a space is written `-` (contract, section 1). */

/** As it is sent: `Bank-robbery` of `Bank robbery`. */
export function withoutSpaces(text: string): string {
  return text.trim().replaceAll(/\s+/g, "-");
}

/** As it is shown: `Bank robbery` of `Bank-robbery`. To send it back, keep what the service gave. */
export function withSpaces(text: string): string {
  return text.replaceAll("-", " ");
}
