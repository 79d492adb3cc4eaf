/** The failures of an operation: the codes that its route can answer, and the answers by status. */
import { STATUS_CODES } from "node:http";
import { type FailureCode, failureCodes, meanings } from "../domain/errors.ts";
import { oneOf } from "../domain/text.ts";
import { type FailureBody, statusOf } from "../engine/response.ts";
import { membershipKinds } from "../table/caller.ts";
import { nameFailures } from "../table/parameters.ts";
import { publicAccessOf } from "../table/restriction/access.ts";
import { describe } from "../table/restriction/restriction.ts";
import { limitFor, type Route, type Table } from "../table/table.ts";
import { headersOf } from "./common.ts";
import type { Components, Reference, ResponseObject, Schema } from "./document.ts";

/** Returns the answers for all failures of a route, by status, as components: most are those of several routes. */
export function failureResponses(
  route: Route,
  table: Table,
  failure: Reference,
  components: Components,
): Readonly<Record<string, Reference>> {
  const byStatus = new Map<number, Map<FailureCode, string>>();
  for (const [code, words] of failuresOf(route, table)) {
    const status = statusOf[code];
    const known = byStatus.get(status) ?? new Map<FailureCode, string>();
    byStatus.set(status, known.set(code, words));
  }
  const responses = Array.from(byStatus, ([status, codes]) => {
    const name = (STATUS_CODES[status] ?? "").replace(/\W/g, "");
    const response = failureResponse(status, codes, failure, components);
    return [status, components.use("responses", name, response)] as const;
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
    headers: headersOf(status, components),
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
