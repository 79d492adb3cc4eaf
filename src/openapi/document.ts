/** The types of an OpenAPI 3.1 document, as far as descriptions use them, and a collection of its components. */
import { isDeepStrictEqual } from "node:util";
import type { ParameterValue } from "../table/restriction/restriction.ts";

/** A JSON Schema (2020-12), as a plain object. */
export type Schema = Readonly<Record<string, unknown>>;

/** A reference to a component. */
export interface Reference {
  readonly $ref: string;
}

/** The description of the service as a whole. */
export interface InfoObject {
  readonly title: string;
  /** The product token of a client's `User-Agent`. */
  readonly "x-product"?: string;
  readonly summary?: string;
  /** Markdown. */
  readonly description: string;
  readonly license: { readonly name: string; readonly identifier: string };
  /** The version of the service. */
  readonly version: string;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: ParameterValue;
  /** Whether its value must not be shown, stored or logged. */
  readonly "x-secret"?: true;
}

export interface HeaderObject {
  readonly description: string;
  readonly required: true;
  readonly schema: Schema;
}

/** A body in one media type. */
export interface MediaTypeObject {
  readonly schema: Schema;
  /** A whole body. */
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  /** By media type; undefined without a body. */
  readonly content?: Readonly<Record<string, MediaTypeObject>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly (ParameterObject | Reference)[];
  /** By status. */
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  /** The restriction, in the form of the table. */
  readonly "x-restriction": unknown;
  readonly "x-effect": "read" | "change";
  /** Whether it is safe to repeat without an idempotency key. */
  readonly "x-repeatable": boolean;
}

/** See the head of this file. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: InfoObject;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  /** The ways to send the token. An empty one is the path, for which OpenAPI has no security scheme. */
  readonly security: readonly Readonly<Record<string, readonly never[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, { readonly get: OperationObject }>>;
  readonly components: ComponentMaps & {
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

/** A token in the header `Authorization`. */
export interface SecurityScheme {
  readonly type: "http";
  readonly scheme: "bearer";
  readonly description: string;
}

/** The components that {@link Components} collects, by kind and name. */
export interface ComponentMaps {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly parameters: Readonly<Record<string, ParameterObject>>;
  readonly headers: Readonly<Record<string, HeaderObject>>;
}

/** Collects the components of a document: only those that are used. */
export class Components {
  readonly maps: { readonly [K in keyof ComponentMaps]: Record<string, ComponentMaps[K][string]> } = {
    schemas: {},
    responses: {},
    parameters: {},
    headers: {},
  };

  /** Returns a reference to a component. If another component has its name, a number is added. */
  use<K extends keyof ComponentMaps>(kind: K, name: string, component: ComponentMaps[K][string]): Reference {
    const known: Record<string, ComponentMaps[K][string]> = this.maps[kind];
    for (let number = 1; ; number += 1) {
      const key = number === 1 ? name : `${name}${number}`;
      const other = known[key];
      if (other === undefined) known[key] = component;
      const isSame = other === undefined || other === component || isDeepStrictEqual(other, component);
      if (isSame) return { $ref: `#/components/${kind}/${key}` };
    }
  }
}
