/** What `serve` logs. Apart from the log, so that its help does not load the logger. */

/** Which lines of requests are logged. Faults of the service itself always are. */
export const requestChoices = ["all", "failures", "none"] as const;

/** From which level on lines are logged. A request is `info`, a fault of the service `error`. */
export const levelChoices = ["info", "warn", "error"] as const;

export interface LogOptions {
  /** By default `all`. */
  readonly requests?: (typeof requestChoices)[number];
  /** By default `info`. */
  readonly level?: (typeof levelChoices)[number];
}
