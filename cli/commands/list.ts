/** `list`: the entries of lists that the route table declares. */
import { type CLICommand, neverSuggested } from "../command.ts";

export function addListCommands(program: CLICommand): void {
  const list = program.command("list").description("export, import and remove the entries of declared lists");
  list
    .command("export")
    .description("write the entries of a list as CSV, or as JSON to a file that ends in .json or with --json")
    .argument("<list>", "the list's name in the route table")
    .argument("[file]", "the file to write; by default standard output")
    .option("--force", "overwrite an existing file")
    .examples("list export wantedreason reasons.csv")
    .loads(async () => (await import("../actions/list.ts")).exportList);
  neverSuggested(list.command("import"))
    .description("add and change the entries of a list as a file says: one change")
    .argument("<list>", "the list's name in the route table")
    .argument("<file>", "a CSV or JSON file, such as `list export` writes")
    .option("--remove", "remove the entries that the file lacks")
    .option("--yes", "do not ask")
    .option("--dry-run", "only show what would change")
    .examples("list import wantedreason reasons.csv --dry-run")
    .loads(async () => (await import("../actions/list.ts")).importList);
  neverSuggested(list.command("drop"))
    .description("remove all entries of a list, such as one that the route table no longer declares")
    .argument("<list>", "the list's name")
    .option("--yes", "do not ask")
    .examples("list drop plates")
    .loads(async () => (await import("../actions/list.ts")).dropList);
}
