/** The parameters of a request, parsed from its path and query into the input of its operation. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { expectation } from "../table/base-types.ts";
import type { Vocabulary } from "../table/caller.ts";
import type { InputSchema } from "../table/operation.ts";
import { expectedHint, type Parameter, parseParameter, unknownParameter } from "../table/parameters.ts";
import type { Input, ParameterValue } from "../table/restriction/restriction.ts";
import type { Route } from "../table/table.ts";

/** A parameter of the query, as the client sent it. */
interface SentText {
  readonly name: string;
  /** Percent-encoded. */
  readonly raw: string;
}

export interface ParameterContext {
  readonly vocabulary: () => Vocabulary;
  /** Matches texts that contain a token. They are refused, so that no token is ever stored or shown. */
  readonly tokenForm?: RegExp | undefined;
}

/** The parameters of a request, percent-encoded. */
export interface RawParameters {
  /** Those in the path, by name; a question may leave some open. */
  readonly params: Readonly<Record<string, string>>;
  /** The query, with or without its question mark. */
  readonly search: string;
}

/** The parameters of one request, checked in two steps: {@link decisive}, then {@link all}. */
export class RequestInput {
  readonly #route: Route;
  readonly #context: ParameterContext;
  readonly #params: RawParameters["params"];
  readonly #query: readonly SentText[];
  readonly #values: Record<string, ParameterValue> = Object.create(null);
  #malformed: Failure | undefined;

  constructor(route: Route, context: ParameterContext, { params, search }: RawParameters) {
    this.#route = route;
    this.#context = context;
    this.#params = params;
    this.#query = parseQuery(search);
  }

  /** The failure of a malformed text that refers to an entry, which is answered if there is no such entry. */
  get malformed(): Failure | undefined {
    return this.#malformed;
  }

  /** Returns the parameters that the restriction depends on. @throws Failure for the first invalid one */
  decisive(): Input {
    const { decisive, parameters } = this.#route;
    if (decisive.size === 0) return this.#values;
    for (const parameter of parameters) {
      if (decisive.has(parameter.name)) this.#take(parameter);
    }
    return this.#values;
  }

  /**
   * Returns all parameters, as the input of the operation.
   * @throws Failure for the first that is unknown, repeated, missing or invalid
   */
  all(): Input {
    const { operation, parameters } = this.#route;
    if (parameters.length === 0 && this.#query.length === 0) return this.#values;
    this.#refuseUnknown();
    for (const parameter of parameters) this.#take(parameter);
    return toOperationInput(operation.input, this.#values);
  }

  /** As {@link all}, without those that are missing: for questions about who may call. */
  present(): Input {
    const { operation, parameters } = this.#route;
    this.#refuseUnknown();
    for (const parameter of parameters) {
      if (parameter.default !== undefined || this.#sent(parameter) !== undefined) this.#take(parameter);
    }
    return toOperationInput(v.partial(operation.input), this.#values);
  }

  #refuseUnknown(): void {
    const { parameters } = this.#route;
    const unknown = this.#query.find(
      ({ name }) => !parameters.some((parameter) => parameter.in === "query" && parameter.name === name),
    );
    if (unknown === undefined) return;
    const inQuery = parameters
      .filter((parameter) => parameter.in === "query")
      .map((parameter) => parameter.name);
    throw unknownParameter(unknown.name, inQuery);
  }

  #take(parameter: Parameter): void {
    const { name } = parameter;
    if (name in this.#values) return;
    const raw = this.#sent(parameter);
    if (raw === undefined) {
      if (parameter.default === undefined) {
        throw new Failure("PARAMETER_MISSING", `The parameter "${name}" is missing.`, {
          parameter: name,
          hint: expectedHint(expectation(parameter.type, this.#context.vocabulary())),
        });
      }
      this.#values[name] = parameter.default;
      return;
    }
    const text = decode(raw);
    if (text === undefined) {
      throw new Failure("PARAMETER_INVALID", `"${name}" has a malformed percent-encoding.`, {
        parameter: name,
        hint: 'Write "%25" for a percent sign, and UTF-8 for letters beyond ASCII.',
      });
    }
    refuseToken(this.#context.tokenForm, name, text);
    this.#values[name] = this.#parse(parameter, text);
  }

  #parse(parameter: Parameter, text: string): ParameterValue {
    try {
      return parseParameter(parameter, text, this.#context.vocabulary());
    } catch (error) {
      if (!parameter.isReference || !(error instanceof Failure)) throw error;
      this.#malformed ??= error;
      return text.normalize("NFC");
    }
  }

  /** Returns the text of a parameter, percent-encoded. @throws Failure `PARAMETER_REPEATED` */
  #sent({ name, in: place }: Parameter): string | undefined {
    if (place === "path") return this.#params[name];
    const sent = this.#query.filter((parameter) => parameter.name === name);
    if (sent.length > 1)
      throw new Failure("PARAMETER_REPEATED", `"${name}" is repeated.`, {
        parameter: name,
        hint: "Give it once.",
      });
    return sent[0]?.raw;
  }
}

/** Checks values by the operation's own schema: an operator can widen a pattern of the table beyond what it supports. */
function toOperationInput(schema: InputSchema, values: Input): Input {
  const result = v.safeParse(schema, values);
  if (result.success) return result.output as Input;
  const [issue] = result.issues;
  const parameter = String(issue.path?.[0].key);
  throw new Failure("PARAMETER_INVALID", `"${parameter}" is invalid: ${issue.message}.`, { parameter });
}

/** The largest number of parameters read. No route has as many: one is unknown or repeated, and is refused. */
const maxParameters = 100;

/** Parses a query. `+` is a space there, as browsers and Java's URLEncoder write it. */
function parseQuery(search: string): readonly SentText[] {
  const query = search.startsWith("?") ? search.slice(1) : search;
  // Splitting off thousands takes longer than the rest of a refusal.
  return query
    .replace(/&{2,}/g, "&")
    .split("&", maxParameters)
    .filter((piece) => piece !== "")
    .map((piece) => {
      const spaced = piece.replaceAll("+", " ");
      const equals = spaced.indexOf("=");
      const name = equals === -1 ? spaced : spaced.slice(0, equals);
      return {
        name: decode(name) ?? name,
        raw: equals === -1 ? "" : spaced.slice(equals + 1),
      };
    });
}

function decode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Refuses a text that contains a token: it could be stored, where others can read it.
 * @param name of the parameter or the header
 * @throws Failure `PARAMETER_INVALID`
 */
export function refuseToken(tokenForm: RegExp | undefined, name: string, text: string): void {
  if (tokenForm?.test(text) !== true) return;
  throw new Failure("PARAMETER_INVALID", `"${name}" contains a token.`, {
    parameter: name,
    hint: "A token belongs in the header Authorization, or in the path in front of the operation, and nowhere else.",
  });
}
