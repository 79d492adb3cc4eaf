/** Where an operation is. The token is in every address, so none of them leaves the client but in a request. */
import { prefix } from "./generated/operations.ts";

/** A value of a parameter. */
export type Value = string | number | boolean;

/** Parameters by name; what is undefined is left out. */
export type Values = Readonly<Record<string, Value | undefined>>;

/** See the head of this file. */
export class Address {
  /** The service's origin, which can be shown. */
  readonly origin: string;
  readonly #start: string;

  /** @throws TypeError that has neither the address nor the token in it */
  constructor(baseUrl: string, token: string) {
    const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    if (base === undefined || !/^https?:$/.test(base.protocol)) {
      throw new TypeError('`baseUrl` has to be a whole address, such as "https://addon.example.org".');
    }
    if (base.username !== "" || base.password !== "" || base.search !== "" || base.hash !== "") {
      throw new TypeError("`baseUrl` has to be without a user name, a query and a fragment.");
    }
    if (typeof token !== "string" || token.trim() === "") throw new TypeError("`token` is missing.");
    this.origin = base.origin;
    const folder = base.pathname.replace(/\/+$/, "");
    this.#start = base.origin + folder + prefix.replace(/\{.*$/, () => toSegment("token", token.trim()));
  }

  /** The whole address of an operation. @throws TypeError where a parameter of the path is missing */
  of(template: string, path: Values, query: Values): string {
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => toSegment(name, path[name]));
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, String(value));
    }
    return this.#start + filled + (search.size === 0 ? "" : `?${search}`);
  }
}

/** A value as a segment of a path. */
function toSegment(name: string, value: Value | undefined): string {
  if (value === undefined || value === "") throw new TypeError(`The parameter "${name}" is missing.`);
  const segment = encodeURIComponent(value);
  // An address with these would be shortened by its parser, encoded or not, and be another operation's.
  if (segment === "." || segment === "..") {
    throw new TypeError(
      `The parameter "${name}" can not be "${value}" in an address: name the player by UUID.`,
    );
  }
  return segment;
}
