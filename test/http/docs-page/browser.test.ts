/** The documentation page in a real browser: calls of operations, and the safety of the token. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { assertIncludes, assertLacks, prefix } from "../../_setup.ts";
import { noBrowser, startBrowser } from "../_browser.ts";
import { serveDocs } from "./_docs.ts";
import { answered, execute, openDocs, openToTry, operation, tryOut } from "./_docs-browser.ts";

const run = promisify(execFile);

test("the documentation page in a browser", { skip: noBrowser }, async (t) => {
  const { desk, url } = await serveDocs(t);
  const token = (await desk.ok("token", "issue", "--player", "Ada")).trim();
  const browser = await startBrowser(t);

  // The tests share one page, since opening it takes most of the time.
  const { page, requested, errors } = await openDocs(t, browser, `${url}/docs`);

  await t.test("the documentation page asks for a missing token, and sends no request", async () => {
    const before = requested.length;
    const change = await tryOut(page, "/wantedreason/remove", { reason: "Bank-robbery" });
    await page.getByText("Enter your token here first.").waitFor();
    assert.equal(await isFocused(page.getByLabel("Your token")), true);
    assert.equal(await isInView(change.getByRole("button", { name: "Execute" })), true);
    assert.equal(await change.locator(".live-responses-table").count(), 0);
    assert.deepEqual(requested.slice(before), []);
    await page.getByLabel("Your token").fill("hunter2");
    await page.getByText("This does not look like a token.").waitFor();
  });

  await t.test("the documentation page says that a token was refused", async () => {
    await page.getByLabel("Your token").fill(`gat_${"A".repeat(43)}`);
    await page.getByText("It stays in this page's memory only.").waitFor();
    const read = operation(page, "/wantedreason/remove");
    await execute(read);
    await answered(read, "401", '"code": "TOKEN_UNKNOWN"');
    await page.getByText("The service refused this token.").waitFor();
    await page.getByLabel("Your token").fill(token);
    await page.getByText("It stays in this page's memory only.").waitFor();
    assert.deepEqual(errors.splice(0), [
      "Failed to load resource: the server responded with a status of 401 (Unauthorized)",
    ]);
  });

  await t.test("the documentation page shows the answer of a read", async () => {
    const read = await tryOut(page, "/wantedreason");
    await answered(read, "200", '"reason": "Bank-robbery"');
    assert.equal(await isInView(read.locator(".live-responses-table thead")), true);
    assert.equal(await isFocused(read.getByRole("button", { name: "Execute" })), true);
    await page.getByRole("status").getByText("The answer has the status 200.").waitFor({ state: "attached" });
    assertIncludes(await read.innerText(), `${url}${prefix}/-/wantedreason`);
  });

  await t.test("the documentation page says each time that the service did not answer", async () => {
    const read = operation(page, "/wantedreason");
    await page.route("**/-/wantedreason", (route) => route.abort());
    for (const attempt of ["first", "second"]) {
      await execute(read);
      await read.locator(".live-responses-table").getByText("The service did not answer.").waitFor();
      assert.equal(await isInView(read.locator(".live-responses-table thead")), true, attempt);
    }
    await page.unroute("**/-/wantedreason");
    assert.equal(new Set(errors.splice(0)).size, 1);
  });

  await t.test("the documentation page shows why a change is denied", async () => {
    const change = await tryOut(page, "/housebanreason/add", { reason: "Theft", days: "3" });
    const info = "This operation is only for members of the service RESCUE with rank 4 or higher.";
    await answered(change, "403", info);
    // The browser reports a 403 itself. Violations of the Content-Security-Policy would be here, too.
    assert.deepEqual(errors.splice(0), [
      "Failed to load resource: the server responded with a status of 403 (Forbidden)",
    ]);
  });

  await t.test("the documentation page fills in no parameter of a change", async () => {
    const before = requested.length;
    const score = await openToTry(page, "/event/gangwar");
    await execute(score);
    await score.getByText("For 'attacker': Required field is not provided.").waitFor();
    const version = await openToTry(page, "/mgmt/version");
    await execute(version);
    await version.getByText("For 'type': Required field is not provided.").waitFor();
    assert.deepEqual(requested.slice(before), []);
    for (const opened of [score, version]) {
      const fields = opened.locator(".parameters").locator("input, select");
      const values = await fields.evaluateAll((all) => all.map((field) => "value" in field && field.value));
      assert.deepEqual(new Set(values), new Set([""]));
    }
    await score.getByText("Example: 3", { exact: false }).waitFor();
  });

  await t.test("the documentation page counts for the named player, and shows the curl command", async () => {
    const add = await openToTry(page, "/statistic/{player}/add");
    await add.getByLabel("player", { exact: true }).fill("Ada");
    await add.getByLabel("type", { exact: true }).selectOption("KILL");
    await add.getByLabel("Idempotency-Key", { exact: true }).fill("it's one");
    await execute(add);
    await answered(add, "400", '"parameter": "Idempotency-Key"');
    errors.splice(0);
    await add.getByLabel("Idempotency-Key", { exact: true }).fill("it's-1");
    await execute(add);
    await answered(add, "200", "KILL");
    const command = await add.locator(".curl").innerText();
    assertIncludes(command, `'${url}${prefix}/-/statistic/Ada/add?type=KILL'`);
    await page.context().grantPermissions(["clipboard-read"]);
    const body = await add.locator(".live-responses-table .scrollable").innerText();
    for (const [part, copied] of [
      [".curl-command", command],
      [".live-responses-table", body],
    ] as const) {
      const button = add.locator(part).getByRole("button", { name: "Copy", exact: true });
      await button.click();
      await add.locator(part).getByText("Copied.").waitFor();
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), copied);
      const emptied = isEmptied(add.locator(part).getByRole("status"));
      await button.click();
      assert.equal(await emptied, true, "a second copy is announced, too");
    }
    await add.getByText("read -rs GAMEADDON_TOKEN").waitFor();
    const { stdout } = await run("sh", ["-c", command], {
      env: { ...process.env, GAMEADDON_TOKEN: token },
    });
    assertIncludes(stdout, '"info":');
    // Both had the same key, so they counted once.
    assertIncludes(await desk.ok("call", "/statistic/Ada"), '"kills": 1');
  });

  await t.test("the documentation page makes an allowed change, and warns before", async () => {
    const change = await tryOut(page, "/wantedreason/add", { reason: "Speeding", points: "5" });
    await answered(change, "200", '"info":');
    // It is safe to repeat without one.
    assert.equal(await change.getByLabel("Idempotency-Key", { exact: true }).count(), 0);
    assertIncludes(await change.innerText(), "This really changes the data of the service.");
    assertIncludes(await desk.ok("call", "/wantedreason"), "Speeding");
  });

  await t.test("the documentation page shows no old answer below an incomplete call", async () => {
    const change = operation(page, "/wantedreason/add");
    await change.getByPlaceholder("points", { exact: true }).fill("");
    await execute(change);
    await change.getByText("For 'points': Required field is not provided.").waitFor();
    assert.equal(await change.locator(".live-responses-table").count(), 0);
  });

  await t.test("the documentation page stores no token, and calls only the service", async () => {
    assertLacks(await page.content(), token);
    assertLacks(requested.join("\n"), token);
    assertLacks(page.url(), token);
    assert.deepEqual(await storedBy(page), []);
    assert.deepEqual([...new Set(requested.map((address) => new URL(address).origin))], [url]);
    assert.deepEqual(errors, []);
  });

  await t.test("the documentation page runs no injected script", async () => {
    assert.equal(await runsInline(page), false);
    assert.match(errors.join(), /Content Security Policy/);
  });

  await t.test(
    "the documentation page opens a linked operation, no other description, and fits a phone in dark mode",
    async () => {
      const elsewhere = "url=http://elsewhere.invalid/a.json&configUrl=http://elsewhere.invalid/b.json";
      const viewport = { width: 360, height: 740 };
      const phone = await openDocs(t, browser, `${url}/docs?${elsewhere}#/navipoint/navipointAdd`, {
        viewport,
        colorScheme: "dark",
      });
      await operation(phone.page, "/navipoint/add").getByRole("button", { name: "Try it out" }).waitFor();
      await phone.page.locator("html.dark-mode").waitFor();
      assert.equal(await widthOf(phone.page), viewport.width);
      assert.deepEqual([...new Set(phone.requested.map((address) => new URL(address).origin))], [url]);
      assert.deepEqual(phone.errors, []);
    },
  );
});

/** The browser's globals that functions in the page use: the tests are compiled without a browser's types. */
interface InPage {
  readonly MutationObserver: new (
    notify: () => void,
  ) => { observe(target: unknown, options: Readonly<Record<string, boolean>>): void };
  readonly innerHeight: number;
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

function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((focused) => focused.matches(":focus"));
}

/** Returns true once an element has no text. */
function isEmptied(element: Locator): Promise<boolean> {
  return element.evaluate((shown) => {
    const { MutationObserver } = globalThis as unknown as InPage;
    return new Promise<boolean>((resolve) => {
      const observer = new MutationObserver(() => shown.textContent === "" && resolve(true));
      observer.observe(shown, { childList: true, subtree: true, characterData: true });
    });
  });
}

/** Returns whether all of an element is within the window. */
function isInView(element: Locator): Promise<boolean> {
  return element.evaluate((shown) => {
    const { top, bottom } = (shown as unknown as Shown).getBoundingClientRect();
    return top >= 0 && bottom <= (globalThis as unknown as InPage).innerHeight;
  });
}

interface Shown {
  getBoundingClientRect(): { readonly top: number; readonly bottom: number };
}

/** Returns what the page has stored in the browser. */
function storedBy(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { document, localStorage, sessionStorage } = globalThis as unknown as InPage;
    const stored = [...Object.entries(localStorage), ...Object.entries(sessionStorage)].flat();
    return [...stored, document.cookie].filter((text) => text !== "");
  });
}

/** Returns the width of the page's content. */
function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as InPage).document.documentElement.scrollWidth);
}

/** Returns whether a script that is injected into the page runs. */
function runsInline(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { document } = globalThis as unknown as InPage;
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
    return document.title === "taken over";
  });
}
