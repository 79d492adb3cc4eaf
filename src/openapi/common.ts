/** The headers of requests and answers, which operations have in common. */

import { authenticationScheme, retryAfterSeconds } from "../engine/response.ts";
import type { Components, HeaderObject, ParameterObject, Schema } from "./document.ts";

/** The headers of answers, by the names of their components. */
const headers = {
  RequestId: header("Identifies the request in the service's log.", { type: "string", format: "uuid" }),
  ETag: header("Identifies the state of the data; send it back as `If-None-Match`.", {
    type: "string",
    pattern: '^"[\\w-]+"$',
    examples: ['"n2XlyxmHnFxQNOuMDZjbHYwUUcw"'],
  }),
  NotStored: header("The answer must not be cached.", { type: "string", const: "no-store" }),
  Revalidated: header("Only the caller may cache the answer, and must revalidate it before each use.", {
    type: "string",
    const: "private, no-cache",
  }),
  RetryAfter: header("The number of seconds after which to repeat the request.", {
    type: "integer",
    format: "int32",
    minimum: 0,
    examples: [Number(retryAfterSeconds)],
  }),
  Authenticate: header("How to send a token.", { type: "string", const: authenticationScheme }),
  RateLimit: header(
    "The limit that was exceeded, how many requests are left (`r`), and after how many seconds there are more (`t`), in the " +
      "form of draft-ietf-httpapi-ratelimit-headers.",
    { type: "string", pattern: '^"[^"]+";r=0;t=[1-9][0-9]*$', examples: ['"reads";r=0;t=1'] },
  ),
  RateLimitPolicy: header(
    "The limit that was exceeded, how many requests it allows at once (`q`), and after how many seconds without a request " +
      "it allows as many again (`w`).",
    {
      type: "string",
      pattern: '^"[^"]+";q=[1-9][0-9]*;w=[1-9][0-9]*$',
      examples: ['"reads";q=60;w=6'],
    },
  ),
};

function header(description: string, schema: Schema): HeaderObject {
  return { description, required: true, schema };
}

const unstored = { "X-Request-Id": "RequestId", "Cache-Control": "NotStored" } as const;
const retry = { ...unstored, "Retry-After": "RetryAfter" } as const;
/** The components of the headers of an answer, by their names in it. */
const answers: Readonly<Record<string, Readonly<Record<string, keyof typeof headers>>>> = {
  read: { "X-Request-Id": "RequestId", ETag: "ETag", "Cache-Control": "Revalidated" },
  401: { ...unstored, "WWW-Authenticate": "Authenticate" },
  429: { ...retry, RateLimit: "RateLimit", "RateLimit-Policy": "RateLimitPolicy" },
  503: retry,
};

/** Returns the headers of an answer: of one to a read or to a change, or of a failure with a status. */
export function headersOf(answer: "read" | "change" | number, components: Components) {
  const references = Object.entries(answers[answer] ?? unstored).map(
    ([name, component]) => [name, components.use("headers", component, headers[component])] as const,
  );
  return Object.fromEntries(references);
}

/** The header with which a read is conditional. */
export const ifNoneMatch: ParameterObject = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of an earlier answer. If the data is unchanged, the answer is an empty 304.",
  schema: { type: "string" },
};

/** The header with which a change is repeated. */
export const idempotencyKey: ParameterObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes it safe to repeat an operation that counts (`x-repeatable: false`): an operation of the same caller with the " +
    "same key runs once, and repetitions get its answer. Use a new UUID for each event to count. Other operations are " +
    "safe to repeat without a key, and ignore a valid one.",
  schema: { type: "string", minLength: 1, maxLength: 128, pattern: "^[!-~]+$" },
  example: "6f1c7a52-7f0e-4a53-8f0e-0f3f0a3f9a53",
};
