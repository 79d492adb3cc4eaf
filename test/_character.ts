/** Arbitrary characters for fast-check. Its own unit "binary" has the same ones, but takes seconds to create. */
import fc from "fast-check";

/** Any code point but half of a surrogate pair. */
export const character: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
