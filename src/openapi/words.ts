/** What is common to every table, in Markdown: how requests are sent and answered. */
import type { Limits } from "../table/limits.ts";
import type { Table } from "../table/table.ts";

/** Returns the paragraphs that follow those about the service. */
export function generalWords({ product, prefix, limits }: Table): readonly string[] {
  const version =
    product === undefined ? [] : [`A client sends its version as \`User-Agent: ${product}/1.2.3\`.`];
  return [
    "## Requests",
    `Every operation is a \`GET\`, even if it changes data (\`x-effect: change\`). Every path begins with \`${prefix}\`. Write \`-\` in place of the token there, and send the token in the header \`Authorization: Bearer <token>\`: then no URL contains it. A slash at the end of a path makes no difference. \`HEAD\` works for operations that read. \`OPTIONS\` is the CORS preflight, answered with 204. Any other method, and \`HEAD\` of a change, gets a 405 (\`METHOD_NOT_ALLOWED\`) with \`Allow\`. Pages of any origin may call the service: there are no cookies.`,
    ...version,
    "An operation with `x-repeatable: true` is safe to repeat, such as after a lost connection: if the change has been made, the answer is 200, and nothing changes. The others count: send them with an `Idempotency-Key`, and repeat them with the same key. A browser's prefetch of a change is refused (425).",
    "## Answers",
    "Bodies are JSON in UTF-8. Whole numbers fit a signed 32-bit integer, except for instants (milliseconds since 1970) and durations (milliseconds), which need 64 bits. Clients ignore properties that they do not know, since later versions can add some.",
    "The answer to a read has an `ETag`: send it back as `If-None-Match` to get an empty 304 if the data is unchanged. Every answer has an `X-Request-Id`.",
    "## Failures",
    "Every failure has the form of `Failure`: `info` is a sentence for the player, `code` is for programs. An unknown path gets a 404 with `UNKNOWN_PATH`. A caller who may not call an operation learns only that (403), not what else may be wrong. After a 503 nothing has changed, unless its code is `OUTCOME_UNKNOWN`: the change may have been saved then. Repeat the request after `Retry-After` seconds, with the same `Idempotency-Key` if the operation counts.",
    ...limitParagraphs(limits),
  ];
}

function limitParagraphs({ reads, changes, unknown, pages }: Limits): readonly string[] {
  const ofToken = "each token, or for each public token and network";
  const together = "all changes with one public token together to ten times as many from all networks";
  const sentences = (
    [
      [reads, "Reads", ofToken],
      [changes, "Changes", `${ofToken}; ${together}`],
      [unknown, "Requests without a valid token", "each network"],
      [pages, "Pages, this description and preflights", "each network"],
    ] as const
  ).flatMap(([limit, what, whom]) =>
    limit === "off" ? [] : `${what} are limited to ${limit.words} for ${whom}.`,
  );
  if (sentences.length === 0) return [];
  sentences.push(
    "A network is an IPv4 address or an IPv6 /56.",
    "Any request beyond that gets a 429 (`RATE_LIMITED`): repeat it after `Retry-After` seconds.",
  );
  return ["## Limits", sentences.join(" ")];
}
