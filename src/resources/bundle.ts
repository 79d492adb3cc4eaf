/** All lists in one answer: an addon requests them at every start of the game. */
import * as v from "valibot";
import { pluralOf } from "../domain/text.ts";
import { ReadyBody } from "../engine/body.ts";
import { namesOf } from "../identity/memberships.ts";
import { kindOf } from "../table/caller.ts";
import type { List } from "../table/declared/lists.ts";
import type { Input } from "../table/restriction/restriction.ts";
import { defineRead, type Handler } from "./shared/define.ts";
import { component } from "./shared/values.ts";

/** A list in the answer: its name, its operation and the input of that. */
interface Part {
  readonly name: string;
  readonly operation: string;
  readonly input: Input;
}

const part = (name: string, operation: string, input: Input = {}): Part => ({ name, operation, input });

/** Returns the kind of the names by which a list is divided, with the field: that of a key of several fields. */
function divisionOf({ key: [first, second] }: List) {
  const kind = kindOf(first?.type.base);
  return first === undefined || second === undefined || kind === undefined
    ? undefined
    : { kind, field: first };
}

/**
 * Returns the handler of `bundle.all`. Lists that are divided by a faction, a service or a group are maps of these.
 * @param handlers all others
 */
export function bundleOf(handlers: ReadonlyMap<string, Handler>, lists: readonly List[]): Handler {
  const divided = lists.flatMap((list) => {
    const division = divisionOf(list);
    return division === undefined ? [] : [{ ...division, list }];
  });
  const whole = lists.filter((list) => divisionOf(list) === undefined);
  const parts = [
    part("player", "player.overview"),
    part("targetlist", "targetlist.list"),
    part("houseban", "houseban.list", { advanced: false }),
    ...whole.map(({ name }) => part(name, `${name}.list`)),
    part("event", "event.current"),
    part("top", "statistic.top"),
  ].filter(({ operation }) => handlers.has(operation));
  const answers = parts.map(
    ({ name, operation }) => [name, handlers.get(operation)?.answer ?? v.unknown()] as const,
  );
  const maps = divided.map(({ kind, field, list: { name, title } }) => {
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
      const bodies = parts.flatMap(({ name, operation, input }): [string, ReadyBody][] => {
        const body = cached(operation, input);
        return body === undefined ? [] : [[name, body]];
      });
      for (const { kind, field, list } of divided) {
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
