/** All lists in one answer: an addon requests them at every start of the game. */
import * as v from "valibot";
import { pluralOf } from "../domain/text.ts";
import { ReadyBody } from "../engine/body.ts";
import { namesOf } from "../identity/memberships.ts";
import { kindOf } from "../table/caller.ts";
import type { List } from "../table/declared/lists.ts";
import type { Input } from "../table/restriction/restriction.ts";
import { defineRead, type Handler } from "./common/define.ts";
import { component } from "./common/values.ts";

/** Returns a list that is divided by names, with their kind and their field: that of a key of several fields. */
function divided(list: List) {
  const [field, second] = list.key;
  const kind = kindOf(field?.type.base);
  return field === undefined || second === undefined || kind === undefined ? [] : [{ list, kind, field }];
}

/**
 * Returns the handler of `bundle.all`. Lists that are divided by a faction, a service or a group are maps of these.
 * @param handlers all others
 */
export function bundleOf(handlers: ReadonlyMap<string, Handler>, lists: readonly List[]): Handler {
  const divisions = lists.flatMap(divided);
  const whole = lists.filter((list) => divided(list).length === 0);
  const all: readonly (readonly [name: string, operation: string, input?: Input])[] = [
    ["player", "player.overview"],
    ["targetlist", "targetlist.list"],
    ["houseban", "houseban.list", { advanced: false }],
    ...whole.map(({ name }) => [name, `${name}.list`] as const),
    ["event", "event.current"],
    ["top", "statistic.top"],
  ];
  const parts = all.filter(([, operation]) => handlers.has(operation));
  const answers = parts.map(
    ([name, operation]) => [name, handlers.get(operation)?.answer ?? v.unknown()] as const,
  );
  const maps = divisions.map(({ kind, field, list: { name, title } }) => {
    const answer = handlers.get(`${name}.list`)?.answerFor?.(new Set([field.name])) ?? v.unknown();
    const map = v.record(v.pipe(v.string(), v.metadata({ base: kind })), answer);
    return [
      name,
      v.pipe(map, v.description(`The ${pluralOf(title)} of every ${kind} whose list the caller may read.`)),
    ] as const;
  });
  const answer = Object.fromEntries(
    [...answers, ...maps].map(([name, schema]) => [name, v.optional(schema)]),
  );
  return defineRead({
    description: "Each list is the answer of its own operation. The house bans do not name who entered them.",
    input: {},
    answer: component("Bundle", "The lists that the caller may read; others are left out.", answer),
    read(data, _input, { cached }) {
      const bodies = parts.flatMap(([name, operation, input = {}]): [string, ReadyBody][] => {
        const body = cached(operation, input);
        return body === undefined ? [] : [[name, body]];
      });
      for (const { kind, field, list } of divisions) {
        const inner = namesOf(data, kind).flatMap((name): [string, ReadyBody][] => {
          const body = cached(`${list.name}.list`, { [field.name]: name });
          return body === undefined ? [] : [[name, body]];
        });
        if (inner.length > 0) bodies.push([list.name, ReadyBody.of(inner)]);
      }
      return ReadyBody.of(bodies);
    },
  });
}
