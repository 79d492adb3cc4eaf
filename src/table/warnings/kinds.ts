/** The kinds of warnings about a table, each with what it reports, for the help of `routes check`. */

/** What a route can declare as intended. */
export const intentions = {
  "open-change": "a change that everyone with a public token may make",
  "unknown-caller": "a change that stores its caller, which a public token does not identify",
  "empty-group": "a restriction to a group that has no members in the present data",
  "unheld-rank": "a rank that no member has in the present data, or that no member can have",
  "excluded-group": "a restriction to the excluded group, whose members may not call anything",
  "player-condition": "a condition on a player's name, which the player's UUID does not meet",
  "unreachable-case": "an earlier case applies wherever this one would",
  "redundant-part": "a part of an allOf that another part implies",
} as const;
export type Intention = keyof typeof intentions;

export const warningKinds = {
  ...intentions,
  "kept-entries":
    "entries of a list in the present data that the table does not declare, or would no longer accept",
  "unserved-operation": "operations that no route serves, such as new ones after an upgrade",
  "not-needed": "an intention without effect",
} as const;
export type WarningKind = keyof typeof warningKinds;
