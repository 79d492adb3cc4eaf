/** The documentation page for its readers: the first view, the filter, and accessibility. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { onlyInFull } from "../../_depth.ts";
import { operations as forms } from "../../_operations.ts";
import { prefix } from "../../_setup.ts";
import { noBrowser, startBrowser, violations } from "../_browser.ts";
import { serveDocs } from "./_docs.ts";
import { answered, execute, openDocs, openToTry, operation } from "./_docs-browser.ts";

const desktop = { width: 1280, height: 800 };
/** The operations of the interface, and `/bundle`, `/stream` and `/token/claim`. */
const shown = forms.length + 3;
const phone = { width: 390, height: 844 };

test("reading the documentation page", { skip: noBrowser }, async (t) => {
  const { desk, url } = await serveDocs(t);
  const token = (await desk.ok("token", "issue", "--player", "Ada")).trim();
  const browser = await startBrowser(t);
  // The tests share one page, since opening it takes most of the time.
  const { page } = await openDocs(t, browser, `${url}/docs`, { viewport: desktop, colorScheme: "light" });

  await t.test("the documentation page shows operations without scrolling, also on a phone", async () => {
    for (const viewport of [phone, desktop]) {
      await page.setViewportSize(viewport);
      const box = await operation(page, "/statistic/{player}").boundingBox();
      assert.ok(box !== null && box.y + box.height < viewport.height, `${viewport.width}: ${box?.y}`);
    }
  });

  await t.test("the documentation page has one visible focus stop for each operation", async () => {
    const stops = await focusStops(page);
    const operations = stops.filter(({ name }) => /^GET \//.test(name));
    assert.equal(operations.length, shown);
    assert.equal(new Set(operations.map(({ name }) => name)).size, shown);
    for (const { name, width, height } of stops) {
      assert.notEqual(name, "");
      assert.ok(width >= 20 && height >= 20, `${name}: ${width} x ${height}`);
    }
    const first = stops.slice(0, 7).map(({ name }) => name);
    assert.deepEqual(first, [
      "gat_…",
      "openapi.json",
      "openapi.yaml",
      "Writing a client",
      "TypeScript client",
      "Tokens, requests, answers and failures",
      "Filter",
    ]);
  });

  await t.test("the documentation page hides the text about the service until it is opened", async () => {
    const heading = page.getByRole("heading", { name: "Trying it here" });
    assert.equal(await heading.isVisible(), false);
    await page.getByText("Tokens, requests, answers and failures").click();
    await heading.waitFor();
  });

  await t.test("the documentation page links to the description and to the guides for clients", async () => {
    const links = await page
      .locator("nav a")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    const openapi = [`${prefix}/openapi.json`, `${prefix}/openapi.yaml`];
    assert.deepEqual(links, [...openapi, "/docs/clients.md", "/docs/typescript-client.md"]);
  });

  await t.test("the filter finds operations by summary, description and parameter", async () => {
    const kills = [
      "/statistic/top",
      "/statistic/{player}",
      "/statistic/{player}/add",
      "/statistic/{player}/set",
      "/blacklistreason/{factionString}",
      "/blacklistreason/{factionString}/add",
    ];
    const found = {
      score: ["/event", "/event/gangwar"],
      kill: kills,
      KILLS: kills,
      "bank robbery": ["/event", "/event/bankrob"],
      article: ["/navipoint", "/navipoint/add"],
      coordinates: ["/navipoint", "/navipoint/add", "/navipoint/remove"],
      "bomb event": ["/event", "/event/bomb"],
      "/event/gang": ["/event/gangwar"],
    };
    for (const [phrase, paths] of Object.entries(found)) {
      await page.getByLabel("Filter").fill(phrase);
      assert.deepEqual(await pathsShown(page), paths, phrase);
    }
  });

  await t.test("the filter says how many operations match, and shows all when it is cleared", async () => {
    await page.getByLabel("Filter").fill("changes data");
    await page
      .getByRole("status")
      .getByText(/^\d+ operations$/)
      .waitFor();
    assert.equal((await pathsShown(page)).length, await page.locator(".opblock .changes").count());
    await page.getByLabel("Filter").fill("zeppelin");
    await page.getByText("No operation matches.").waitFor();
    assert.deepEqual(await pathsShown(page), []);
    await page.getByLabel("Filter").fill("");
    await operation(page, "/statistic/top").waitFor();
    assert.equal((await pathsShown(page)).length, shown);
  });

  await t.test("the documentation page shows the example answer of each change", async () => {
    const change = operation(page, "/navipoint/remove");
    await change.locator(".opblock-summary-control").click();
    await change.locator(".example", { hasText: "City-hall" }).waitFor();
  });

  await t.test("the documentation page is accessible, light or dark", { skip: onlyInFull }, async () => {
    const rules = {
      // Swagger UI makes each table of answers a landmark, all of the same name.
      light: { rules: { "landmark-unique": { enabled: false } } },
      dark: { runOnly: ["color-contrast"] },
    };
    const assertAccessible = async (when: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(colorScheme === "dark" ? "html.dark-mode" : "html:not(.dark-mode)").waitFor();
        // Colours change gradually.
        await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
        assert.deepEqual(await violations(page, rules[colorScheme]), [], `${when}, ${colorScheme}`);
      }
    };
    await page.goto(`${url}/docs`);
    await operation(page, "/wantedreason").waitFor();
    await assertAccessible("when opened");
    await page.getByText("Tokens, requests, answers and failures").click();
    await page.getByRole("button", { name: "Schemas" }).click();
    const read = await openToTry(page, "/wantedreason");
    await execute(read);
    await page.getByText("Enter your token here first.").waitFor();
    await assertAccessible("without a token");
    await page.getByLabel("Your token").fill(token);
    await execute(read);
    await answered(read, "200", "Bank-robbery");
    const refused = await openToTry(page, "/navipoint/remove");
    await refused.getByLabel("name", { exact: true }).fill("City-hall");
    await execute(refused);
    await answered(refused, "403", "RESTRICTED");
    const invalid = await openToTry(page, "/navipoint/add");
    await execute(invalid);
    await invalid.getByText("For 'article': Required field is not provided.").waitFor();
    await operation(page, "/statistic/{player}").locator(".opblock-summary-control").click();
    await operation(page, "/statistic/{player}").locator(".example").waitFor();
    await assertAccessible("with operations open");
  });

  await t.test("the documentation page has one main landmark, which contains the operations", async () => {
    assert.equal(await page.getByRole("main").count(), 1);
    assert.equal(await page.getByRole("main").locator(".opblock").count(), shown);
  });
});

/** Returns the paths of the operations that are shown. */
function pathsShown(page: Page): Promise<(string | null)[]> {
  return page
    .locator(".opblock [data-path]")
    .evaluateAll((all) => all.map((element) => element.getAttribute("data-path")));
}

interface FocusStop {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** Returns the elements that the tabulator key focuses, from the top of the page to its end. */
async function focusStops(page: Page): Promise<FocusStop[]> {
  const stops: FocusStop[] = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    if ((await focused.count()) === 0) return stops;
    const stop = await focused.evaluate((element) => {
      const { width, height } = element.getBoundingClientRect();
      const label = ["aria-label", "title", "placeholder"]
        .map((name) => element.getAttribute(name))
        .find(Boolean);
      return { name: label ?? element.innerText.replace(/\s+/g, " ").trim(), width, height };
    });
    stops.push(stop);
    assert.ok(stops.length < 200, "the focus never leaves the page");
  }
}
