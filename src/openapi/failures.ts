/** The failures of an operation: the codes that its route can answer, and the answers by status. */
import { STATUS_CODES } from "node:http";
import { type FailureCode, failureCodes } from "../domain/errors.ts";
import { oneOf } from "../domain/text.ts";
import { type FailureBody, statusOf } from "../engine/response.ts";
import { membershipKinds } from "../table/caller.ts";
import { limitFor } from "../table/limits.ts";
import { nameFailures } from "../table/parameters.ts";
import { publicAccessOf } from "../table/restriction/access.ts";
import { describe } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { failureHeaders } from "./common.ts";
import type { Components, Reference, ResponseObject, Schema } from "./document.ts";

/** What each code means, for any operation. */
export const meanings: Readonly<Record<FailureCode, string>> = {
  PARAMETER_MISSING: "A required parameter is missing; `parameter` names it.",
  PARAMETER_INVALID: "A value is invalid, or its percent-encoding is malformed; `parameter` names it.",
  PARAMETER_UNKNOWN:
    "The query has a parameter that the operation does not have; `hint` lists its parameters.",
  PARAMETER_REPEATED: "The query repeats a parameter; `parameter` names it.",
  REQUEST_MALFORMED: "The request is not valid HTTP, or HTTP/1.1 without a `Host`.",
  REQUEST_TIMEOUT: "The request took too long to arrive.",
  REQUEST_TOO_LARGE:
    "The path and the query have more than 8,000 characters, or the request line and the headers more than 16 KiB.",
  TOKEN_UNKNOWN: "The token is unknown, or the request has none.",
  TOKEN_EXPIRED: "The token has expired.",
  TOKEN_REVOKED: "The token was revoked.",
  RESTRICTED: "The caller may not call this operation; `info` says what it requires.",
  READ_ONLY: "The token is read-only, and the operation changes data.",
  EXCLUDED: "The caller is excluded from all operations; `info` may say why, and until when.",
  UNKNOWN_PATH: "There is no operation at this path; `hint` may name the nearest path.",
  UNKNOWN_PLAYER: "There is no such player.",
  UNKNOWN_GROUP: "There is no such group; `hint` lists up to 20.",
  UNKNOWN_FACTION: "There is no such faction; `hint` lists up to 20.",
  UNKNOWN_ENTRY: "There is no such entry.",
  METHOD_NOT_ALLOWED: "The operation does not have this method; the header `Allow` lists its methods.",
  CONFLICT: "An entry of that name exists with other values, or the list is full.",
  SPECULATIVE: "The request is speculative (a browser's prefetch, or early data). Nothing has changed.",
  RATE_LIMITED: "There were too many requests. Nothing has changed; repeat the request after `Retry-After`.",
  STORE_UNAVAILABLE: "The data cannot be saved at the moment. Nothing has changed; repeat the request later.",
  OUTCOME_UNKNOWN:
    "The change may have been saved, or not. Repeat the request with its `Idempotency-Key`, or look before you repeat it.",
  SHUTTING_DOWN: "The service is shutting down. Nothing has changed; repeat the request in a moment.",
  INTERNAL: "A bug in the service; its operator can find it by the `requestId`.",
};

/** Returns the answers for all failures of a route, by status. */
export function failureResponses(
  route: Route,
  table: Table,
  failure: Reference,
  components: Components,
): Readonly<Record<string, ResponseObject>> {
  const byStatus = new Map<number, Map<FailureCode, string>>();
  for (const [code, words] of failuresOf(route, table)) {
    const status = statusOf[code];
    const known = byStatus.get(status) ?? new Map<FailureCode, string>();
    byStatus.set(status, known.set(code, words));
  }
  const responses = Array.from(byStatus, ([status, codes]) => {
    return [status, failureResponse(status, codes, failure, components)] as const;
  });
  return Object.fromEntries(responses);
}

/** Returns the codes of a route, in the order in which a request is checked, each with its meaning here. */
function failuresOf(route: Route, table: Table): ReadonlyMap<FailureCode, string> {
  const { operation, parameters, restriction } = route;
  const failures = new Map<FailureCode, string>();
  const add = (code: FailureCode, words: string = meanings[code]) => {
    const known = failures.get(code);
    failures.set(code, known === undefined ? words : `${known} ${words}`);
  };
  add("REQUEST_MALFORMED");
  add("REQUEST_TIMEOUT");
  add("REQUEST_TOO_LARGE");
  if (operation.effect === "change") add("SPECULATIVE");
  add("TOKEN_UNKNOWN");
  add("TOKEN_EXPIRED");
  add("TOKEN_REVOKED");
  if (table.limits.unknown !== "off" || limitFor(route, table) !== "off") add("RATE_LIMITED");
  if (table.excludedGroup !== undefined) {
    add("EXCLUDED", `The caller is in the group ${table.excludedGroup}, whose members may call nothing.`);
  }
  if (operation.effect === "change" && operation.invited === undefined) add("READ_ONLY");
  if (publicAccessOf(restriction) !== "yes")
    add("RESTRICTED", `This operation is only for ${describe(restriction)}.`);
  const query = parameters.filter((parameter) => parameter.in === "query");
  if (query.some((parameter) => parameter.default === undefined)) add("PARAMETER_MISSING");
  add("PARAMETER_INVALID");
  add("PARAMETER_UNKNOWN");
  if (query.length > 0) add("PARAMETER_REPEATED");
  for (const kind of membershipKinds) {
    const names = parameters.filter(({ type }) => type.base === kind).map(({ name }) => `\`${name}\``);
    if (names.length > 0)
      add(
        nameFailures[kind],
        `There is no ${kind} with the name in ${oneOf(names)}; \`hint\` lists up to 20 ${kind}s.`,
      );
  }
  for (const code of failureCodes) {
    const words = operation.failures?.[code];
    if (words !== undefined) add(code, words);
  }
  add("INTERNAL");
  add("SHUTTING_DOWN");
  return failures;
}

function failureResponse(
  status: number,
  codes: ReadonlyMap<FailureCode, string>,
  failure: Reference,
  components: Components,
): ResponseObject {
  const lines = Array.from(codes, ([code, words]) => `- \`${code}\`: ${words}`);
  const narrowed = {
    type: "object",
    properties: {
      httpStatusCode: { const: status },
      httpStatus: { const: STATUS_CODES[status] ?? "" },
      code: { type: "string", enum: [...codes.keys()] },
    },
  };
  return {
    description: [`${STATUS_CODES[status]}:`, "", ...lines].join("\n"),
    headers: failureHeaders(status, components),
    content: { "application/json": { schema: { allOf: [failure, narrowed] } } },
  };
}

/** Adds the body of every failure to the components. */
export function failureReference(components: Components): Reference {
  const list = failureCodes.map((code) => `- \`${code}\` (${statusOf[code]}): ${meanings[code]}`);
  const code = components.use("schemas", "FailureCode", {
    description: ["The failure, for programs. Later versions can add codes.", "", ...list].join("\n"),
    type: "string",
    enum: failureCodes,
  });
  const properties: Readonly<Record<keyof FailureBody, Schema>> = {
    httpStatusCode: {
      description: "The status code of the answer.",
      type: "integer",
      format: "int32",
      examples: [403],
    },
    httpStatus: { description: "The status in words.", type: "string", examples: ["Forbidden"] },
    info: {
      description: "One sentence to show to the player.",
      type: "string",
      examples: ["This operation is only for administrators."],
    },
    code: { ...code },
    requestId: {
      description: "Identifies the request in the service's log; also in the header `X-Request-Id`.",
      type: "string",
      format: "uuid",
    },
    parameter: {
      description: "The parameter at fault, or the header `Idempotency-Key`, if any.",
      type: "string",
      examples: ["name"],
    },
    hint: { description: "What to do about it, if something helps.", type: "string" },
  };
  const optional: readonly string[] = ["parameter", "hint"];
  return components.use("schemas", "Failure", {
    description: "The body of every failure.",
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  });
}
