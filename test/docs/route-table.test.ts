/** Tests of docs/route-table.md: its walkthrough prints what the page shows. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { checkRoutes } from "../../src/operations.ts";
import { toLimits } from "../../src/table/limits.ts";
import { onlyInFull } from "../_depth.ts";
import { shippedRoutes, temporaryFolder } from "../_setup.ts";
import { blocks, freePort, readPage, runBuildIn } from "./_page.ts";

const page = await readPage("docs/route-table.md");
const run = promisify(execFile);
/** The folder of the operator on the page. */
const pageFolder = "/srv/addon";
/** What differs between runs, or moves when the shipped table is edited. */
const changing: readonly (readonly [RegExp, string])[] = [
  [/"requestId":"[0-9a-f-]{36}"/g, '"requestId":"<id>"'],
  [/\b[0-9a-f]{12}\b/g, "<revision>"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<instant>"],
  [/:\d+:\d+:/g, ":<line>:<column>:"],
  [/^ *\d+ \|/gm, "<line> |"],
];

interface Block {
  readonly language: string;
  readonly text: string;
}

function walkthrough(): Block[] {
  const part = page.slice(page.indexOf("## A walkthrough"));
  return Array.from(part.matchAll(/```(sh|text)\n([\s\S]*?)```/g), ([, language = "", text = ""]) => {
    return { language, text };
  });
}

/** Replaces what differs between runs. */
function steady(text: string): string {
  return changing.reduce((shortened, [form, word]) => shortened.replace(form, word), text).trim();
}

it("the limits on the page are those of the shipped table, and its example is a route of it with a limit", async () => {
  const shipped = await readFile(shippedRoutes, "utf8");
  const [limits = ""] = blocks(page, "limits");
  assert.ok(shipped.includes(limits));
  assert.deepEqual(parse(limits).limits, parse(shipped).limits);
  const [route = ""] = blocks(page, "limit");
  assert.match(route, /^ {4}limit: .*\n$/m);
  const plain = route.replace(/^ {4}limit: .*\n/m, "");
  assert.ok(shipped.includes(plain));
  const vocabulary = {
    group: ["BLACKLIST", "TARGETLIST"],
    faction: ["GROVE"],
    service: ["RESCUE", "POLICE"],
  };
  const { table, faults } = checkRoutes(
    shipped.replace(plain, () => route),
    vocabulary,
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(table?.limits, toLimits());
});

it("the statistics, events and scores on the page are valid, and declare their operations", () => {
  const [declared = ""] = blocks(page, "statistics");
  const routes = ["statistic.add", "event.race", "event.final"].map(
    (handler) => `  /{player}/${handler}: { summary: S., restriction: administrators, handler: ${handler} }`,
  );
  const table = `prefix: /racing/{token}\n${declared}routes:\n${routes.join("\n").replaceAll("{player}/event", "event")}\n`;
  assert.deepEqual(checkRoutes(table, { group: [], faction: [], service: [] }).faults, []);
});

it("the walkthrough, pasted into a shell, prints what the page shows", { skip: onlyInFull }, async (t) => {
  const folder = await realpath(await temporaryFolder(t));
  const env = await runBuildIn(folder);
  await cp(shippedRoutes, join(folder, "routes.yaml"));
  const blocks = walkthrough();
  const mark = "=== end of block ===";
  // The trap ends a service that is left running, which would keep the folder.
  const script = blocks
    .map(({ language, text }) => (language === "sh" ? `${text}\necho "${mark}"` : ""))
    .join("\n");
  const port = String(await freePort());
  const { stdout } = await run(
    "bash",
    ["-c", `exec 2>&1\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n${script.replaceAll("8898", port)}`],
    { cwd: folder, env, timeout: 240_000 },
  );
  const shown = stdout.replaceAll(folder, pageFolder).split(`${mark}\n`);
  let index = 0;
  for (const [place, { language, text }] of blocks.entries()) {
    if (language !== "sh") continue;
    const next = blocks[place + 1];
    const expected = next?.language === "text" ? next.text : "";
    assert.equal(steady(shown[index] ?? ""), steady(expected), `after ${text}`);
    index += 1;
  }
  assert.ok(index >= 8, "the page has its steps");
});
