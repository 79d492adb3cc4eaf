/** The addresses of operations. None contains the token: proxies and browsers log and store addresses. */
import { prefix } from "./generated/operations.ts";

/** A value of a parameter. */
export type Value = string | number | boolean;

/** Parameters by name; undefined ones are omitted. */
export type Values = Readonly<Record<string, Value | undefined>>;

/** What the path has in the place of a token that is in the header `Authorization`. */
const inHeader = "-";

/** See the head of this file. */
export class Address {
  /** The service's origin. */
  readonly origin: string;
  readonly #start: string;

  /** @throws TypeError, which does not contain the address */
  constructor(baseUrl: string) {
    const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    if (base === undefined || !/^https?:$/.test(base.protocol)) {
      throw new TypeError('`baseUrl` must be an absolute URL, such as "https://addon.example.org".');
    }
    if (base.username !== "" || base.password !== "" || base.search !== "" || base.hash !== "") {
      throw new TypeError("`baseUrl` must not have a user name, a query or a fragment.");
    }
    this.origin = base.origin;
    const folder = base.pathname.replace(/\/+$/, "");
    this.#start = base.origin + folder + prefix.replace(/\{.*?\}/, inHeader);
  }

  /** Returns the address of an operation. @throws TypeError if a path parameter is missing */
  of(template: string, path: Values, query: Values): string {
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => toSegment(name, path[name]));
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, String(value));
    }
    return this.#start + filled + (search.size === 0 ? "" : `?${search}`);
  }
}

/** Returns a value as a segment of a path. */
function toSegment(name: string, value: Value | undefined): string {
  if (value === undefined || value === "") throw new TypeError(`The parameter "${name}" is missing.`);
  if (/\p{Cs}/u.test(String(value)))
    throw new TypeError(`The parameter "${name}" has half of a surrogate pair.`);
  const segment = encodeURIComponent(value);
  // URL parsers resolve these, encoded or not, which would make it the address of another operation.
  if (segment === "." || segment === "..") {
    throw new TypeError(
      `The parameter "${name}" cannot be "${value}" in an address: name the player by UUID.`,
    );
  }
  return segment;
}
