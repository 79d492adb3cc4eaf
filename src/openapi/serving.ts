/** The description, served: without a token, as JSON and as YAML, in front of the place where the token stands. */
import { randomUUID } from "node:crypto";
import { Failure } from "../domain/errors.ts";
import { ReadyBody } from "../engine/body.ts";
import { type Answer, failureAnswer, preflightAnswer, readAnswer } from "../engine/response.ts";
import { type EngineOptions, type Incoming, internalFailure } from "../engine/walk.ts";
import { membershipKinds, type Vocabulary } from "../table/caller.ts";
import { type DescriptionOptions, describeTable, toYAML } from "./openapi.ts";

/** The forms of the description: the last segments of their paths. */
export const descriptionForms = ["openapi.json", "openapi.yaml"] as const;

/** See {@link descriptionForms}. */
export type DescriptionForm = (typeof descriptionForms)[number];

/** Where a form is served: in front of the place of the token. @param prefix of the route table */
export function descriptionPath(prefix: string, form: DescriptionForm): string {
  return `${prefix.split("{", 1)[0]}${form}`;
}

const json = ["Content-Type", "application/json; charset=utf-8"];
const yaml = ["Content-Type", "application/yaml"];
const methods = "GET, HEAD, OPTIONS";

/** See the head of this file. */
export class ServedDescription {
  readonly #engine: EngineOptions;
  readonly #options: DescriptionOptions;
  /** The names that the bodies were made with: they are made again when there are others. */
  #vocabulary: Vocabulary | undefined;
  readonly #bodies = new Map<DescriptionForm, ReadyBody>();

  constructor(engine: EngineOptions, options: DescriptionOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Answers a request for a form; every failure is an answer too. */
  answer(form: DescriptionForm, incoming: Incoming): Answer {
    const started = performance.now();
    const requestId = randomUUID();
    const { method } = incoming;
    let failure: Failure | undefined;
    let answer: Answer;
    try {
      answer = this.#answer(form, incoming, requestId);
    } catch (error) {
      failure = error instanceof Failure ? error : internalFailure(error);
      const allow = failure.code === "METHOD_NOT_ALLOWED" ? ["Allow", methods] : [];
      answer = failureAnswer(failure, requestId, allow);
    }
    this.#engine.observe?.({
      requestId,
      method,
      route: form,
      status: answer.status,
      milliseconds: performance.now() - started,
      caller: null,
      code: failure?.code ?? null,
      error: failure?.cause,
    });
    return answer;
  }

  #answer(form: DescriptionForm, incoming: Incoming, requestId: string): Answer {
    const { method } = incoming;
    if (method === "OPTIONS") return preflightAnswer(methods, requestId);
    if (method !== "GET" && method !== "HEAD") {
      throw new Failure("METHOD_NOT_ALLOWED", `The description is not called by ${method}, but by GET.`);
    }
    const conditions = {
      method,
      ifNoneMatch: incoming.header("if-none-match"),
      acceptEncoding: incoming.header("accept-encoding"),
    };
    return readAnswer(this.#body(form), conditions, requestId, form === "openapi.yaml" ? yaml : json);
  }

  #body(form: DescriptionForm): ReadyBody {
    const vocabulary = this.#engine.vocabulary();
    if (this.#vocabulary === undefined || !sameNames(this.#vocabulary, vocabulary)) {
      this.#bodies.clear();
      this.#vocabulary = vocabulary;
    }
    const known = this.#bodies.get(form);
    if (known !== undefined) return known;
    const document = describeTable(this.#engine.table, vocabulary, this.#options);
    const body = new ReadyBody(
      Buffer.from(form === "openapi.yaml" ? toYAML(document) : JSON.stringify(document)),
      { kept: true },
    );
    this.#bodies.set(form, body);
    return body;
  }
}

function sameNames(one: Vocabulary, other: Vocabulary): boolean {
  return membershipKinds.every((kind) => {
    const names = other[kind];
    return one[kind].length === names.length && one[kind].every((name, index) => name === names[index]);
  });
}
