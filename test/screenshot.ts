/** Writes the pictures in the README: the page at `/docs` of a running service, with one call tried, and pages for everybody. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openWorld, projectFolder } from "./_setup.ts";
import { startBrowser } from "./http/_browser.ts";
import { answered, openDocs, tryOut } from "./http/docs-page/_docs-browser.ts";
import { fill, openPages } from "./http/pages/_pages.ts";

/** The pages for everybody, each with its picture and the size of the window. */
const pictures = [
  ["/top", "top-page.png", 1200, 600],
  ["/wanted", "list-page.png", 600, 600],
  ["/overlay/gangwar?a=GROVE&b=BALLAS", "overlay.png", 600, 120],
] as const;

const cleanups: (() => unknown)[] = [];
const t = { after: (cleanup: () => unknown) => void cleanups.unshift(cleanup) };
try {
  const world = await openWorld(t, { transport: "socket" });
  const { token } = await world.player("Ada", { members: { POLICE: 5 } });
  for (const [reason, points] of [
    ["Bank-robbery", 60],
    ["Theft", 10],
  ] as const) {
    await world.ok(token, "/wantedreason/add", { reason, points });
  }
  const browser = await startBrowser(t);
  const { page } = await openDocs(t, browser, `${world.url}/docs`, {
    viewport: { width: 1280, height: 1195 },
    colorScheme: "light",
  });
  await page.getByLabel("Your token").fill(token);
  const operation = await tryOut(page, "/wantedreason");
  await answered(operation, "200", "Bank-robbery");
  await operation.evaluate((element) => element.closest(".opblock-tag-section")?.scrollIntoView());
  // Hides the edge of the section before.
  await page.mouse.wheel(0, 12);
  await page.waitForTimeout(500);
  await writeFile(join(projectFolder, "docs", "api-page.png"), await page.screenshot());
  const filled = await openPages(t);
  await fill(filled);
  // The overlay waits for the first score of its stream, and is not cut off.
  await page.route("**/stream", () => {});
  for (const [path, file, width, height] of pictures) {
    await page.setViewportSize({ width, height });
    await page.goto(`${filled.url}${path}`);
    // The overlay has no background of its own.
    const picture = await page.screenshot({ omitBackground: true });
    await writeFile(join(projectFolder, "docs", file), picture);
  }
} finally {
  for (const cleanup of cleanups) await cleanup();
}
