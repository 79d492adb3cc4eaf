/** A typed client of the game-addon data service. */
export { type ClaimOptions, type ClientOptions, GameAddonClient, type TokenStore } from "./client.ts";
export { GameAddonError, GameAddonNetworkError, type NetworkTrouble } from "./errors.ts";
export type {
  CallOptions,
  FailureCode,
  Path,
  PathParameters,
  QueryParameters,
  Result,
  Schemas,
} from "./operations.ts";
export { withoutSpaces, withSpaces } from "./text.ts";
export type { Timing } from "./timing.ts";
export type { Watched } from "./watch.ts";
