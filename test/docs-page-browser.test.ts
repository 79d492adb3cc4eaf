/** The documentation page in a real browser: it is opened, read, and operations are tried. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { noBrowser, openPage, startBrowser, type Watched } from "./_browser.ts";
import { serveDocs } from "./_docs.ts";
import { assertIncludes, assertLacks, prefix } from "./_setup.ts";

test("the documentation page in a browser", { skip: noBrowser }, async (t) => {
  const { desk, url } = await serveDocs(t);
  const token = (await desk.ok("token", "issue", "--player", "Ada")).trim();
  const browser = await startBrowser(t);

  /** Opens the page, and waits until the operations are there. */
  async function openDocs(tail = "", options: BrowserContextOptions = {}): Promise<Watched> {
    const watched = await openPage(t, browser, options);
    await watched.page.goto(`${url}/docs${tail}`);
    await operation(watched.page, "/wantedreason").waitFor();
    return watched;
  }

  // One after the other on one page, as a reader would: opening it is most of the work.
  const { page, asked, errors } = await openDocs();

  await t.test("says that a token is needed, and asks nothing without one", async () => {
    const before = asked.length;
    const read = await tryOut(page, "/wantedreason/remove", { reason: "Bank-robbery" });
    await read.getByText("This needs your token: type it in at the top of the page.").waitFor();
    await page.getByText("Type it in here first.").waitFor();
    assert.deepEqual(asked.slice(before), []);
    await page.getByLabel("Your token").fill("hunter2");
    await page.getByText("This does not look like a token.").waitFor();
  });

  await t.test("shows what a read answers, with the token that was typed in", async () => {
    await page.getByLabel("Your token").fill(token);
    const read = await tryOut(page, "/wantedreason");
    await answered(read, "200", '"reason": "Bank-robbery"');
    assertIncludes(await read.innerText(), `${url}${prefix}/TOKEN/wantedreason`);
  });

  await t.test("shows why a change is denied", async () => {
    const change = await tryOut(page, "/housebanreason/add", { reason: "Theft", days: "3" });
    const info = "This operation is only for members of the service RESCUE with rank 4 or higher.";
    await answered(change, "403", info);
    // Of the denial the browser tells by itself. Whatever the Content-Security-Policy refused would be here, too.
    assert.deepEqual(errors.splice(0), [
      "Failed to load resource: the server responded with a status of 403 (Forbidden)",
    ]);
  });

  await t.test("makes a change that is allowed, and says beforehand that it does", async () => {
    const change = await tryOut(page, "/wantedreason/add", { reason: "Speeding", points: "5" });
    await answered(change, "200", '"info":');
    assertIncludes(await change.innerText(), "This really changes the data of the service.");
    assertIncludes(await desk.ok("call", "/wantedreason"), "Speeding");
  });

  await t.test("has kept the token to itself, and asked nobody else for anything", async () => {
    assertLacks(await page.content(), token);
    assertLacks(page.url(), token);
    assert.deepEqual(await keptBy(page), []);
    assert.deepEqual([...new Set(asked.map((address) => new URL(address).origin))], [url]);
    assert.deepEqual(errors, []);
  });

  await t.test("runs no script that has come into it", async () => {
    assert.equal(await runsInline(page), false);
    assert.match(errors.join(), /Content Security Policy/);
  });

  await t.test(
    "follows a link to an operation, none to another description, and fits a dark phone",
    async () => {
      const elsewhere = "url=http://elsewhere.invalid/a.json&configUrl=http://elsewhere.invalid/b.json";
      const viewport = { width: 360, height: 740 };
      const phone = await openDocs(`?${elsewhere}#/navipoint/navipointAdd`, {
        viewport,
        colorScheme: "dark",
      });
      await operation(phone.page, "/navipoint/add").getByRole("button", { name: "Try it out" }).waitFor();
      await phone.page.locator("html.dark-mode").waitFor();
      assert.equal(await widthOf(phone.page), viewport.width);
      assert.deepEqual([...new Set(phone.asked.map((address) => new URL(address).origin))], [url]);
      assert.deepEqual(phone.errors, []);
    },
  );
});

function operation(page: Page, path: string): Locator {
  return page.locator(".opblock").filter({ has: page.locator(`[data-path="${path}"]`) });
}

/** Opens an operation, fills its parameters in, and executes it. */
async function tryOut(
  page: Page,
  path: string,
  values: Readonly<Record<string, string>> = {},
): Promise<Locator> {
  const opened = operation(page, path);
  await opened.locator(".opblock-summary-control").click();
  await opened.getByRole("button", { name: "Try it out" }).click();
  for (const [name, value] of Object.entries(values)) {
    await opened.getByPlaceholder(name, { exact: true }).fill(value);
  }
  await opened.getByRole("button", { name: "Execute" }).click();
  return opened;
}

/** Waits until an operation shows an answer. */
async function answered(opened: Locator, status: string, text: string): Promise<void> {
  const answer = opened.locator(".live-responses-table tbody tr").filter({ hasText: text });
  await answer.locator(".response-col_status", { hasText: status }).waitFor();
}

/** What the functions that run in the page refer to there: the tests are compiled without a browser's types. */
interface InPage {
  readonly document: {
    readonly cookie: string;
    readonly title: string;
    readonly documentElement: { readonly scrollWidth: number };
    readonly body: { append(element: { textContent: string }): void };
    createElement(name: string): { textContent: string };
  };
  readonly localStorage: Readonly<Record<string, string>>;
  readonly sessionStorage: Readonly<Record<string, string>>;
}

/** What the page has put where it would outlast it. */
function keptBy(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { document, localStorage, sessionStorage } = globalThis as unknown as InPage;
    const stored = [...Object.entries(localStorage), ...Object.entries(sessionStorage)].flat();
    return [...stored, document.cookie].filter((text) => text !== "");
  });
}

/** How wide the page's content is. */
function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as InPage).document.documentElement.scrollWidth);
}

/** Whether a script within the page would run, as one would that got in through a text. */
function runsInline(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { document } = globalThis as unknown as InPage;
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
    return document.title === "taken over";
  });
}
