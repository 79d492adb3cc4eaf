/** What the operations have in common: the headers of answers, and the headers that a request can have. */

import { retryAfterSeconds } from "../engine/response.ts";
import type { Components, HeaderObject, ParameterObject, Reference } from "./document.ts";

type Headers = Readonly<Record<string, Reference>>;

const requestId: HeaderObject = {
  description: "Names the request in the service's log.",
  required: true,
  schema: { type: "string", format: "uuid" },
};
const etag: HeaderObject = {
  description: "Names the state of the data; send it back as `If-None-Match`.",
  required: true,
  schema: { type: "string", pattern: '^"[\\w-]+"$', examples: ['"n2XlyxmHnFxQNOuMDZjbHYwUUcw"'] },
};
const notStored: HeaderObject = {
  description: "Nothing may keep the answer.",
  required: true,
  schema: { type: "string", const: "no-store" },
};
const revalidated: HeaderObject = {
  description:
    "Only the caller may keep the answer, and asks whether it is still right before it is used again.",
  required: true,
  schema: { type: "string", const: "private, no-cache" },
};
const retryAfter: HeaderObject = {
  description: "After how many seconds to try again.",
  required: true,
  schema: { type: "integer", format: "int32", minimum: 0, examples: [Number(retryAfterSeconds)] },
};

/** The headers of an answer that has data, or would have. */
export function readHeaders(components: Components): Headers {
  return {
    "X-Request-Id": components.use("headers", "RequestId", requestId),
    ETag: components.use("headers", "ETag", etag),
    "Cache-Control": components.use("headers", "Revalidated", revalidated),
  };
}

/** The headers of an answer that is of no use a second time. */
export function changeHeaders(components: Components): Headers {
  return {
    "X-Request-Id": components.use("headers", "RequestId", requestId),
    "Cache-Control": components.use("headers", "NotStored", notStored),
  };
}

/** The headers of a failure. */
export function failureHeaders(status: number, components: Components): Headers {
  const retry = status === 503 ? { "Retry-After": components.use("headers", "RetryAfter", retryAfter) } : {};
  return { ...changeHeaders(components), ...retry };
}

/** By which a read is asked whether it is another one than before. */
export const ifNoneMatch: ParameterObject = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of the answer that the client has. Where it is still right, an empty 304 is answered.",
  schema: { type: "string" },
};

/** By which a change is repeated. */
export const idempotencyKey: ParameterObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes it safe to repeat an operation that counts (`x-repeatable: false`): the same caller's operation with the " +
    "same key is carried out once, and repetitions get its answer. Use a new UUID for each thing that happened. Other " +
    "operations are safe to repeat without a key and ignore a valid one.",
  schema: { type: "string", minLength: 1, maxLength: 128, pattern: "^[!-~]+$" },
  example: "6f1c7a52-7f0e-4a53-8f0e-0f3f0a3f9a53",
};
