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
   * Returns a header; of several with the same name, all values, joined by `, `, where the transport has them.
   * @param name in lower case
   */
  header(name: string): string | null;
}
