/** What `routes test` does. */
import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { Failure } from "../../../src/domain/errors.ts";
import { tokenInText, withoutTokens } from "../../../src/identity/tokens.ts";
import { TableFaults } from "../../../src/table-in-force/route-table.ts";
import type { Gap, Share } from "../../../src/table-test/coverage.ts";
import { type TestFailure, type TestResult, testTable } from "../../../src/table-test/table-test.ts";
import type { Session } from "../../context.ts";
import { type Paint, presentFaults } from "../../terminal/excerpts.ts";
import { type Output, Reported } from "../../terminal/output.ts";
import { checkedTable, tableFile, vocabularyOf } from "./table.ts";

/** What is wanted of the tests. */
export interface TestOptions {
  /** How much of the table they have to cover, in percent. */
  readonly coverage?: number;
}

/** Runs the tests of a file, by default those beside the table. @throws Reported where one fails, or they cover too little */
export async function testRoutes(
  session: Session,
  given: string | undefined,
  { coverage: least = 0 }: TestOptions,
): Promise<void> {
  const { output, io } = session;
  const routesFile = await tableFile(session, undefined);
  const file = given === undefined ? testsBeside(routesFile) : resolve(io.cwd, given);
  const table = await checkedTable(session, routesFile);
  const text = await readTests(file);
  const vocabulary = await vocabularyOf(session);
  const { result, faults } = await testTable(text, { table, vocabulary, tokenForm: tokenInText });
  if (result === undefined) throw new TableFaults(file, faults, text);

  const { tests, coverage } = result;
  // Somebody may have put a token where it does not belong.
  const failures = result.failures.map((each) => ({ ...each, call: withoutTokens(each.call) }));
  const short = coverage.percent < least;
  const counts = { tests, passed: tests - failures.length, failed: failures.length };
  const shown = shortest(file, io.cwd);
  const lines = [
    ...failureLines(failures, shown, text, session),
    ...sumLines({ tests, failures, coverage }, shown, shortest(routesFile, io.cwd), output),
    ...(short ? [output.style("red", `Coverage is below the ${least} % that --coverage wants.`)] : []),
  ];
  output.result(
    { file, routes: routesFile, revision: table.revision, ...counts, failures, coverage },
    lines.join("\n"),
  );
  // What failed is in the result; only the exit code is left to give.
  if (failures.length > 0 || short) throw new Reported();
}

/** The tests of a table: `routes.test.yaml` for `routes.yaml`. */
function testsBeside(routesFile: string): string {
  return routesFile.replace(/(\.ya?ml)?$/, (ending) => `.test${ending || ".yaml"}`);
}

async function readTests(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new Failure("UNKNOWN_ENTRY", `There is no file ${file} with tests of the route table.`, {
      hint: "Name another one, or put the routes.test.yaml that came with the service there.",
      cause,
    });
  }
}

/** A path as someone in `cwd` would write it. */
function shortest(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}

/** On a terminal with the line of the file; else one line each, as `grep` and editors like it. */
function failureLines(
  failures: readonly TestFailure[],
  file: string,
  text: string,
  { io, output }: Session,
): string[] {
  const faults = failures.map(({ line, column, call, caller, expected, came, why }) => {
    return { line, column, message: `${call}: ${caller}: expected ${expected}, came ${came}. ${why}` };
  });
  if (faults.length === 0) return [];
  if (io.stdout.isTTY !== true)
    return faults.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const paint: Paint = (format, each) => output.style(format, each);
  return [presentFaults(faults, { file, text, paint, columns: io.stdout.columns, kind: "fault" }), ""];
}

function sumLines(result: TestResult, file: string, routesFile: string, output: Output): string[] {
  const { tests, failures, coverage } = result;
  const { routes, ways, percent, gaps } = coverage;
  const sum = `${count(tests, "test")}, ${tests - failures.length} passed, ${failures.length} failed`;
  const covered = `${share(routes, "route")}, and ${share(ways, "way")} that restrictions can go`;
  return [
    `${output.style("bold", file)}: ${output.style(failures.length > 0 ? "red" : "green", sum)}.`,
    `${output.style("bold", routesFile)}: ${percent} % covered: ${covered}.`,
    ...(gaps.length > 0 ? [output.style("yellow", "No test covers:")] : []),
    ...gaps.map((gap) => `  ${gapWords(gap)}`),
  ];
}

function gapWords({ route, restriction, untried }: Gap): string {
  return untried === null ? `${route}: not called` : `${route}: nobody ${untried} by "${restriction}"`;
}

function share({ covered, total }: Share, noun: string): string {
  return `${covered} of ${count(total, noun)}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
