/** `routes`: the route table as people read it, what is wrong with it, and which one is in force. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { CheckOptions } from "../actions/routes/check.ts";
import type { RollbackOptions } from "../actions/routes/history.ts";
import type { ListOptions } from "../actions/routes/list.ts";
import type { OpenApiOptions } from "../actions/routes/openapi.ts";
import type { ReloadOptions } from "../actions/routes/reload.ts";
import type { TestOptions } from "../actions/routes/test.ts";
import type { Session } from "../context.ts";
import { examples } from "../help.ts";
import { neverSuggested } from "../suggestion.ts";

export function addRoutesCommands(program: Command, session: Session): void {
  const routes = program.command("routes").description("list and check the route table");
  addList(routes, session);
  addCheck(routes, session);
  addTest(routes, session);
  addDiff(routes, session);
  addReloadAndStatus(routes, session);
  addHistoryAndRollback(routes, session);
  addSchema(routes, session);
  addOpenApi(routes, session);
}

function addList(routes: Command, session: Session): void {
  routes
    .command("list")
    .description("list every route with its restriction and its parameters")
    .option("--resource <resource>", "only the routes of a resource: the first part of their path")
    .option("--for <caller>", "only what a player, or `public`, may call")
    .addOption(new Option("--markdown", "print it as Markdown").default(false))
    .addHelpText(
      "after",
      `
Examples:
  $ addon-cli routes list --resource houseban         the routes of house bans
  $ addon-cli routes list --for Ada                   what Ada may call
  $ addon-cli routes list --for public                what anybody with a public token may call`,
    )
    .action(async (options: ListOptions) => {
      const { listRoutes } = await import("../actions/routes/list.ts");
      return listRoutes(session, options);
    });
}

function addCheck(routes: Command, session: Session): void {
  routes
    .command("check")
    .description("check the route table: every fault, and what is suspicious, with line and column")
    .argument("[file]", "the table; by default that of --routes")
    .addHelpText("after", examples("routes check", "routes check next.yaml --strict"))
    .option("--strict", "fail on warnings, too")
    .addHelpText(
      "after",
      `
Faults keep a table from being served. Warnings are of what is legal but suspicious:
  open-change         a change that everyone with a public token may make
  unknown-caller      one that keeps who made it, where a public token does not tell
  empty-group         a restriction to a group without members, in the data at hand
  unheld-rank         a rank that no member has, in the data at hand, or that none can have
  excluded-group      a restriction to the group whose members may call nothing
  player-condition    a case for a player by name, which the player's UUID does not meet
  redundant-part      a part of an allOf that another part asks for anyway
  unserved-operation  operations that no route serves, such as new ones after an upgrade
  not-needed          an intention that says nothing
A route says "intended: [open-change]" where it is meant, and the table "unserved: [mgmt.users]" at its top.`,
    )
    .action(async (given: string | undefined, options: CheckOptions) => {
      const { checkFile } = await import("../actions/routes/check.ts");
      return checkFile(session, given, options);
    });
}

const testForm = `
A test names a path, callers by what they are, and what they get; the head of routes.test.yaml tells all of the form:
  tests:
    /blacklistreason/GROVE/add:
      allowed: { faction: GROVE, rank: 4 }
      denied: [public, { faction: GROVE, rank: 3 }, { administrator: true }]
`;

function addTest(routes: Command, session: Session): void {
  routes
    .command("test")
    .description("run the tests of the route table, and tell what of it they do not cover")
    .argument("[file]", "the tests; by default routes.test.yaml beside routes.yaml")
    .option("--coverage <percent>", "fail where less of the table is covered", toPercent)
    .addHelpText("after", testForm + examples("routes test", "routes test --coverage 100"))
    .action(async (given: string | undefined, options: TestOptions) => {
      const { testRoutes } = await import("../actions/routes/test.ts");
      return testRoutes(session, given, options);
    });
}

function toPercent(text: string): number {
  const percent = Number(text.replace(/%$/, ""));
  if (/^\d+(\.\d+)?%?$/.test(text) && percent <= 100) return percent;
  throw new InvalidArgumentError("A number from 0 to 100 was expected.");
}

function addDiff(routes: Command, session: Session): void {
  routes
    .command("diff")
    .description(
      "tell what another table would change: its routes, and who gains and who loses which operation",
    )
    .argument("<old|new>", "with one file or revision, what it would change against the table in force")
    .argument("[new]", "with two, what the second would change against the first")
    .addHelpText(
      "after",
      examples("routes diff next.yaml", "routes diff routes.yaml next.yaml", "routes diff 06579cbfdaa8"),
    )
    .action(async (first: string, second: string | undefined) => {
      const { showDiff } = await import("../actions/routes/diff.ts");
      return showDiff(session, second === undefined ? undefined : first, second ?? first);
    });
}

function addReloadAndStatus(routes: Command, session: Session): void {
  routes
    .command("reload")
    .description("put the route table's file in force in the running service, and show what that changes")
    .option("--yes", "do not ask, even if it takes access away")
    .addHelpText("after", examples("routes reload", "routes reload --yes"))
    .action(async (_options, command: Command) => {
      const { reloadRoutes } = await import("../actions/routes/reload.ts");
      return reloadRoutes(session, command.optsWithGlobals<ReloadOptions>());
    });
  routes
    .command("status")
    .description("tell which route table is in force, and whether the last attempt to change it was refused")
    .addHelpText("after", examples("routes status"))
    .action(async () => {
      const { showStatus } = await import("../actions/routes/reload.ts");
      return showStatus(session);
    });
}

function addHistoryAndRollback(routes: Command, session: Session): void {
  routes
    .command("history")
    .description("list the last 20 tables that were in force, and what each changed")
    .addHelpText("after", examples("routes history", "routes diff 06579cbfdaa8"))
    .action(async () => {
      const { showHistory } = await import("../actions/routes/history.ts");
      return showHistory(session);
    });
  neverSuggested(routes.command("rollback"))
    .description("go back to a table that was in force: show what that changes, ask, and replace the file")
    .argument("[revision]", "one that `routes history` lists; by default the table in force before")
    .option("--yes", "do not ask")
    .addHelpText("after", examples("routes rollback", "routes rollback 06579cbfdaa8 --yes"))
    .addHelpText(
      "after",
      `
The file that is replaced is kept beside it, as routes.yaml.before-rollback. A running service puts the table in force
at once; where none runs, the next start does.`,
    )
    .action(async (revision: string | undefined, _options, command: Command) => {
      const { rollBack } = await import("../actions/routes/history.ts");
      return rollBack(session, revision, command.optsWithGlobals<RollbackOptions>());
    });
}

function addSchema(routes: Command, session: Session): void {
  routes
    .command("schema")
    .description("print the JSON Schema by which editors complete and check a route table")
    .addHelpText("after", examples("routes schema > routes.schema.json"))
    .action(async () => {
      const { printSchema } = await import("../actions/routes/schema.ts");
      printSchema(session);
    });
}

function addOpenApi(routes: Command, session: Session): void {
  routes
    .command("openapi")
    .description("print the OpenAPI 3.1 description of the interface that the route table makes")
    .option("--yaml", "print it as YAML instead of JSON")
    .addHelpText("after", examples("routes openapi > openapi.json", "routes openapi --yaml"))
    .action(async (options: OpenApiOptions) => {
      const { printOpenApi } = await import("../actions/routes/openapi.ts");
      return printOpenApi(session, options);
    });
}
