/** The headers of requests and answers, which operations have in common. */

import { authenticationScheme, retryAfterSeconds } from "../engine/response.ts";
import type { Components, HeaderObject, ParameterObject, Reference } from "./document.ts";

type Headers = Readonly<Record<string, Reference>>;

const requestId: HeaderObject = {
  description: "Identifies the request in the service's log.",
  required: true,
  schema: { type: "string", format: "uuid" },
};
const etag: HeaderObject = {
  description: "Identifies the state of the data; send it back as `If-None-Match`.",
  required: true,
  schema: { type: "string", pattern: '^"[\\w-]+"$', examples: ['"n2XlyxmHnFxQNOuMDZjbHYwUUcw"'] },
};
const notStored: HeaderObject = {
  description: "The answer must not be cached.",
  required: true,
  schema: { type: "string", const: "no-store" },
};
const revalidated: HeaderObject = {
  description: "Only the caller may cache the answer, and must revalidate it before each use.",
  required: true,
  schema: { type: "string", const: "private, no-cache" },
};
const retryAfter: HeaderObject = {
  description: "The number of seconds after which to repeat the request.",
  required: true,
  schema: { type: "integer", format: "int32", minimum: 0, examples: [Number(retryAfterSeconds)] },
};

const authenticate: HeaderObject = {
  description: "How to send a token.",
  required: true,
  schema: { type: "string", const: authenticationScheme },
};

const rateLimit: HeaderObject = {
  description:
    "The limit that was exceeded, how many requests are left (`r`), and after how many seconds there are more (`t`), in the " +
    "form of draft-ietf-httpapi-ratelimit-headers.",
  required: true,
  schema: { type: "string", pattern: '^"[^"]+";r=0;t=[1-9][0-9]*$', examples: ['"reads";r=0;t=1'] },
};
const rateLimitPolicy: HeaderObject = {
  description:
    "The limit that was exceeded, how many requests it allows at once (`q`), and after how many seconds without a request " +
    "it allows as many again (`w`).",
  required: true,
  schema: {
    type: "string",
    pattern: '^"[^"]+";q=[1-9][0-9]*;w=[1-9][0-9]*$',
    examples: ['"reads";q=60;w=6'],
  },
};

/** Returns the headers of the answer to a read. */
export function readHeaders(components: Components): Headers {
  return {
    "X-Request-Id": components.use("headers", "RequestId", requestId),
    ETag: components.use("headers", "ETag", etag),
    "Cache-Control": components.use("headers", "Revalidated", revalidated),
  };
}

/** Returns the headers of the answer to a change. */
export function changeHeaders(components: Components): Headers {
  return {
    "X-Request-Id": components.use("headers", "RequestId", requestId),
    "Cache-Control": components.use("headers", "NotStored", notStored),
  };
}

/** Returns the headers of a failure. */
export function failureHeaders(status: number, components: Components): Headers {
  const always = changeHeaders(components);
  if (status === 401)
    return { ...always, "WWW-Authenticate": components.use("headers", "Authenticate", authenticate) };
  if (status !== 429 && status !== 503) return always;
  const retry = { ...always, "Retry-After": components.use("headers", "RetryAfter", retryAfter) };
  if (status === 503) return retry;
  return {
    ...retry,
    RateLimit: components.use("headers", "RateLimit", rateLimit),
    "RateLimit-Policy": components.use("headers", "RateLimitPolicy", rateLimitPolicy),
  };
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
