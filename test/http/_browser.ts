/** A real browser for tests: Debian's Chromium, driven by playwright-core, which has no browser of its own. */
import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Cleanup } from "../_setup.ts";

const executablePath = "/usr/bin/chromium";

/** Why tests that need a browser are skipped, or false. */
export const noBrowser: string | false = existsSync(executablePath)
  ? false
  : `${executablePath} is missing; install it with: apt-get install --no-install-recommends chromium`;

/** Starts a browser, which is closed after the tests. It sends no requests of its own. */
export async function startBrowser(t: Cleanup): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  t.after(() => browser.close());
  return browser;
}

/** A page, its requests and its errors. */
export interface ObservedPage {
  readonly page: Page;
  /** The addresses that it has requested, without `data:`. */
  readonly requested: string[];
  /** The errors on its console, such as violations of its Content-Security-Policy, and those that it threw. */
  readonly errors: string[];
}

/** Opens an empty page, which is closed after the test. */
export async function openPage(
  t: Cleanup,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<ObservedPage> {
  const context = await browser.newContext(options);
  t.after(() => context.close());
  const page = await context.newPage();
  const requested: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) requested.push(request.url());
  });
  page.on("pageerror", (error) => void errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, requested, errors };
}

/** Returns the violations that axe-core finds, one line each. */
export async function violations(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  await page.evaluate(axe.source);
  // Describing what passes takes most of the time.
  const all = JSON.stringify({ ...options, resultTypes: ["violations"] });
  const results: axe.AxeResults = await page.evaluate(`axe.run(document, ${all})`);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.join(" ")}: ${any[0]?.message}`),
  );
}
