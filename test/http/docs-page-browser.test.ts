/** The documentation page in a real browser: it is opened, read, and operations are tried. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { assertIncludes, assertLacks, prefix } from "../_setup.ts";
import { noBrowser, startBrowser } from "./_browser.ts";
import { serveDocs } from "./_docs.ts";
import { answered, execute, openDocs, openToTry, operation, tryOut } from "./_docs-browser.ts";

const run = promisify(execFile);

test("the documentation page in a browser", { skip: noBrowser }, async (t) => {
  const { desk, url } = await serveDocs(t);
  const token = (await desk.ok("token", "issue", "--player", "Ada")).trim();
  const browser = await startBrowser(t);

  // One after the other on one page, as a reader would: opening it is most of the work.
  const { page, asked, errors } = await openDocs(t, browser, `${url}/docs`);

  await t.test("asks for a token where there is none, and calls nothing", async () => {
    const before = asked.length;
    const change = await tryOut(page, "/wantedreason/remove", { reason: "Bank-robbery" });
    await page.getByText("Enter your token here first.").waitFor();
    assert.equal(await page.getByLabel("Your token").evaluate((field) => field.matches(":focus")), true);
    assert.equal(await change.locator(".live-responses-table").count(), 0);
    assert.deepEqual(asked.slice(before), []);
    await page.getByLabel("Your token").fill("hunter2");
    await page.getByText("This does not look like a token.").waitFor();
  });

  await t.test("says that a token was refused", async () => {
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

  await t.test("shows what a read answers, with the token that was typed in", async () => {
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

  await t.test("fills in nothing for a change: Try it out and Execute call nothing", async () => {
    const before = asked.length;
    const score = await openToTry(page, "/event/gangwar");
    await execute(score);
    await score.getByText("For 'attacker': Required field is not provided.").waitFor();
    const version = await openToTry(page, "/mgmt/version");
    await execute(version);
    await version.getByText("For 'type': Required field is not provided.").waitFor();
    assert.deepEqual(asked.slice(before), []);
    for (const opened of [score, version]) {
      const fields = opened.locator(".parameters").locator("input, select");
      const values = await fields.evaluateAll((all) => all.map((each) => "value" in each && each.value));
      assert.deepEqual(new Set(values), new Set([""]));
    }
    await score.getByText("Example: 3", { exact: false }).waitFor();
  });

  await t.test(
    "counts for the player who was typed in, and gives the curl command that does so",
    async () => {
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
      assertIncludes(command, `"${url}${prefix}/$GAMEADDON_TOKEN/statistic/Ada/add?type=KILL"`);
      await page.context().grantPermissions(["clipboard-read"]);
      await add.getByRole("button", { name: "Copy", exact: true }).click();
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), command);
      const { stdout } = await run("sh", ["-c", command], {
        env: { ...process.env, GAMEADDON_TOKEN: token },
      });
      assertIncludes(stdout, '"info":');
      // The key was the same, so both counted once.
      assertIncludes(await desk.ok("call", "/statistic/Ada"), '"kills": 1');
    },
  );

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
      const phone = await openDocs(t, browser, `${url}/docs?${elsewhere}#/navipoint/navipointAdd`, {
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
