/** `routes`: lists, checks, tests, compares and reloads the route table. */
import { InvalidArgumentError, Option } from "commander";
import { warningKinds } from "../../src/table/warnings/kinds.ts";
import { type CLICommand, neverSuggested } from "../command.ts";

function toPercent(text: string): number {
  const percent = Number(text.replace(/%$/, ""));
  if (/^\d+(\.\d+)?%?$/.test(text) && percent <= 100) return percent;
  throw new InvalidArgumentError("Expected a number from 0 to 100.");
}

export function addRoutesCommands(program: CLICommand): void {
  const kinds = Object.entries(warningKinds).map(([kind, what]) => `  ${kind.padEnd(18)}  ${what}`);
  const routes = program
    .command("routes")
    .description("list, check, test and reload the route table, or bring an earlier one back");
  routes
    .command("list")
    .description("list every route with its restriction and its parameters")
    .option("--resource <resource>", "only the routes of this resource, the first segment of their paths")
    .option("--for <caller>", "only the routes that this player, or `public`, may call")
    .addOption(new Option("--markdown", "print it as Markdown"))
    .details(`
Examples:
  $ addon-cli routes list --resource houseban         the routes of house bans
  $ addon-cli routes list --for Ada                   what Ada may call
  $ addon-cli routes list --for public                what anybody with a public token may call`)
    .loads(async () => (await import("../actions/routes/list.ts")).listRoutes);
  routes
    .command("check")
    .description("check the route table, and report every fault and warning with line and column")
    .argument("[file]", "the table; by default that of --routes")
    .examples("routes check", "routes check next.yaml --strict")
    .option("--strict", "also fail on warnings")
    .details(`
A table with faults is not served. Warnings report what is valid but suspicious:
${kinds.join("\n")}
To accept one, add "intended: [open-change]" to the route, or "unserved: [mgmt.users]" at the top of the table.`)
    .loads(async () => (await import("../actions/routes/check.ts")).checkFile);
  routes
    .command("test")
    .description("run the tests of the route table, and report untested routes")
    .argument("[file]", "the tests; by default routes.test.yaml beside routes.yaml")
    .option("--coverage <percent>", "fail if less of the table is covered", toPercent)
    .details(`
A test names a path, describes callers, and declares their results; the head of routes.test.yaml describes the format:
  tests:
    /blacklistreason/GROVE/add:
      allowed: { faction: GROVE, rank: 4 }
      denied: [public, { faction: GROVE, rank: 3 }, { administrator: true }]`)
    .examples("routes test", "routes test --coverage 100")
    .loads(async () => (await import("../actions/routes/test.ts")).testRoutes);
  routes
    .command("diff")
    .description("show what another table would change: routes, and who gains or loses which operation")
    .argument("<old|new>", "a file or revision, compared with the table in force")
    .argument("[new]", "a second file or revision, compared with the first")
    .examples("routes diff next.yaml", "routes diff routes.yaml next.yaml", "routes diff 06579cbfdaa8")
    .loads(async () => (await import("../actions/routes/diff.ts")).showDiff);
  routes
    .command("reload")
    .description("put the route table's file in force in the running service, and show what changes")
    .option("--yes", "do not ask, even if it takes something away")
    .examples("routes reload", "routes reload --yes")
    .details("\nThe file is that of the service: --routes must name the same one, or be left out.")
    .loads(async () => (await import("../actions/routes/reload.ts")).reloadRoutes);
  routes
    .command("status")
    .description("show which route table is in force, and whether the last attempt to change it was refused")
    .examples("routes status")
    .loads(async () => (await import("../actions/routes/reload.ts")).showStatus);
  routes
    .command("history")
    .description("list the last 20 tables that were in force, and what each changed")
    .examples("routes history", "routes diff 06579cbfdaa8")
    .loads(async () => (await import("../actions/routes/history.ts")).showHistory);
  neverSuggested(routes.command("rollback"))
    .description("return to an earlier table: show what changes, ask, and replace the file")
    .argument(
      "[revision]",
      "a revision of `routes history`; by default the one in force if the file has another, or else the one before",
    )
    .option("--yes", "do not ask")
    .examples("routes rollback", "routes rollback 06579cbfdaa8 --yes")
    .details(`
Keeps the replaced file as routes.yaml.before-rollback. A running service puts the table in force at once; otherwise the
next start does.`)
    .loads(async () => (await import("../actions/routes/history.ts")).rollBack);
  routes
    .command("schema")
    .description("print the JSON Schema with which editors complete and check a route table")
    .examples("routes schema > routes.schema.json")
    .loads(async () => (await import("../actions/routes/schema.ts")).printSchema);
  routes
    .command("openapi")
    .description("print the OpenAPI 3.1 description of the interface")
    .option("--yaml", "print it as YAML instead of JSON")
    .examples("routes openapi > openapi.json", "routes openapi --yaml")
    .loads(async () => (await import("../actions/routes/openapi.ts")).printOpenApi);
}
