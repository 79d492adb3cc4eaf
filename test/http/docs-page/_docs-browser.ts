/** Functions for the browser tests of the documentation page: open it, and use its operations. */
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Cleanup } from "../../_setup.ts";
import { type ObservedPage, openPage } from "../_browser.ts";

/** Opens the page, and waits for its operations. @param address such as `http://127.0.0.1:8888/docs` */
export async function openDocs(
  t: Cleanup,
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<ObservedPage> {
  const observed = await openPage(t, browser, options);
  await observed.page.goto(address);
  await operation(observed.page, "/wantedreason").waitFor();
  return observed;
}

/** Returns an operation. @param path without the prefix */
export function operation(page: Page, path: string): Locator {
  return page.locator(".opblock").filter({ has: page.locator(`[data-path="${path}"]`) });
}

/** Opens an operation with "Try it out". */
export async function openToTry(page: Page, path: string): Promise<Locator> {
  const opened = operation(page, path);
  await opened.locator(".opblock-summary-control").click();
  await opened.getByRole("button", { name: "Try it out" }).click();
  return opened;
}

/** Opens an operation, fills in its text parameters, and executes it. */
export async function tryOut(
  page: Page,
  path: string,
  values: Readonly<Record<string, string>> = {},
): Promise<Locator> {
  const opened = await openToTry(page, path);
  for (const [name, value] of Object.entries(values))
    await opened.getByPlaceholder(name, { exact: true }).fill(value);
  await execute(opened);
  return opened;
}

/** Executes an open operation. */
export function execute(opened: Locator): Promise<void> {
  return opened.getByRole("button", { name: "Execute" }).click();
}

/** Waits until an operation shows an answer. */
export async function answered(opened: Locator, status: string, text: string): Promise<void> {
  const answer = opened.locator(".live-responses-table tbody tr").filter({ hasText: text });
  await answer.locator(".response-col_status", { hasText: status }).waitFor();
}
