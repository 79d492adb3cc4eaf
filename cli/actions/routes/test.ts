/** Implements `routes test`. */
import { relative, resolve } from "node:path";
import { readNamed } from "../../../src/backup/source-file.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { asArgument, counted } from "../../../src/domain/text.ts";
import { tokenInText, withoutTokens } from "../../../src/identity/tokens.ts";
import { faultsIn } from "../../../src/table-in-force/route-table.ts";
import type { Gap, Share } from "../../../src/table-test/coverage.ts";
import { type TestFailure, type TestResult, testTable } from "../../../src/table-test/table-test.ts";
import type { Context } from "../../context.ts";
import { formatFaults, type Paint } from "../../terminal/excerpts.ts";
import { type Output, Reported } from "../../terminal/output.ts";
import { checkedTable, vocabularyOf } from "./table.ts";

/** Runs the tests of a file; the default is beside the table. `coverage` is required, in percent. @throws Reported if one fails, or the coverage is too low */
export async function testRoutes(
  context: Context,
  given: string | undefined,
  { coverage: least = 0 }: { coverage?: number },
): Promise<void> {
  const { output, io } = context;
  const { file: routesFile, table } = await checkedTable(context);
  const file = given === undefined ? testsBeside(routesFile) : resolve(io.cwd, given);
  const text = await readNamed(file, "Name another file, or copy the packaged routes.test.yaml there.");
  if (/^routes:/m.test(text)) {
    throw new Failure("PARAMETER_INVALID", `${file} is a route table, not a file of tests.`, {
      hint: `Its tests are run by \`addon-cli --routes ${asArgument(given ?? file)} routes test\`.`,
    });
  }
  const vocabulary = await vocabularyOf(context);
  const { result, faults } = testTable(text, table, vocabulary, tokenInText);
  if (result === undefined) throw faultsIn(file, faults, text);

  const { tests, coverage } = result;
  // A test may contain a token by mistake.
  const failures = result.failures.map((failure) => ({ ...failure, call: withoutTokens(failure.call) }));
  const { routes, ways } = coverage;
  // `percent` is rounded down.
  const short = (100 * (routes.covered + ways.covered)) / (routes.total + ways.total) < least;
  const counts = { tests, passed: tests - failures.length, failed: failures.length };
  const shown = shortest(file, io.cwd);
  const lines = [
    ...failureLines(failures, shown, text, context),
    ...sumLines({ tests, failures, coverage }, shown, shortest(routesFile, io.cwd), output),
    ...(short ? [output.style("red", `Coverage is below the ${least} % that --coverage requires.`)] : []),
  ];
  output.result(
    { file, routes: routesFile, revision: table.revision, ...counts, failures, coverage },
    lines.join("\n"),
  );
  // The result contains the failures; only the exit code is missing.
  if (failures.length > 0 || short) throw new Reported();
}

/** Returns the file of a table's tests: `routes.test.yaml` for `routes.yaml`. */
function testsBeside(routesFile: string): string {
  return routesFile.replace(/(\.ya?ml)?$/, (ending) => `.test${ending || ".yaml"}`);
}

/** Returns a path relative to `cwd`, unless it is outside. */
function shortest(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}

/** Returns the failures with excerpts on a terminal, or as one line each, as `grep` and editors expect. */
function failureLines(
  failures: readonly TestFailure[],
  file: string,
  text: string,
  { io, output }: Context,
): string[] {
  const faults = failures.map(({ line, column, call, caller, expected, got, why }) => {
    return { line, column, message: `${call}: ${caller}: expected ${expected}, got ${got}. ${why}` };
  });
  if (faults.length === 0) return [];
  if (io.stdout.isTTY !== true)
    return faults.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const paint: Paint = (format, text) => output.style(format, text);
  return [formatFaults(faults, { file, text, paint, columns: io.stdout.columns, kind: "fault" }), ""];
}

function sumLines(result: TestResult, file: string, routesFile: string, output: Output): string[] {
  const { tests, failures, coverage } = result;
  const { routes, ways, percent, gaps } = coverage;
  const sum = `${counted(tests, "test")}, ${tests - failures.length} passed, ${failures.length} failed`;
  const covered = `${share(routes, "route")}, and ${share(ways, "branch")} of restrictions`;
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
  return `${covered} of ${counted(total, noun)}`;
}
