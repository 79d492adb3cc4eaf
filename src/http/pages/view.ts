/** The form of a page: what it asks its operation, and what it makes of the answer. */
import type { Input } from "../../table/restriction/restriction.ts";
import type { Markup } from "./markup.ts";
import type { Site } from "./site.ts";

/** A file to download. */
export interface PageFile {
  readonly type: string;
  readonly name: string;
  readonly text: string;
}

/** What stands at a path. */
export interface View {
  /** The parameters in the query of the request on which it depends. */
  readonly reads?: readonly string[] | "all";
  /** For how many milliseconds its markup is cached, while the answer is the same: making it can take long. */
  readonly cachedFor?: number;
  /** Returns the values of the operation's parameters, by default those of the page. */
  readonly input?: (query: URLSearchParams) => Input;
  /** @param answer that of the operation; undefined if it failed */
  readonly show: (answer: object | undefined, site: Site, query: URLSearchParams) => Markup | PageFile;
}
