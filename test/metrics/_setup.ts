/** A service with metrics, and a reader of their text format. */
import { spawnSync } from "node:child_process";
import type { Cleanup } from "../_setup.ts";
import { type Desk, type Running, seededDesk } from "../cli/_setup.ts";

/** Returns why the tests of a program are skipped, or false if it is installed. */
export function without(program: string): string | false {
  return spawnSync(program, ["--version"]).error === undefined ? false : `${program} is not installed`;
}

/** A running service, whose metrics are served. */
export interface Measured {
  readonly desk: Desk;
  readonly running: Running;
  /** The URL of the service, without a slash at the end. */
  readonly url: string;
  /** The URL of its metrics. */
  readonly metrics: string;
}

/** Starts `serve --metrics` on a seeded folder. */
export async function serveMeasured(t: Cleanup, desk?: Desk): Promise<Measured> {
  const own = desk ?? (await seededDesk(t));
  const running = own.serve(["--metrics", "127.0.0.1:0"]);
  const [, url = ""] = await running.shows(/Listening on (http:\/\/[^/\s]+)/);
  // The line precedes the banner.
  const [metrics = ""] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(running.stderr.text) ?? [];
  return { desk: own, running, url, metrics };
}

/** A scraped text, with its values by name and labels as they stand there. */
export class Scrape {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the value of a series, such as `gameaddon_players`, or undefined. */
  value(series: string): number | undefined {
    const line = this.text.split("\n").find((line) => line.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  }

  /** Returns the values of a label. */
  labels(name: string): Set<string> {
    const form = new RegExp(`[{,]${name}="([^"]*)"`, "g");
    return new Set(Array.from(this.text.matchAll(form), ([, value = ""]) => value));
  }
}

/** Scrapes a URL. */
export async function scrape(url: string): Promise<Scrape> {
  return new Scrape(await (await fetch(url)).text());
}
