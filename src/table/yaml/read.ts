/**
 * Reads YAML that people write, for the route table and its tests: into plain values, or into faults that name line and
 * column and say what to do.
 */
import {
  type Alias,
  Composer,
  CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  visit,
  type YAMLError,
  YAMLParseError,
} from "yaml";
import { type Fault, type Path, type Position, type Report, type Side, toFault } from "./fault.ts";
import { rewrittenWords, sourceAt } from "./scalar.ts";

/** How a text is read. */
export interface YAMLOptions {
  /** What the file should contain, for messages: "a route table". */
  readonly expected: string;
  /** `failsafe` leaves every scalar as the text that it is written as. */
  readonly schema: "core" | "failsafe";
  /** What to do about a duplicate key. */
  readonly duplicateHint?: string;
}

/** A text that was read. */
export interface ReadYAML {
  /** Undefined if there were faults. */
  readonly value: unknown;
  /** The faults of the YAML itself, and those reported since. */
  readonly faults: Fault[];
  readonly report: Report;
  /** Returns the position of a value or its key, or of what comes closest to it in the document. */
  readonly locate: (path: Path, side?: Side) => Position;
  /** Returns the text of a scalar; reports a number or boolean whose text is not what is written, such as 2.10. */
  readonly textOf: (value: unknown, path: Path) => string | undefined;
}

/** How deeply lists and maps may be nested: deeper than any table needs, and shallow enough for recursion. */
const maxDepth = 50;
const tooDeep = `expected at most ${maxDepth} levels of lists and maps, got more`;

/** How often an anchor may be used, including the aliases within it: a small file must not become a huge value. */
const maxAliasCount = 100;

/** Reads a text. */
export function readYAML(text: string, { expected, schema, duplicateHint = "" }: YAMLOptions): ReadYAML {
  const lines = new LineCounter();
  const { document, deep } = parse(text, schema, lines);
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults: Fault[] = [];
  const add = (offset: number, message: string) => faults.push(toFault(positionOf(offset), message));
  const locate = (path: Path, side: Side = "value") =>
    positionOf(offsetOf(document.contents, path, side, schema));
  const report: Report = (path, message, side) => {
    faults.push(toFault(locate(path, side), message));
  };
  const textOf = (value: unknown, path: Path) => {
    const words = rewrittenWords(value, sourceAt(document, path));
    return words === undefined ? String(value) : report(path, words);
  };
  const failed = { value: undefined, faults, report, locate, textOf };

  // Text that an editor saves as "Unicode" can be UTF-16, which has a NUL in each ASCII character.
  const nul = text.indexOf("\0");
  if (nul !== -1) add(nul, "expected text in UTF-8, got a NUL character; save the file as UTF-8");
  else if (deep !== undefined) add(deep, tooDeep);
  else {
    for (const [offset, message] of syntaxFaults(document, text, positionOf, duplicateHint))
      add(offset, message);
  }
  if (faults.length === 0 && (document.contents === null || text.trim() === ""))
    add(0, `expected ${expected}, got ${text.trim() === "" ? "an empty file" : "a file with only comments"}`);
  if (faults.length === 0) for (const [offset, message] of structureFaults(document)) add(offset, message);
  if (faults.length > 0) return failed;
  try {
    return { ...failed, value: document.toJS({ maxAliasCount }) };
  } catch (error) {
    add(...conversionFault(document, error));
    return failed;
  }
}

/**
 * Parses a text, up to the offset `deep` where it has more levels than it may. The library's `parseDocument` would recurse
 * until the stack is full, and V8 aborts the process if it compiles a regular expression there.
 */
function parse(
  text: string,
  schema: YAMLOptions["schema"],
  lines: LineCounter,
): { readonly document: Document.Parsed; readonly deep: number | undefined } {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let deep: number | undefined;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    deep = parser.stack.filter((token) => CST.isCollection(token))[maxDepth]?.offset;
    if (deep !== undefined) break;
  }
  tokens.push(...parser.end());
  const options = {
    uniqueKeys: true,
    logLevel: "error",
    ...(schema === "failsafe" ? { schema } : {}),
  } as const;
  const [first, second] = new Composer(options).compose(tokens, true, text.length);
  const document = first as Document.Parsed;
  if (second !== undefined) {
    const [start, end] = second.range;
    document.errors.push(new YAMLParseError([start, end], "MULTIPLE_DOCS", "several documents"));
  }
  return { document, deep };
}

/** Returns where a path leads, or the place before it where the document ends. */
function offsetOf(root: Node | null, path: Path, side: Side, schema: YAMLOptions["schema"]): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const [index, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return offset;
      const [key, value] = [pair.key as Node, pair.value as Node | null];
      const atKey = (index === path.length - 1 && side === "key") || !hasPlace(value, schema);
      offset = (atKey ? key.range?.[0] : value?.range?.[0]) ?? offset;
      node = value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/**
 * Whether a fault of a value is at the value itself rather than at its key. A block begins on the line after its key,
 * an empty value nowhere. In tests (`failsafe`), which consist of small flow maps, these have a place of their own.
 */
function hasPlace(value: Node | null, schema: YAMLOptions["schema"]): boolean {
  if (value?.range == null) return false;
  if (schema === "core") return isScalar(value);
  return isScalar(value)
    ? value.value !== ""
    : isAlias(value) || (isCollection(value) && value.flow === true);
}

/** A fault before its offset is turned into line and column. */
type RawFault = readonly [offset: number, message: string];

/** Returns the errors of the parser, without those that only follow from the one before. */
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
  // A tab can cause the errors before it as well as those after it.
  const tab = errors.map((error) => tabAt(error, text)).find((offset) => offset !== undefined);
  if (tab !== undefined) return [[tab, "expected spaces as indentation, got a tab"]];
  const faults: RawFault[] = [];
  for (const error of errors) {
    // After a bracket that is never closed, every further token is an error of its own.
    if (error.code === "UNEXPECTED_TOKEN" && lineOf(error) !== lineOf(first)) continue;
    faults.push([error.pos[0], syntaxMessage(error, document, positionOf, duplicateHint)]);
  }
  return faults;
}

/** Returns the offset of the tab that caused an error, or undefined for another error. */
function tabAt({ code, pos: [offset] }: YAMLError, text: string): number | undefined {
  // Within open brackets a tab is white space, and can precede a duplicate key.
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
      return `duplicate key "${twins.key}"; the first is in line ${line}${duplicateHint}`;
    }
  }
  return invalidYAML(error.message);
}

function invalidYAML(message: string): string {
  return `invalid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

/** Returns the key at an offset, and the offset of its first occurrence in the map. */
function sameKeys(document: Document, offset: number): { key: string; first: number } | undefined {
  let found: { key: string; first: number } | undefined;
  visit(document, {
    Map(_key, map) {
      const keys = map.items.map(({ key }) => key).filter((key) => isScalar(key));
      const later = keys.find(({ range }) => range?.[0] === offset);
      if (later === undefined) return;
      const first = keys.find(({ value }) => value === later.value);
      if (first?.range != null) found = { key: String(later.value), first: first.range[0] };
    },
  });
  return found;
}

/** Returns what the parser accepts, but has no value. */
function structureFaults(document: Document.Parsed): RawFault[] {
  const faults: RawFault[] = [];
  visit(document, {
    Alias(_key, alias, path) {
      const fault = aliasFault(alias, path, document);
      if (fault !== undefined) faults.push([alias.range?.[0] ?? 0, fault]);
    },
    Collection(_key, { range }, path) {
      if (path.filter((outer) => isCollection(outer)).length < maxDepth) return;
      faults.push([range?.[0] ?? 0, tooDeep]);
      return visit.BREAK;
    },
    Pair(_key, { key }) {
      // In a document of YAML 1.1, which has merge keys, such a key is a symbol.
      if (!isScalar(key) || typeof key.value === "symbol") return;
      // Every object in JavaScript has these.
      if (["__proto__", "constructor", "prototype"].includes(String(key.value)))
        faults.push([key.range?.[0] ?? 0, `"${key.value}" cannot be a name here; choose another one`]);
      const words = rewrittenWords(key.value, key.source);
      if (words !== undefined) faults.push([key.range?.[0] ?? 0, words]);
      if (key.value !== "<<" || key.type !== "PLAIN") return;
      faults.push([
        key.range?.[0] ?? 0,
        'expected a key, got "<<": YAML 1.2 has no merge keys; write the keys out, or use an alias for the whole value',
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
  if (target === undefined) return `unknown anchor "${alias.source}"; expected one before its alias`;
  return path.includes(target)
    ? `expected a value, got the anchor "${alias.source}" within itself`
    : undefined;
}

/** Returns the fault of a document that cannot be converted, from what the library throws. */
function conversionFault(document: Document.Parsed, error: unknown): RawFault {
  if (error instanceof ReferenceError) {
    return [
      lastAliasIn(document)?.range?.[0] ?? 0,
      `expected at most ${maxAliasCount} uses of an anchor, including the aliases within it, got more; write some values out`,
    ];
  }
  // Types that only YAML 1.1 has, such as a merge key of something else than a map.
  const { message } = error instanceof Error ? error : new Error(String(error));
  return [document.contents?.range?.[0] ?? 0, invalidYAML(message)];
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
