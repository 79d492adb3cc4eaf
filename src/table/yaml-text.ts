/**
 * YAML as people write it: a text becomes plain values, or faults that name line and column and say what to do. The
 * route table and its tests are read here; what their values mean is checked elsewhere.
 */
import {
  type Alias,
  type Document,
  isCollection,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
} from "yaml";

/** Something in a file that keeps it from being used. Lines and columns count from 1. */
export interface Fault {
  readonly line: number;
  readonly column: number;
  /** What was expected, what it got, and the nearest known name where there is one. */
  readonly message: string;
}

/**
 * The longest message, in UTF-16 units; longer ones quote half a file. A log that is busy drops lines of such a size, and
 * with them the news that a table was refused.
 */
const longestMessage = 2000;

/** A fault, whose message is shortened in the middle where it is too long: what to do stands at the end. */
export function toFault({ line, column }: Position, message: string): Fault {
  const half = longestMessage / 2;
  if (message.length <= longestMessage) return { line, column, message };
  return { line, column, message: `${message.slice(0, half)} … ${message.slice(-half)}` };
}

/** Where something is in a text. Lines and columns count from 1. */
export type Position = Pick<Fault, "line" | "column">;

/** How a text is read. */
export interface YAMLOptions {
  /** What the file should contain, for messages: "a route table". */
  readonly expected: string;
  /** `failsafe` leaves every scalar as the text that it is written as. */
  readonly schema: "core" | "failsafe";
  /** What to do about a key that is there twice. */
  readonly duplicateHint?: string;
}

/** A text that was read. `value` is undefined where there are faults. */
export interface ReadYAML {
  readonly value: unknown;
  readonly document: Document.Parsed;
  readonly faults: readonly Fault[];
  /** @param offset in UTF-16 units from the start of the text */
  readonly positionOf: (offset: number) => Position;
}

/** Lists and maps within one another: more than any table needs, and few enough to walk them recursively. */
const deepest = 50;
const tooDeep = `expected at most ${deepest} lists and maps within one another, got more`;

/** How often an anchor may be used, counting the aliases that it contains itself: a small file must not become a huge value. */
const maxAliasCount = 100;

/** Reads a text. */
export function readYAML(text: string, { expected, schema, duplicateHint = "" }: YAMLOptions): ReadYAML {
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: true, logLevel: "error" } as const;
  const document = parseDocument(text, { ...options, ...(schema === "failsafe" ? { schema } : {}) });
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults: Fault[] = [];
  const add = (offset: number, message: string) => faults.push(toFault(positionOf(offset), message));

  // An editor's "Unicode" can be UTF-16, which has such a character in each letter.
  const nul = text.indexOf("\0");
  if (nul !== -1) add(nul, "expected text in UTF-8, got a NUL character; save the file as UTF-8");
  else {
    for (const [offset, message] of syntaxFaults(document, text, positionOf, duplicateHint))
      add(offset, message);
  }
  if (faults.length === 0 && (document.contents === null || text.trim() === ""))
    add(0, `expected ${expected}, got ${text.trim() === "" ? "an empty file" : "a file with only comments"}`);
  if (faults.length === 0) for (const [offset, message] of structureFaults(document)) add(offset, message);
  if (faults.length > 0) return { value: undefined, document, faults, positionOf };
  try {
    return { value: document.toJS({ maxAliasCount }), document, faults, positionOf };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    add(
      lastAliasIn(document)?.range?.[0] ?? 0,
      `expected each anchor to be used at most ${maxAliasCount} times, counting the aliases within it, got more; write some of the values out`,
    );
    return { value: undefined, document, faults, positionOf };
  }
}

/** A fault before its offset is turned into line and column. */
type RawFault = readonly [offset: number, message: string];

/** What the parser refuses, without the errors that only follow from the one before them. */
function syntaxFaults(
  document: Document.Parsed,
  text: string,
  positionOf: (offset: number) => Position,
  duplicateHint: string,
): RawFault[] {
  const errors = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const lineOf = ({ pos }: YAMLError) => positionOf(pos[0]).line;
  const [first] = errors;
  if (first === undefined) return [];
  // Whatever else is wrong may come from the tab, before it as well as behind it.
  const tab = errors.map((error) => tabAt(error, text)).find((offset) => offset !== undefined);
  if (tab !== undefined)
    return [[tab, "expected spaces as indentation, got a tab: YAML does not allow tabs there"]];
  const faults: RawFault[] = [];
  for (const error of errors) {
    if (error.code === "RESOURCE_EXHAUSTION") {
      faults.push([error.pos[0], tooDeep]);
      break;
    }
    // Behind a bracket that is never closed, every further token is an error by itself.
    if (error.code === "UNEXPECTED_TOKEN" && lineOf(error) !== lineOf(first)) continue;
    faults.push([error.pos[0], syntaxMessage(error, document, positionOf, duplicateHint)]);
  }
  return faults;
}

/** Where the tab is that an error comes from, or undefined for another error. */
function tabAt({ code, pos: [offset] }: YAMLError, text: string): number | undefined {
  // Within brackets that are open a tab is white space, and a key can be there twice behind one.
  if (code === "DUPLICATE_KEY") return undefined;
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const [indentation = ""] = /^[ \t]*/.exec(text.slice(start)) ?? [];
  const tab = indentation.indexOf("\t");
  if (tab !== -1) return start + tab;
  return code === "TAB_AS_INDENT" ? offset : undefined;
}

function syntaxMessage(
  error: YAMLError,
  document: Document.Parsed,
  positionOf: (offset: number) => Position,
  duplicateHint: string,
): string {
  if (error.code === "MULTIPLE_DOCS") return 'expected one YAML document, got a second one; remove the "---"';
  if (error.code === "DUPLICATE_KEY") {
    const twins = sameKeys(document, error.pos[0]);
    if (twins !== undefined) {
      const { line } = positionOf(twins.first);
      return `expected each key once, got "${twins.key}" again; the first is in line ${line}${duplicateHint}`;
    }
  }
  return `not readable as YAML: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`;
}

/** The key at an offset, and the offset of the same key before it in its map. */
function sameKeys(document: Document, offset: number): { key: string; first: number } | undefined {
  let found: { key: string; first: number } | undefined;
  visit(document, {
    Map(_key, map) {
      const keys = map.items.map(({ key }) => key).filter((key) => isScalar(key));
      const later = keys.find(({ range }) => range?.[0] === offset);
      if (later === undefined) return;
      const first = keys.find(({ value }) => value === later.value);
      if (first?.range != null) found = { key: String(later.value), first: first.range[0] };
      return visit.BREAK;
    },
  });
  return found;
}

/** What the parser accepts and no value can be made of. */
function structureFaults(document: Document.Parsed): RawFault[] {
  const faults: RawFault[] = [];
  const hasMergeKeys = document.directives?.yaml.version === "1.1";
  visit(document, {
    Alias(_key, alias, path) {
      const fault = aliasFault(alias, path, document);
      if (fault !== undefined) faults.push([alias.range?.[0] ?? 0, fault]);
    },
    Collection(_key, { range }, path) {
      if (path.filter((each) => isCollection(each)).length < deepest) return;
      faults.push([range?.[0] ?? 0, tooDeep]);
      return visit.BREAK;
    },
    Pair(_key, { key }) {
      if (hasMergeKeys || !isScalar(key) || key.value !== "<<" || key.type !== "PLAIN") return;
      faults.push([
        key.range?.[0] ?? 0,
        'expected a key, got the merge key "<<", which YAML 1.2 does not have; write the keys out, or use an alias for the whole value',
      ]);
    },
  });
  return faults;
}

function aliasFault(
  alias: Alias,
  path: readonly (Document | Node | Pair)[],
  document: Document,
): string | undefined {
  const target = alias.resolve(document);
  if (target === undefined) return `expected an anchor before this alias, got none called "${alias.source}"`;
  if (!path.includes(target)) return undefined;
  return `expected a value, got the alias of the anchor "${alias.source}" within itself: it would never end`;
}

function lastAliasIn(document: Document): Alias | undefined {
  let last: Alias | undefined;
  visit(document, {
    Alias(_key, alias) {
      last = alias;
    },
  });
  return last;
}
