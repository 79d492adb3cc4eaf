/** A real browser for tests: Debian's Chromium, driven by playwright-core, which brings none of its own. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { Cleanup } from "../_setup.ts";

const executablePath = "/usr/bin/chromium";

/** Why there is no browser here and a test is skipped, or false. */
export const noBrowser: string | false = existsSync(executablePath)
  ? false
  : `there is no ${executablePath}; install it by: apt-get install --no-install-recommends chromium`;

/** Starts a browser, which is closed after the tests. It asks nobody for anything on its own account. */
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

/** A page, and what it did that a user would not see. */
export interface Watched {
  readonly page: Page;
  /** The addresses that it asked for, but those of data that is within it. */
  readonly asked: string[];
  /** What its console told as an error, such as a violation of its Content-Security-Policy; and what it threw. */
  readonly errors: string[];
}

/** Opens an empty page, which is closed after the test. */
export async function openPage(
  t: Cleanup,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext(options);
  t.after(() => context.close());
  const page = await context.newPage();
  const asked: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) asked.push(request.url());
  });
  page.on("pageerror", (error) => void errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, asked, errors };
}
