/** Decides whether a caller may call an operation, and explains why in the steps of a request. */

import type { Player } from "../domain/model.ts";
import { withTerms } from "../domain/terms.ts";
import { asArgument, oneOf } from "../domain/text.ts";
import { decisionReason } from "../engine/reason.ts";
import { playerCaller, publicCaller } from "../identity/callers.ts";
import { requirePlayer } from "../identity/players.ts";
import { isLive } from "../identity/tokens.ts";
import type { Data } from "../store/data.ts";
import { denialOf, exclusionOf } from "../table/authorization.ts";
import type { Caller, Vocabulary } from "../table/caller.ts";
import {
  applicable,
  applyingCase,
  conditionOf,
  describe,
  type Input,
  isAllowed,
  isCompound,
  nameOf,
  type Restriction,
} from "../table/restriction/restriction.ts";
import type { Table } from "../table/table.ts";
import { type Pair, requireWhole, toQuestion } from "./question.ts";

/** A step of the explanation. `passed` is null if the step does not decide. */
export interface Step {
  readonly step: "token" | "exclusion" | "parameters" | "case" | "needs" | "part" | "has" | "enough";
  readonly passed: boolean | null;
  /** One sentence without its full stop. */
  readonly says: string;
}

/** The answer to `can-i`. */
export type Decision = ReturnType<typeof canI>;

/** The name of public tokens at the command line. A player of that name needs the UUID. */
const publicName = "public";

/**
 * Decides as the engine decides a request.
 * @param who a player's name or UUID, or `public`
 * @param readOnly whether with a read-only token
 * @throws Failure `UNKNOWN_PLAYER`, and those of {@link toQuestion} and {@link requireWhole}
 */
export function canI(
  data: Data,
  table: Table,
  vocabulary: Vocabulary,
  now: number,
  [who, path, pairs]: readonly [who: string, path: string, pairs: readonly Pair[]],
  readOnly = false,
) {
  const player = who.toLowerCase() === publicName ? undefined : requirePlayer(data, who);
  const token = { id: "-", readOnly };
  const caller = player === undefined ? publicCaller(token) : playerCaller(data, player, () => now, token);
  const { route, input } = requireWhole(toQuestion(table, vocabulary, path, pairs));
  const { restriction } = route;
  const code = denialOf(table, route, caller, () => input) ?? null;
  const excluded = code === "EXCLUDED";
  const allowed = isAllowed(restriction, caller, input);
  const name = player?.name ?? publicName;
  const { needs, had } = decisionReason(restriction, caller, input);
  const steps: Step[] = [];
  const isChange = route.operation.effect === "change";
  const lacksToken = player === undefined ? undefined : tokenWords(data, player, isChange && !readOnly, now);
  if (lacksToken !== undefined) steps.push({ step: "token", passed: null, says: lacksToken });
  steps.push({ step: "exclusion", passed: !excluded, says: exclusionWords(table, player, caller, excluded) });
  const refusesChange = readOnly && isChange;
  if (refusesChange)
    steps.push({ step: "token", passed: false, says: "a read-only token allows no changes" });
  const decisive = Object.entries(input).map(([key, value]) => `${key} is ${value}`);
  if (decisive.length > 0) steps.push({ step: "parameters", passed: null, says: decisive.join(", ") });
  steps.push(...caseSteps(restriction, input));
  steps.push({ step: "needs", passed: null, says: needs });
  steps.push(...partSteps(restriction, caller, input));
  steps.push({ step: "has", passed: allowed, says: `${player === undefined ? "it" : name} ${had}` });
  const readmission = `the end of the exclusion (addon-cli player readmit ${asArgument(name)})`;
  const lacks = allowed ? [] : [...new Set(enough(restriction, caller, input, player))];
  const ways = excluded ? lacks.map((way) => `${readmission}, and ${way}`) : lacks;
  for (const says of excluded && lacks.length === 0 ? [readmission] : ways)
    steps.push({ step: "enough", passed: null, says });
  return {
    allowed: code === null,
    code,
    caller: name,
    path: route.path,
    // Those that the restriction depends on.
    parameters: input,
    revision: table.revision,
    steps,
  };
}

/** Returns why none of a player's tokens can call the operation; undefined if one can. */
function tokenWords(data: Data, { uuid, name }: Player, needsFull: boolean, now: number): string | undefined {
  const live = data.tokens.find("player", uuid).filter((token) => isLive(token, now));
  const issue = `addon-cli token issue --player ${name}`;
  if (live.length === 0) return `${name} has no valid token (${issue})`;
  if (!needsFull || live.some(({ readOnly }) => readOnly !== true)) return undefined;
  return `${name} has only read-only tokens, which allow no changes (${issue})`;
}

function exclusionWords(table: Table, player: Player | undefined, caller: Caller, excluded: boolean): string {
  const { excludedGroup } = table;
  if (excludedGroup === undefined) return "the table excludes nobody";
  if (player === undefined) return `a public token is in no group, and so not in ${excludedGroup}`;
  const { name } = player;
  const group = `${name} is in the group ${excludedGroup}, whose members may call nothing`;
  if (excluded) return withTerms(group, exclusionOf(table, caller)).replace(/\.$/, "");
  return `${name} is not in the group ${excludedGroup}`;
}

/** Returns the cases that apply, from the outermost on. */
function caseSteps(restriction: Restriction, input: Input): Step[] {
  if (isCompound(restriction)) return restriction.restrictions.flatMap((part) => caseSteps(part, input));
  if (restriction.kind !== "cases") return [];
  const { cases } = restriction;
  const applying = applyingCase(cases, input);
  const says = `case ${cases.indexOf(applying) + 1} of ${cases.length} applies, for ${conditionOf(applying) || "everything else"}`;
  return [{ step: "case", passed: null, says }, ...caseSteps(applying.restriction, input)];
}

/** Returns whether each part of an `anyOf` or `allOf` allows the caller. The parts of part 2 are 2.1, 2.2 and so on. */
function partSteps(whole: Restriction, caller: Caller, input: Input, number = ""): Step[] {
  const restriction = applicable(whole, input);
  if (!isCompound(restriction)) return [];
  return restriction.restrictions.flatMap((part, index) => {
    const own = `${number}${index + 1}`;
    const says = `${own}: ${describe(part, input)}`;
    const step: Step = { step: "part", passed: isAllowed(part, caller, input), says };
    return [step, ...partSteps(part, caller, input, `${own}.`)];
  });
}

/** Returns what would be enough for a caller whom the restriction refuses: each alternative in words. */
function enough(whole: Restriction, caller: Caller, input: Input, player: Player | undefined): string[] {
  const restriction = applicable(whole, input);
  switch (restriction.kind) {
    case "anyOf":
      return restriction.restrictions.flatMap((part) => enough(part, caller, input, player));
    case "allOf": {
      // One token must meet all parts.
      if (player === undefined) return [`the token of a player, from among ${describe(restriction, input)}`];
      const lacking = restriction.restrictions.filter((part) => !isAllowed(part, caller, input));
      const ways = lacking.map((part) => [...new Set(enough(part, caller, input, player))]);
      return [ways.map((some) => (some.length > 1 ? `either ${oneOf(some)}` : oneOf(some))).join(", and ")];
    }
  }
  if (player === undefined) {
    if (restriction.kind === "identified") return ["the token of a player"];
    const whose = restriction.kind === "self" ? "of" : "from among";
    return [`the token of a player, ${whose} ${describe(restriction, input)}`];
  }
  const { name } = player;
  const who = asArgument(name);
  switch (restriction.kind) {
    // These refuse no player.
    case "open":
    case "identified":
      return [];
    case "administrators":
      return [`the administrator flag (addon-cli admin grant ${who})`];
    case "self":
      return [`${name} as "${restriction.parameter}"`];
    case "member": {
      const { of, reference, rank = 1 } = restriction;
      const group = nameOf(reference, input);
      if (of === "group")
        return [`membership in the group ${group} (addon-cli group add ${who} ${asArgument(group)})`];
      const words = rank === 1 ? "any rank" : `rank ${rank} or higher`;
      return [`${words} in the ${of} ${group} (addon-cli member set ${who} ${asArgument(group)} ${rank})`];
    }
  }
}
