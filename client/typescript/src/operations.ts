/** The types of operations: their paths, parameters and answers, from the generated description. */
import type { components, paths } from "./generated/description.ts";
import type { prefix } from "./generated/operations.ts";

type Prefix = typeof prefix;
type TokenName = Prefix extends `${string}{${infer Name}}${string}` ? Name : never;
type Whole = keyof paths;

/** The path of an operation without the prefix and the token, such as `/statistic/{player}/add`. */
export type Path = Exclude<
  Whole extends infer Each ? (Each extends `${Prefix}${infer Rest}` ? Rest : never) : never,
  typeof claimPath | typeof streamPath
>;

/** Has the code of an invitation in the place of the token; see `GameAddonClient.claim`. */
export const claimPath = "/token/claim";

/** Does not end; see `GameAddonClient.watch`. */
export const streamPath = "/stream";

/** The types in answers, by name: `Schemas["WantedReason"]`. */
export type Schemas = components["schemas"];

/** The codes of failures. A service that is newer than this client may have more. */
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

/** The answer of an operation. */
export type Result<P extends Path> = Operation<P>["responses"][200]["content"]["application/json"];

/** The options of a call besides its parameters. */
export interface CallOptions {
  /** Aborts the call, even while it waits for a retry. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * The key of a change, which is made once however often it is sent. By default each call has a new one. Pass one to
   * repeat a call that may or may not have arrived, such as after a restart. Reads ignore it.
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

/** The parameters and options of a call. */
export type Options<P extends Path> = InPath<P> & InQuery<P> & CallOptions;

/** What follows the path in a call; optional if nothing is required. */
export type Arguments<P extends Path> =
  Partial<Options<P>> extends Options<P> ? [options?: Options<P>] : [options: Options<P>];
