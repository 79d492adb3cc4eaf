/** Every administrative operation by its name, that of its command: the journal and the socket call it so, too. */
import type * as v from "valibot";
import { complete } from "./completion.ts";
import type { AdministrationOperation } from "./define.ts";
import { everything } from "./everything.ts";
import * as names from "./names.ts";
import * as players from "./players.ts";
import { removeName } from "./remove-name.ts";
import { rename } from "./rename.ts";
import { closeCases } from "./statistics.ts";
import * as tokens from "./tokens.ts";

export const administration = {
  "seed.groups": names.seed,
  "seed.remove": removeName,
  "player.add": players.add,
  "player.list": players.list,
  "player.show": players.show,
  "player.everything": everything,
  "player.rename": rename,
  "player.remove": players.remove,
  "player.exclude": players.exclude,
  "player.readmit": players.readmit,
  "player.reset-statistic": players.resetStatistic,
  "member.set": players.setMember,
  "member.remove": players.removeMember,
  "admin.grant": players.grantAdministrator,
  "admin.revoke": players.revokeAdministrator,
  "admin.list": players.listAdministrators,
  "group.list": players.listGroups,
  "group.add": players.addToGroup,
  "group.remove": players.removeFromGroup,
  "audit.statistics": closeCases,
  "token.issue": tokens.issue,
  "token.list": tokens.list,
  "token.revoke": tokens.revoke,
  "name.complete": complete,
} satisfies Record<string, AdministrationOperation>;

/** The administrative operations, with what each takes and gives. */
export type Administration = typeof administration;
export type AdministrationName = keyof Administration;

/** What an administrative operation takes. */
export type AdministrationInput<N extends AdministrationName> = v.InferInput<Administration[N]["input"]>;

type Result<O> = O extends { change(...all: never[]): infer R } | { read(...all: never[]): infer R }
  ? R
  : never;
/** The operations that only read. */
export type ReadName = {
  [N in AdministrationName]: Administration[N]["effect"] extends "read" ? N : never;
}[AdministrationName];

/** What an administrative operation gives. */
export type AdministrationResult<N extends AdministrationName> = Result<Administration[N]>;
