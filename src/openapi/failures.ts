/** How an operation can fail: the codes that can come from its route, and the answers that they come in. */
import { STATUS_CODES } from "node:http";
import { type FailureCode, failureCodes } from "../domain/errors.ts";
import { oneOf } from "../domain/text.ts";
import { type FailureBody, statusOf } from "../engine/response.ts";
import { membershipKinds } from "../table/caller.ts";
import { unknownName } from "../table/parameters.ts";
import { describe } from "../table/restriction/restriction.ts";
import type { Route, Table } from "../table/table.ts";
import { failureHeaders } from "./common.ts";
import type { Components, Reference, ResponseObject, Schema } from "./document.ts";
import { isOpen } from "./restriction.ts";

/** What each code means, where nothing more exact can be said. */
export const meanings: Readonly<Record<FailureCode, string>> = {
  PARAMETER_MISSING: "A parameter that is required is missing; `parameter` names it.",
  PARAMETER_INVALID:
    "A value is not what was expected, or its percent-encoding is malformed; `parameter` names it.",
  PARAMETER_UNKNOWN:
    "The query has a parameter that the operation does not take; `hint` lists those that it takes.",
  PARAMETER_REPEATED: "A parameter came more than once; `parameter` names it.",
  REQUEST_MALFORMED: "It was not valid HTTP, or HTTP/1.1 without a `Host`.",
  REQUEST_TIMEOUT: "The request took too long to arrive.",
  REQUEST_TOO_LARGE:
    "The path and the query have more than 8,000 characters, or the request line and the headers more than 16 KiB.",
  TOKEN_UNKNOWN: "The token is not known.",
  TOKEN_EXPIRED: "The token has expired.",
  TOKEN_REVOKED: "The token was revoked.",
  RESTRICTED: "The caller may not call this operation; `info` says what it requires.",
  READ_ONLY: "The token is read-only, and the operation changes data.",
  EXCLUDED: "The caller is excluded from the whole interface.",
  UNKNOWN_PATH: "There is no operation at this path; `hint` has the nearest one.",
  UNKNOWN_PLAYER: "There is no such player.",
  UNKNOWN_GROUP: "There is no such group; `hint` lists those that there are.",
  UNKNOWN_FACTION: "There is no such faction; `hint` lists those that there are.",
  UNKNOWN_ENTRY: "There is no such entry.",
  METHOD_NOT_ALLOWED:
    "The operation is not called by this method; the header `Allow` lists those by which it is.",
  CONFLICT: "An entry of that name exists with other values.",
  SPECULATIVE:
    "The request says that nobody meant it yet (a browser's prefetch, or early data). Nothing was changed.",
  STORE_UNAVAILABLE: "The data can not be saved at the moment. Nothing was changed; try again later.",
  SHUTTING_DOWN: "The service is shutting down. Nothing was changed; try again in a moment.",
  INTERNAL: "A fault of the service; its operator finds it by the `requestId`.",
};

/** The answers to whatever can go wrong with a route, by status. */
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

/** Every code that can come, in the order in which a request is checked, with what it means here. */
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
  if (table.excludedGroup !== undefined) {
    add("EXCLUDED", `The caller is in the group ${table.excludedGroup}, whose members may call nothing.`);
  }
  if (operation.effect === "change") add("READ_ONLY");
  if (!isOpen(restriction)) add("RESTRICTED", `This operation is only for ${describe(restriction)}.`);
  const query = parameters.filter((each) => each.in === "query");
  if (query.some((each) => each.default === undefined)) add("PARAMETER_MISSING");
  add("PARAMETER_INVALID");
  add("PARAMETER_UNKNOWN");
  if (query.length > 0) add("PARAMETER_REPEATED");
  for (const kind of membershipKinds) {
    const names = parameters.filter(({ type }) => type.base === kind).map(({ name }) => `\`${name}\``);
    if (names.length > 0)
      add(unknownName[kind], `There is no ${kind} of the name in ${oneOf(names)}; \`hint\` lists them.`);
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

/** Puts down the body of every failure. */
export function failureReference(components: Components): Reference {
  const list = failureCodes.map((code) => `- \`${code}\` (${statusOf[code]}): ${meanings[code]}`);
  const code = components.use("schemas", "FailureCode", {
    description: ["What failed, for programs. There may be more of them one day.", "", ...list].join("\n"),
    type: "string",
    enum: failureCodes,
  });
  const properties: Readonly<Record<keyof FailureBody, Schema>> = {
    httpStatusCode: {
      description: "The status of the answer.",
      type: "integer",
      format: "int32",
      examples: [403],
    },
    httpStatus: { description: "The status in words.", type: "string", examples: ["Forbidden"] },
    info: {
      description: "One sentence for the player: show it.",
      type: "string",
      examples: ["This operation is only for members of the service RESCUE with rank 4 or higher."],
    },
    code: { ...code },
    requestId: {
      description: "Names the request in the service's log; also in the header `X-Request-Id`.",
      type: "string",
      format: "uuid",
    },
    parameter: {
      description: "The parameter at fault, or the header `Idempotency-Key`; left out where none is.",
      type: "string",
      examples: ["name"],
    },
    hint: { description: "What to do about it, where something helps.", type: "string" },
  };
  const optional: readonly string[] = ["parameter", "hint"];
  return components.use("schemas", "Failure", {
    description: "Whatever failed, it is told in this shape.",
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  });
}
