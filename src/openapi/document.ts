/** The types of what an OpenAPI 3.1 document is made of, and a collection of its components. */
import { isDeepStrictEqual } from "node:util";
import type { ParameterValue } from "../table/restriction/restriction.ts";

/** A JSON Schema (2020-12), as a plain object. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref: string;
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

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  /** By media type, with an example of a whole body; undefined without a body. */
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
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
