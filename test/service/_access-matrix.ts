/**
 * The access matrix of the interface, written by hand and independent of `routes.yaml`: its
 * operations for each kind of caller. `+` is allowed, `-` is denied.
 */

/** The kinds of callers with a valid token who are not excluded, in the order of the matrix's columns. */
export const columns = [
  "the holder of a public token",
  "a player without memberships",
  "a member of the group TARGETLIST",
  "a GROVE member of rank 3",
  "a GROVE member of rank 4",
  "a BALLAS member of rank 6",
  "a RESCUE member of rank 3",
  "a RESCUE member of rank 4",
  "a POLICE member of rank 3",
  "a POLICE member of rank 4",
  "an administrator",
] as const;
export type Column = (typeof columns)[number];

export type Query = Readonly<Record<string, string | number>>;
export type Call = readonly [path: string, query?: Query];

/** One row: an operation, and its allowed callers. */
export interface Row {
  /** `{caller}` in it stands for the caller's own name. */
  readonly path: string;
  readonly query?: Query;
  /** Whether it changes data. */
  readonly effect: "read" | "change";
  /** A mark for each of {@link columns}. */
  readonly marks: string;
  /** The words that a refusal contains. */
  readonly requires: readonly string[];
  /** Calls that prepare the data, by a player with every right; they may fail. */
  readonly first?: readonly Call[];
}

const open = "+ + + + + + + + + + +";
/*                       public
                         | nothing
                         | | TARGETLIST
                         | | | GROVE 3
                         | | | | GROVE 4
                         | | | | | BALLAS 6
                         | | | | | | RESCUE 3
                         | | | | | | | RESCUE 4
                         | | | | | | | | POLICE 3
                         | | | | | | | | | POLICE 4
                         | | | | | | | | | | administrator */
const identified = /*    */ "- + + + + + + + + + +";
const administrators = /**/ "- - - - - - - - - - +";
const targetlist = /*    */ "- - + - - - - - - - -";
const grove = /*         */ "- - - + + - - - - - -";
const groveFour = /*     */ "- - - - + - - - - - -";
const rescue = /*        */ "- - - - - - + + - - -";
const rescueFour = /*    */ "- - - - - - - + - - -";
const policeFour = /*    */ "- - - - - - - - - + -";
const nobody = /*        */ "- - - - - - - - - - -";

function read(path: string, marks = open, requires: readonly string[] = [], query: Query = {}): Row {
  return { path, query, effect: "read", marks, requires };
}

function change(
  path: string,
  query: Query,
  [marks, requires]: readonly [marks: string, requires: readonly string[]],
  ...first: readonly Call[]
): Row {
  return { path, query, effect: "change", marks, requires, first };
}

const byAnyone = [open, []] as const;
const byIdentified = [identified, ["identified"]] as const;
const byAdministrators = [administrators, ["administrators"]] as const;
const byTargetlist = [targetlist, ["members of the group TARGETLIST"]] as const;
const byGroveFour = [groveFour, ["members of the faction GROVE with rank 4 or higher"]] as const;
const byRescueFour = [rescueFour, ["members of the service RESCUE with rank 4 or higher"]] as const;
const byPoliceFour = [policeFour, ["members of the service POLICE with rank 4 or higher"]] as const;
const byThatPlayer = ["player", "named"];

const theft = { reason: "Theft" };
const blacklisted = { reason: "Spy", price: 500, kills: 10 };
const noise = { reason: "Noise", days: 3 };
const banned = { name: "Mallory", reason: "Noise" };
const point = { name: "City-Hall", x: 1, y: -2, z: 3, article: "das" };
const listed = { name: "Mallory" };
const grouped = { name: "Mallory", group: "VIP" };

/** Every operation, in its order. `now` is an instant later than any before. */
export function matrix(now: number): readonly Row[] {
  return [
    read("/statistic/top"),
    read("/statistic/Somebody"),
    change("/statistic/{caller}/add", { type: "KILL" }, [identified, byThatPlayer]),
    change("/statistic/Somebody/add", { type: "KILL" }, [nobody, byThatPlayer]),
    change("/statistic/Somebody/set", { type: "KILL", amount: 7 }, byAdministrators, [
      "/statistic/Somebody/set",
      { type: "KILL", amount: 0 },
    ]),

    read("/player"),
    read("/player/groups"),
    change("/player/add", grouped, byAdministrators, ["/player/remove", grouped]),
    change("/player/remove", grouped, byAdministrators, ["/player/add", grouped]),

    read("/targetlist"),
    change("/targetlist/add", listed, byTargetlist, ["/targetlist/remove", listed]),
    change(
      "/targetlist/done",
      listed,
      byTargetlist,
      ["/targetlist/remove", listed],
      ["/targetlist/add", listed],
    ),
    change("/targetlist/remove", listed, byTargetlist, ["/targetlist/add", listed]),

    read("/blacklistreason/GROVE", grove, ["members of the faction GROVE"]),
    change("/blacklistreason/GROVE/add", blacklisted, byGroveFour, [
      "/blacklistreason/GROVE/remove",
      { reason: "Spy" },
    ]),
    change("/blacklistreason/GROVE/remove", { reason: "Spy" }, byGroveFour, [
      "/blacklistreason/GROVE/add",
      blacklisted,
    ]),

    read("/houseban"),
    read("/houseban", open, [], { advanced: "false" }),
    read("/houseban", rescue, ["members of the service RESCUE"], { advanced: "true" }),
    change(
      "/houseban/add",
      banned,
      byRescueFour,
      ["/housebanreason/add", noise],
      ["/houseban/remove", banned],
    ),
    change(
      "/houseban/remove",
      banned,
      byRescueFour,
      ["/housebanreason/add", noise],
      ["/houseban/add", banned],
    ),

    read("/housebanreason"),
    change("/housebanreason/add", noise, byRescueFour, ["/housebanreason/remove", { reason: "Noise" }]),
    change("/housebanreason/remove", { reason: "Noise" }, byRescueFour, ["/housebanreason/add", noise]),

    read("/navipoint"),
    change("/navipoint/add", point, byAdministrators, ["/navipoint/remove", { name: "City-Hall" }]),
    change("/navipoint/remove", { name: "City-Hall" }, byAdministrators, ["/navipoint/add", point]),

    read("/wantedreason"),
    change("/wantedreason/add", { ...theft, points: 10 }, byPoliceFour, ["/wantedreason/remove", theft]),
    change("/wantedreason/remove", theft, byPoliceFour, ["/wantedreason/add", { ...theft, points: 10 }]),

    read("/mgmt"),
    read("/mgmt/users"),
    change("/mgmt/version", { type: "add", version: "2.5.1" }, byAdministrators, [
      "/mgmt/version",
      { type: "remove", version: "2.5.1" },
    ]),

    read("/event"),
    change("/event/bankrob", { startTime: now }, byIdentified),
    change("/event/bomb", { startTime: now }, byIdentified),
    change("/event/gangwar", { attacker: 3, defender: 2 }, byAnyone, [
      "/event/gangwar",
      { attacker: 0, defender: 0 },
    ]),
  ];
}
