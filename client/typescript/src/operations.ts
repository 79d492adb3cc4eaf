/** The operations as types: their paths, what they take and what they answer, all from the generated description. */
import type { components, paths } from "./generated/description.ts";
import type { prefix } from "./generated/operations.ts";

type Prefix = typeof prefix;
type TokenName = Prefix extends `${string}{${infer Name}}` ? Name : never;
type Whole = keyof paths;

/** The path of an operation without the prefix and the token, such as `/statistic/{player}/add`. */
export type Path = Whole extends infer Each ? (Each extends `${Prefix}${infer Rest}` ? Rest : never) : never;

/** The shapes in answers, by name: `Schemas["WantedReason"]`. */
export type Schemas = components["schemas"];

/** Every code that a failure has. A service that is newer than this client may have more. */
export type FailureCode = Schemas["FailureCode"];

type Operation<P extends Path> = `${Prefix}${P}` extends infer Each
  ? Each extends Whole
    ? paths[Each]["get"]
    : never
  : never;

/** The parameters in an operation's path. */
export type PathParameters<P extends Path> = Omit<Operation<P>["parameters"]["path"], TokenName>;

/** The parameters in an operation's query. */
export type QueryParameters<P extends Path> = NonNullable<Operation<P>["parameters"]["query"]>;

/** What an operation answers. */
export type Result<P extends Path> = Operation<P>["responses"][200]["content"]["application/json"];

/** What a call can be given beside its parameters. */
export interface CallOptions {
  /** Ends the call, also while it waits to try again: the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Names a change, so that it is made once however often it is sent. By default each call has a new one; give one to
   * repeat a call of which you do not know whether it arrived, as after a restart. Reads take no notice of it.
   */
  readonly idempotencyKey?: string;
}

type InPath<P extends Path> = keyof PathParameters<P> extends never
  ? { readonly path?: never }
  : { readonly path: PathParameters<P> };

type InQuery<P extends Path> = [QueryParameters<P>] extends [never]
  ? { readonly query?: never }
  : Partial<QueryParameters<P>> extends QueryParameters<P>
    ? { readonly query?: QueryParameters<P> }
    : { readonly query: QueryParameters<P> };

/** An operation's parameters, and what a call can be given beside them. */
export type Given<P extends Path> = InPath<P> & InQuery<P> & CallOptions;

/** What follows the path in a call: it can be left out where nothing is required. */
export type Arguments<P extends Path> =
  Partial<Given<P>> extends Given<P> ? [given?: Given<P>] : [given: Given<P>];
