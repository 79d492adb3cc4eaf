/** The possible records of one client, after its requests and their answers. */

/** A client's records in the service. */
export interface Records {
  readonly kills: number;
  readonly deaths: number;
  readonly playTime: number;
  /** The points of its wanted reason; undefined where there is none. */
  readonly points: number | undefined;
  readonly target: boolean;
}

/** At least what was acknowledged, at most what was requested. */
interface Range {
  least: number;
  most: number;
}

/** Returns the fault of a count: too little is lost, too much is duplicated. */
export interface Fault {
  readonly kind: "lost" | "duplicated";
  readonly what: string;
}

/** See the head of this file. */
export class Belief {
  readonly kills: Range;
  readonly deaths: Range;
  playTime: readonly number[];
  points: readonly (number | undefined)[];
  target: readonly boolean[];
  /** Whether the client got an answer that this belief excludes. */
  refuted: string | undefined;

  constructor({ kills, deaths, playTime, points, target }: Records) {
    this.kills = { least: kills, most: kills };
    this.deaths = { least: deaths, most: deaths };
    this.playTime = [playTime];
    this.points = [points];
    this.target = [target];
  }

  /** Returns how the records contradict it. */
  faults(records: Records): Fault[] {
    const faults: Fault[] = [];
    if (this.refuted !== undefined) faults.push({ kind: "lost", what: this.refuted });
    for (const name of ["kills", "deaths"] as const) {
      const { least, most } = this[name];
      const count = records[name];
      const what = `${name} ${count}, expected ${least} to ${most}`;
      if (count < least) faults.push({ kind: "lost", what });
      if (count > most) faults.push({ kind: "duplicated", what });
    }
    for (const name of ["playTime", "points", "target"] as const) {
      const possible: readonly unknown[] = this[name];
      if (possible.includes(records[name])) continue;
      faults.push({ kind: "lost", what: `${name} ${records[name]}, expected one of ${possible.join(", ")}` });
    }
    return faults;
  }
}
