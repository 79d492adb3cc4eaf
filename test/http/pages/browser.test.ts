/** The pages in a real browser: the overlay, search and sorting, and whether everybody can read them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Browser } from "playwright-core";
import { isFull, onlyInFull } from "../../_depth.ts";
import { assertLacks, type Cleanup } from "../../_setup.ts";
import { CliProcess, serveProcess } from "../../cli/_process.ts";
import { emptyDesk } from "../../cli/_setup.ts";
import { noBrowser, openPage, startBrowser, violations } from "../_browser.ts";
import { fill, openPages, paths } from "./_pages.ts";

const desktop = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };

test("pages in a browser", { skip: noBrowser }, async (t) => {
  const world = await openPages(t);
  const empty = await openPages(t);
  await fill(world);
  await world.player("W".repeat(32));
  const browser = await startBrowser(t);

  await t.test(
    "axe-core finds nothing, and no page is wider than its screen, with data and without",
    { skip: onlyInFull },
    async (t) => {
      const { page, requested, errors } = await openPage(t, browser);
      for (const { url } of [world, empty]) {
        for (const path of [
          ...paths,
          "/player?name=Ada",
          "/player?name=a",
          `/player?name=${"W".repeat(32)}`,
          "/wanted?q=zzz",
        ]) {
          await page.goto(`${url}${path}`);
          await page.evaluate(
            "for (const details of document.querySelectorAll('details')) details.open = true",
          );
          for (const viewport of [phone, desktop]) {
            await page.setViewportSize(viewport);
            assert.equal(await page.evaluate("document.documentElement.scrollWidth"), viewport.width, path);
          }
          assertLacks(await page.content(), "gat_");
          if (url === empty.url && !isFull) continue;
          await page.emulateMedia({ colorScheme: "light" });
          assert.deepEqual(await violations(page), [], path);
          await page.emulateMedia({ colorScheme: "dark" });
          assert.deepEqual(await violations(page, { runOnly: ["color-contrast"] }), [], `${path}, dark`);
        }
      }
      const origins = new Set(requested.map((address) => new URL(address).origin));
      assert.deepEqual([...origins].sort(), [world.url, empty.url].sort());
      assert.deepEqual(errors, []);
    },
  );

  await t.test("a list is searched while its reader types, and sorted by keyboard", async (t) => {
    const { page, errors } = await openPage(t, browser, { viewport: desktop });
    await page.goto(`${world.url}/wanted`);
    const first = page.locator("tbody tr").first();
    await page.getByRole("button", { name: "Points" }).focus();
    await page.keyboard.press("Enter");
    await first.getByText("Offence 1", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator('th[aria-sort="descending"]').waitFor();
    await first.getByText("Offence 60").waitFor();
    await page
      .locator("td[data-value]")
      .first()
      .evaluate((cell) => cell.setAttribute("data-value", "-100"));
    await page
      .locator("td[data-value]")
      .nth(1)
      .evaluate((cell) => cell.setAttribute("data-value", "-5"));
    await page.getByRole("button", { name: "Points" }).click();
    await first.getByText("Offence 60").waitFor();
    await page.getByLabel("Search").fill("robbery");
    await page.getByText("1 of 65").waitFor();
    assert.deepEqual(await page.locator("tbody tr").allInnerTexts(), ["Bank robbery\t60"]);
    await page.goto(`${world.url}/player`);
    await page.getByLabel("Name of a player").fill("öm");
    await page.getByRole("link", { name: "Ömer" }).click();
    await page.getByRole("heading", { name: "Ömer" }).waitFor();
    assert.deepEqual(errors, []);
  });

  await t.test(
    "the overlay shows each score, keeps the last one while its service is away, and connects again",
    async (t) => {
      const desk = await emptyDesk(t);
      const { child, open, base, token } = await serveProcess(desk);
      const { origin, port } = new URL(open);
      const { page, errors } = await openPage(t, browser, { viewport: { width: 800, height: 200 } });
      await page.goto(`${origin}/overlay/gangwar/`);
      await page.getByLabel("Name of the Attacker").fill("GROVE");
      await page.getByLabel("Name of the Defender").fill("BALLAS");
      await page.getByLabel("Background of the stream").selectOption("light");
      await page.getByRole("button", { name: "Open the overlay" }).click();
      await page.waitForURL("**/overlay/gangwar/?a=GROVE&b=BALLAS&theme=light");
      const change = async (attacker: number, defender: number) => {
        const path = `/${token}/event/gangwar?attacker=${attacker}&defender=${defender}`;
        assert.equal((await fetch(base + path)).status, 200);
      };
      const shows = (text: string) =>
        page
          .locator("[role=status]", { hasText: new RegExp(`^\\s*${text.replaceAll(" ", "\\s*")}\\s*$`) })
          .waitFor();
      const lost = page.getByTitle("Not live at the moment");
      await shows("GROVE 0 BALLAS 0");
      await change(13, 9);
      await shows("GROVE 13 BALLAS 9");
      await page.locator('b.changed[data-side="attacker"]').waitFor();
      assert.equal(await alphaOfCorner(t, browser, await page.screenshot({ omitBackground: true })), 0);
      assert.deepEqual(await violations(page), []);

      const refused = page.waitForEvent("requestfailed");
      child.signal("SIGKILL");
      await lost.waitFor();
      await refused;
      await shows("GROVE 13 BALLAS 9");
      const unavailable = page.waitForResponse((response) => response.status() === 503);
      await page.route("**/stream", (route) => route.fulfill({ status: 503 }), { times: 1 });
      const again = new CliProcess(desk, ["serve", "--port", port]);
      await again.shows("stdout", /Public, without a token/);
      await unavailable;
      await lost.waitFor({ state: "hidden" });
      await change(13, 10);
      await shows("GROVE 13 BALLAS 10");
      assert.deepEqual(
        errors.filter((error) => !/503|ERR_/.test(error)),
        [],
      );
    },
  );
});

/** Returns how opaque the first pixel of a picture is, from 0 to 255. */
async function alphaOfCorner(t: Cleanup, browser: Browser, picture: Buffer): Promise<unknown> {
  const { page } = await openPage(t, browser);
  return page.evaluate(`new Promise((resolve) => {
    const image = new Image();
    image.onload = () => {
      const context = document.createElement("canvas").getContext("2d");
      context.drawImage(image, 0, 0);
      resolve(context.getImageData(0, 0, 1, 1).data[3]);
    };
    image.src = "data:image/png;base64,${picture.toString("base64")}";
  })`);
}
