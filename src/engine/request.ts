/** A request as the engine reads it, independent of the transport. */
export interface IncomingRequest {
  readonly method: string;
  /** The path with the prefix, percent-encoded; from within the process, without the prefix and as it is. */
  readonly pathname: string;
  /** The query, percent-encoded, with or without its question mark. */
  readonly search: string;
  /** The client's network address; undefined for a request from within the process. */
  readonly address: string | undefined;
  /**
   * Returns a header, within the bound of {@link interpretable}; of several with the same name, all values, joined by
   * `, `, where the transport has them.
   * @param name in lower case
   */
  header(name: string): string | null;
}

/** The longest header that is interpreted: clients send far shorter ones, and splitting one of 16 KiB takes milliseconds. */
export const longestHeader = 1000;

/**
 * Returns a header as it is interpreted. A longer one is read as empty rather than as absent, since the presence of some
 * counts: `Early-Data` is refused with any value, and an `Idempotency-Key` that is ignored would count a change twice.
 */
export function interpretable(header: string | null): string | null {
  return header !== null && header.length > longestHeader ? "" : header;
}

/** Parameters of a call from within the process; not percent-encoded. */
export type Query = readonly (readonly [name: string, text: string])[];

/** Returns the request of a call from within the process. @param path without the prefix */
export function internalRequest(path: string, query: Query): IncomingRequest {
  const search = new URLSearchParams(query.map(([name, text]): [string, string] => [name, text])).toString();
  return { method: "GET", pathname: path, search, address: undefined, header: () => null };
}
