/** The stream of events, as the description of the interface has it. */
import * as v from "valibot";
import type { Operation } from "../table/operation.ts";

export const streamForm = {
  effect: "read",
  isLive: true,
  description: [
    "Server-sent events, with a comment every 15 seconds:",
    "- `event: event` has the body of `/event`, at the beginning and whenever it changes, for callers who may read that.",
    '- `event: changed` has the resources whose answers have changed, such as `{"resources":["wantedreason"]}`: the first segments of the paths that the caller may read, or the name of the resource where a path begins with a placeholder. Wait a random time of 0 to 3 seconds, then fetch them again with their `ETag`. Changes are collected for 100 ms, those of statistics for 5 s. `event` and `bundle` are not named, nor what requests and the expiry of tokens alone change, such as the number of active clients.',
    "The stream ends when its token does, when its caller is excluded, and when the service stops. Connect again after 2 seconds, then after growing pauses: anything may have changed meanwhile.",
  ].join("\n\n"),
  input: v.object({}),
  answer: v.string(),
  example: 'retry: 2000\n\nevent: changed\ndata: {"resources":["wantedreason"]}\n\n',
  failures: {
    STORE_UNAVAILABLE: "The maximum number of streams is open; connect again later.",
  },
} satisfies Omit<Operation, "run">;
