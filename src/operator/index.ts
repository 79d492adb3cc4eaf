/** All operator operations, by the names of their commands, which the journal and the socket use as well. */
import { complete } from "./completion.ts";
import {
  type Environment,
  type InputOf,
  type OperatorOperation,
  type ResultOf,
  runOperation,
} from "./define.ts";
import { invitePlayers, list as listInvitations } from "./invitations.ts";
import { dropList, exportList, importList } from "./lists/lists.ts";
import * as memberships from "./memberships.ts";
import { personalData } from "./personal-data.ts";
import * as players from "./players.ts";
import { rename } from "./rename.ts";
import { applyRoster, exportRoster } from "./roster/roster.ts";
import { seed } from "./seed.ts";
import { removeName } from "./seed-removal.ts";
import { closeCases } from "./statistics.ts";
import * as tokens from "./tokens.ts";
import { undoCaller } from "./undo/caller.ts";
import { undo } from "./undo/undo.ts";

export const operatorOperations = {
  "seed.groups": seed,
  "seed.remove": removeName,
  "list.drop": dropList,
  "list.export": exportList,
  "list.import": importList,
  "player.add": players.add,
  "player.list": players.list,
  "player.show": players.show,
  "player.everything": personalData,
  "player.rename": rename,
  "player.remove": players.remove,
  "player.exclude": players.exclude,
  "player.readmit": players.readmit,
  "player.reset-statistic": players.resetStatistic,
  "member.set": memberships.setMember,
  "member.remove": memberships.removeMember,
  "admin.grant": memberships.grantAdministrator,
  "admin.revoke": memberships.revokeAdministrator,
  "admin.list": memberships.listAdministrators,
  "group.list": memberships.listGroups,
  "group.add": memberships.addToGroup,
  "group.remove": memberships.removeFromGroup,
  "roster.apply": applyRoster,
  "roster.export": exportRoster,
  "audit.statistics": closeCases,
  "token.invite": invitePlayers,
  "token.invitations": listInvitations,
  "token.issue": tokens.issue,
  "token.list": tokens.list,
  "token.revoke": tokens.revoke,
  "name.complete": complete,
  undo,
  "undo.caller": undoCaller,
} satisfies Record<string, OperatorOperation<Environment>>;

type Operations = typeof operatorOperations;
export type OperatorOperationName = keyof Operations;

/** The names of the operations that only read. */
export type OperatorReadName = {
  [N in OperatorOperationName]: Operations[N]["effect"] extends "read" ? N : never;
}[OperatorOperationName];

/** The input of an operator operation. */
export type OperatorInput<N extends OperatorOperationName> = InputOf<Operations[N]>;

/** The result of an operator operation. */
export type OperatorResult<N extends OperatorOperationName> = ResultOf<Operations[N]>;

const typed: {
  readonly [N in OperatorOperationName]: OperatorOperation<Environment, OperatorResult<N>>;
} = operatorOperations;

/** Runs an operation of the operator. @throws Failure where it refuses */
export function administer<N extends OperatorOperationName>(
  environment: Environment,
  name: N,
  input: OperatorInput<N>,
): Promise<OperatorResult<N>> {
  return runOperation<Environment, OperatorResult<N>>(typed[name], environment, name, input);
}
