/** The options of the log. They have a file of their own, so that help does not load the logger. */

/** The requests to log. Internal errors are always logged. */
export const requestChoices = ["all", "failures", "none"] as const;

/** The lowest level to log. A request is `info`, an internal error `error`. */
export const levelChoices = ["info", "warn", "error"] as const;

export interface LogOptions {
  /** The default is `all`. */
  readonly logRequests?: (typeof requestChoices)[number];
  /** The default is `info`. */
  readonly logLevel?: (typeof levelChoices)[number];
}
