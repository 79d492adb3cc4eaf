/**
 * The dataset of a data folder: N players, each with five counters, a token and a membership, one more who is excluded,
 * and 50 entries in each list. Everything follows from a player's number except the tokens, which follow from a secret
 * of this process.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { Membership, Named, Player, Target, Token } from "../../src/domain/model.ts";
import { addonVersion, prefix } from "../run/project.ts";

const secret = randomBytes(32);

/** The time of the first registration, in milliseconds since 1970. */
const beginning = Date.parse("2025-01-01T00:00:00Z");

const factions = ["GROVE", "BALLAS", "VAGOS", "TRIADS", "CARTEL"] as const;
const articles = ["der", "die", "das"] as const;
const listLength = 50;

/** The counters of a statistic. */
export type Counter = "deaths" | "kills" | "playTime" | "revives" | "services";

/** A player's counters. */
export type Statistic = { readonly uuid: string } & Readonly<Record<Counter, number>>;

/** The counters, and the type of an addition to each. */
export const counterTypes: readonly (readonly [Counter, string])[] = [
  ["deaths", "DEATH"],
  ["kills", "KILL"],
  ["playTime", "PLAYTIME"],
  ["revives", "REVIVE"],
  ["services", "SERVICE"],
];

/** See the head of this file. */
export class Dataset {
  /** The number of players, without the one who is excluded. */
  readonly size: number;
  /** The number of the player who is excluded. */
  readonly excluded: number;
  /** The numbers of up to 100 players, evenly spread. */
  readonly callers: readonly number[];
  /** The groups, factions and services of the shipped seed. */
  readonly names: readonly Named[];

  constructor(size: number, names: readonly Named[]) {
    this.size = size;
    this.excluded = size;
    this.names = names;
    const count = Math.min(100, size);
    this.callers = Array.from({ length: count }, (_, index) => Math.floor((index * size) / count));
  }

  /** Returns the numbers of up to 100 players with the most kills. */
  leaders(): readonly number[] {
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
    const counter = (at: number) => digest.readUInt16LE(2 * at) + 1;
    return {
      uuid: uuidOf(number),
      deaths: counter(0),
      kills: counter(1),
      playTime: counter(2),
      revives: counter(3),
      services: counter(4),
    };
  }

  membership(number: number): Membership {
    const organisation = factions[number % factions.length] ?? factions[0];
    return { uuid: uuidOf(number), organisation, rank: 1 + (number % 9) };
  }

  /** Returns the token of a player, or the public one for the number -1. It must not be printed. */
  token(number: number): string {
    return `gat_${createHmac("sha256", secret).update(String(number)).digest("base64url")}`;
  }

  tokenRecord(number: number): Token {
    return {
      // An odd factor maps each number to an id of its own.
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

  /** Returns a path with the prefix and the player's token. `{name}` in it stands for the player's name. */
  path(number: number, path: string): string {
    return `${prefix}/${this.token(number)}${path.replace("{name}", this.player(number).name)}`;
  }

  /** Returns the path as each caller, or each of other players, requests it. */
  paths(path: string, players = this.callers): readonly string[] {
    return players.map((number) => this.path(number, path));
  }
}

/** The wanted reasons, in the order of the list. */
export const wantedReasons = Array.from({ length: listLength }, (_, index) => ({
  reason: `Armed-robbery-of-a-shop-${twoDigits(index)}`,
  points: index * 7,
}));

/** The navi points, in the order of the list. */
export const naviPoints = Array.from({ length: listLength }, (_, index) => ({
  name: `Harbour-warehouse-${twoDigits(index)}`,
  x: index * 31 - 700,
  y: 1200 - index * 17,
  z: index,
  article: articles[index % articles.length] ?? articles[0],
}));

/** The target list, oldest first. Its targets are not registered. */
export const targets: readonly Target[] = Array.from({ length: listLength }, (_, index) => ({
  name: `Wanted_${twoDigits(index)}`,
  uuid: null,
  done: index % 3 === 0,
  listed: index + 1,
}));

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

function uuidOf(number: number): string {
  return createHash("sha256").update(`player ${number}`).digest("hex").slice(0, 32);
}
