/**
 * The world that a data folder is filled with: N players, each with five statistics, a token and a membership, one
 * more who is excluded, and 50 entries in each list. Everything follows from a player's number, but the tokens: they
 * follow from a secret that this process makes up and keeps to itself.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import type {
  Membership,
  NaviPoint,
  Player,
  Statistic,
  Target,
  Token,
  WantedReason,
} from "../../src/domain/model.ts";
import { addonVersion } from "../run/ask.ts";
import { prefix } from "../run/project.ts";

const secret = randomBytes(32);

/** When everything in the world began, in milliseconds since 1970. */
const beginning = Date.parse("2025-01-01T00:00:00Z");

const factions = ["GROVE", "BALLAS", "VAGOS", "TRIADS", "CARTEL"] as const;
const articles = ["der", "die", "das"] as const;
const listLength = 50;

/** The counters of a statistic. */
export const counters = ["deaths", "kills", "playTime", "revives", "services"] as const;
export type Counter = (typeof counters)[number];

/** Which type an addition has for each counter. */
export const typeOf: Readonly<Record<Counter, string>> = {
  deaths: "DEATH",
  kills: "KILL",
  playTime: "PLAYTIME",
  revives: "REVIVE",
  services: "SERVICE",
};

/** See the head of this file. */
export class World {
  /** The number of players, without the one who is excluded. */
  readonly size: number;

  constructor(size: number) {
    this.size = size;
  }

  /** The number of the player who is excluded. */
  get excluded(): number {
    return this.size;
  }

  /** Up to 100 players, evenly spread. */
  get callers(): readonly number[] {
    const count = Math.min(100, this.size);
    return Array.from({ length: count }, (_, each) => Math.floor((each * this.size) / count));
  }

  /** The players with the most kills, up to 100. */
  get leaders(): readonly number[] {
    const kills = Array.from({ length: this.size }, (_, number) => this.statistic(number).kills);
    const numbers = kills.map((_, number) => number);
    return numbers.sort((a, b) => (kills[b] ?? 0) - (kills[a] ?? 0)).slice(0, 100);
  }

  player(number: number): Player {
    const name = `P${String(number).padStart(6, "0")}`;
    return { uuid: uuidOf(number), name, administrator: false, registeredAt: beginning + number };
  }

  statistic(number: number): Statistic {
    const digest = createHash("sha256").update(`statistic ${number}`).digest();
    const [deaths, kills, playTime, revives, services] = [0, 2, 4, 6, 8].map(
      (at) => digest.readUInt16LE(at) + 1,
    );
    return { uuid: uuidOf(number), deaths, kills, playTime, revives, services } as Statistic;
  }

  membership(number: number): Membership {
    const organisation = factions[number % factions.length] ?? factions[0];
    return { uuid: uuidOf(number), organisation, rank: 1 + (number % 9) };
  }

  /** The token of a player; or, by the number -1, a public one. It must not be shown to anybody. */
  token(number: number): string {
    return `gat_${createHmac("sha256", secret).update(String(number)).digest("base64url")}`;
  }

  tokenRecord(number: number): Token {
    return {
      // An odd factor gives each number another id.
      id: (Math.imul(number + 2, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0"),
      hash: createHash("sha256").update(this.token(number)).digest("hex"),
      uuid: number < 0 ? null : uuidOf(number),
      label: null,
      addonVersion,
      issuedAt: beginning + number,
      expiresAt: null,
      revokedAt: null,
    };
  }

  /** A path as a player asks for it, with the token in it. */
  path(number: number, path: string): string {
    return `${prefix}/${this.token(number)}${path}`;
  }

  /** The same path as each of the callers asks for it. `{name}` in it stands for the caller's name. */
  paths(path: string, callers: readonly number[] = this.callers): readonly string[] {
    return callers.map((number) => this.path(number, path.replace("{name}", this.player(number).name)));
  }
}

/** The wanted reasons, in the order of the list. */
export const wantedReasons: readonly WantedReason[] = Array.from({ length: listLength }, (_, each) => ({
  reason: `Armed-robbery-of-a-shop-${two(each)}`,
  points: each * 7,
}));

/** The navi points, in the order of the list. */
export const naviPoints: readonly NaviPoint[] = Array.from({ length: listLength }, (_, each) => ({
  name: `Harbour-warehouse-${two(each)}`,
  x: each * 31 - 700,
  y: 1200 - each * 17,
  z: each,
  article: articles[each % articles.length] ?? articles[0],
}));

/** The target list, oldest first. Its targets are not registered. */
export const targets: readonly Target[] = Array.from({ length: listLength }, (_, each) => ({
  name: `Wanted_${two(each)}`,
  uuid: null,
  done: each % 3 === 0,
  listed: each + 1,
}));

function two(number: number): string {
  return String(number).padStart(2, "0");
}

function uuidOf(number: number): string {
  return createHash("sha256").update(`player ${number}`).digest("hex").slice(0, 32);
}
