/** What holds for every table that the engine serves, in Markdown: how requests are sent, and how they are answered. */
import type { Table } from "../table/table.ts";

/** The paragraphs that follow the service's own. */
export function generalWords({ product, prefix }: Table): readonly string[] {
  const version =
    product === undefined ? [] : [`A client tells its version with \`User-Agent: ${product}/1.2.3\`.`];
  return [
    "## Requests",
    `Every operation is a \`GET\`, also one that changes data (\`x-effect: change\`), and every path begins with \`${prefix}\`. A slash at the end of a path changes nothing. \`HEAD\` answers for operations that read. \`OPTIONS\` is the CORS preflight, and answered with 204. Any other method, and \`HEAD\` of a change, is a 405 (\`METHOD_NOT_ALLOWED\`) with \`Allow\`. Pages of any origin may call the service: there are no cookies.`,
    ...version,
    "What has `x-repeatable: true` can be sent again at any time, such as after a lost connection: a change that is made already is answered with 200, and nothing is changed. What has not is a counter: send it with an `Idempotency-Key`, and again with the same one. A browser's prefetch of a change is refused (425).",
    "## Answers",
    "Bodies are JSON in UTF-8. Whole numbers fit a signed 32-bit integer, except for instants, which are milliseconds since 1970 and need 64 bits. Clients ignore properties that they do not know: there may be more of them one day.",
    "A read carries an `ETag`: send it back as `If-None-Match`, and unchanged data is answered with an empty 304. Every answer carries an `X-Request-Id`.",
    "## Failures",
    "Whatever fails is answered in the shape of `Failure`: `info` is a sentence for the player, `code` is for programs. A path that there is not is a 404 with `UNKNOWN_PATH`. A caller who may not call an operation learns only that (403), not what else may be wrong. On a 503 nothing was changed: try again after `Retry-After` seconds.",
  ];
}
