/**
 * Whether an answer conforms to the description of the interface: its status is listed for the operation, it has the
 * headers, and its body matches without additional properties. Every answer to a `World` is checked.
 */
import assert from "node:assert/strict";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { HeaderObject, Reference, Schema } from "../../src/openapi/document.ts";
import { describeTable, type OpenApiDocument, type OperationObject } from "../../src/openapi/openapi.ts";
import type { Vocabulary } from "../../src/table/caller.ts";
import type { Table } from "../../src/table/table.ts";

/** An answer, with the method and the route of its request. */
export interface Exchange {
  readonly method: string;
  /** The route as logged: null if no operation matched. */
  readonly route: string | null;
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if there is none. */
  readonly body: unknown;
}

const cache = new Map<string, Conformance>();

/** Returns the conformance to a table's description, cached for all worlds of a test file. */
export function conformanceOf(table: Table, vocabulary: Vocabulary): Conformance {
  const key = `${table.revision} ${JSON.stringify(vocabulary)}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const conformance = new Conformance(describeTable(table, vocabulary), table.prefix);
  cache.set(key, conformance);
  return conformance;
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, meta: false });
const isWithin = (least: number, most: number) => (value: number) => least <= value && value <= most;
ajv.addFormat("int32", { type: "number", validate: isWithin(-(2 ** 31), 2 ** 31 - 1) });
ajv.addFormat("int64", { type: "number", validate: Number.isSafeInteger });
ajv.addFormat("double", { type: "number", validate: Number.isFinite });
ajv.addFormat("uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const failureSchema: Schema = { $ref: "#/components/schemas/Failure" };

/** Compiled schemas, by their content, since tables share most of them. */
const compiled = new Map<string, ValidateFunction>();

/** See the head of this file. */
export class Conformance {
  readonly #document: OpenApiDocument;
  readonly #prefix: string;
  readonly #validators = new Map<Schema, ValidateFunction>();

  /** @param document whose operations have paths that begin with `prefix` */
  constructor(document: OpenApiDocument, prefix: string) {
    this.#document = document;
    this.#prefix = prefix;
  }

  /** Asserts that an answer conforms to the description. */
  check(exchange: Exchange): void {
    const { method, route, status, body } = exchange;
    const operation = route === null ? undefined : this.#document.paths[this.#prefix + route]?.get;
    const what = `${method} ${route ?? "no operation"} answered ${status}`;
    // Pages, such as the description itself, are logged by a name without a slash.
    if (route !== null && !route.startsWith("/") && status < 400) return;
    if (method === "OPTIONS" && status === 204) {
      assert.equal(body, undefined, what);
    } else if (operation === undefined || isOtherMethod(method, operation)) {
      assert.ok(status >= 400, `${what}, and is not described`);
      this.#checkBody(failureSchema, exchange, what);
    } else {
      this.#checkOperation(operation, exchange, what);
    }
  }

  #checkOperation(operation: OperationObject, exchange: Exchange, what: string): void {
    const { status, body, headers, method } = exchange;
    const listed = operation.responses[status];
    assert.ok(listed !== undefined, `${what}, which is not described: ${JSON.stringify(body)}`);
    const { components } = this.#document;
    const response = this.#resolve(listed, components.responses);
    for (const [name, reference] of Object.entries(response.headers)) {
      const value = headers.get(name);
      assert.ok(value !== null, `${what} without ${name}`);
      const { schema } = this.#resolve<HeaderObject>(reference, components.headers);
      const validate = this.#validator(schema);
      const isValid = validate(schema.type === "integer" ? Number(value) : value);
      assert.ok(isValid, `${what} with ${name}: ${value}: ${ajv.errorsText(validate.errors)}`);
    }
    const contents = Object.entries(response.content ?? {});
    if (method === "HEAD" || contents.length === 0) {
      assert.equal(body, undefined, `${what} with a body`);
      return;
    }
    const type = headers.get("content-type");
    const content = contents.find(([prefix]) => type?.startsWith(prefix));
    assert.ok(content !== undefined, `${what} with Content-Type: ${type}`);
    this.#checkBody(content[1].schema, exchange, what);
  }

  #checkBody(schema: Schema, { body, method }: Exchange, what: string): void {
    if (method === "HEAD") {
      assert.equal(body, undefined, `${what} with a body`);
      return;
    }
    const validate = this.#validator(schema);
    if (validate(body)) return;
    assert.fail(`${what} with ${JSON.stringify(body)}: ${ajv.errorsText(validate.errors)}`);
  }

  #validator(schema: Schema): ValidateFunction {
    const seen = this.#validators.get(schema);
    if (seen !== undefined) return seen;
    const whole = closed(this.#expanded(schema));
    const content = JSON.stringify(whole);
    const validate = compiled.get(content) ?? ajv.compile(whole);
    compiled.set(content, validate);
    this.#validators.set(schema, validate);
    return validate;
  }

  /** Returns a schema with its references replaced by their components, which refuse additional properties. */
  #expanded(schema: Schema): Schema {
    const { $ref, ...rest } = schema;
    const entries = Object.entries(rest).map(
      ([key, value]) => [key, this.#expandedWithin(key, value)] as const,
    );
    const own = Object.fromEntries(entries);
    if (typeof $ref !== "string") return own;
    const component = this.#document.components.schemas[$ref.split("/").at(-1) ?? ""];
    assert.ok(component !== undefined, `there is no ${$ref}`);
    return { ...closed(this.#expanded(component)), ...own };
  }

  #expandedWithin(key: string, value: unknown): unknown {
    // A part of `allOf` must accept the properties of the other parts; it is closed only as a component.
    const expand = (part: unknown) => {
      if (!isSchema(part)) return part;
      return key === "allOf" ? this.#expanded(part) : closed(this.#expanded(part));
    };
    if (Array.isArray(value)) return value.map(expand);
    if (key !== "properties" || !isSchema(value)) return expand(value);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, expand(part)]));
  }

  /** Returns a component, or the one that a reference names. */
  #resolve<T extends object>(value: T | Reference, components: Readonly<Record<string, T>>): T {
    if (!isReference(value)) return value;
    const component = components[value.$ref.split("/").at(-1) ?? ""];
    assert.ok(component !== undefined, `there is no ${value.$ref}`);
    return component;
  }
}

function isReference(value: object): value is Reference {
  return "$ref" in value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether an operation refuses a method. Its description then has only the shape of failures. */
function isOtherMethod(method: string, operation: OperationObject): boolean {
  return method !== "GET" && !(method === "HEAD" && operation["x-effect"] === "read");
}

/** Returns the schema without additional properties. */
function closed(schema: Schema): Schema {
  const isOpen = "properties" in schema && !("additionalProperties" in schema);
  return isOpen ? { ...schema, additionalProperties: false } : schema;
}
