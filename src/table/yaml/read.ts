/**
 * Reads YAML that people write, for the route table and its tests: into plain values, or into faults that name line and
 * column and say what to do.
 */
import { LRUCache } from "lru-cache";
import {
  Composer,
  CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  visit,
  type YAMLError,
} from "yaml";
import { reservedKeys, reservedWords } from "../../domain/limits.ts";
import { uncapitalised } from "../../domain/text.ts";
import { type Fault, type Path, type Position, type Report, type Side, toFault } from "./fault.ts";
import { pointWords, rewrittenWords, sourceAt } from "./scalar.ts";

/** A text that was read. */
export type ReadYAML = ReturnType<typeof readYAML>;

/** How deeply lists and maps may be nested: deeper than any table needs, and shallow enough for recursion. */
const maxDepth = 50;
const tooDeep = `expected at most ${maxDepth} levels of lists and maps, got more`;

/** How often an anchor may be used, including the aliases within it: a small file must not become a huge value. */
const maxAliasCount = 100;
const tooManyAliases = `expected at most ${maxAliasCount} uses of an anchor, including the aliases within it, got more; write some values out`;

/** `failsafe` leaves every scalar as the text that it is written as. */
type Schema = "core" | "failsafe";

/**
 * Reads a text. The value is undefined if there were faults.
 * @param options.expected what the file should contain, for messages: "a route table"
 */
export function readYAML(
  text: string,
  { expected, schema }: { readonly expected: string; readonly schema: Schema },
) {
  const { document, lines, deep, second } = recent.memo(`${schema} ${text}`, { context: { text, schema } });
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  /** The faults of the YAML itself, and those reported since. */
  const faults: Fault[] = [];
  const add = (offset: number, message: string) => faults.push(toFault(positionOf(offset), message));
  /** Returns the position of a value or its key, or of what comes closest to it in the document. */
  const locate = (path: Path, side: Side = "value") => positionOf(offsetOf(document.contents, path, side));
  const report: Report = (path, message, side) => {
    faults.push(toFault(locate(path, side), message));
  };
  /** Returns a scalar as it is written; undefined if that is not known. */
  const sourceOf = (path: Path) => sourceAt(document, path);
  /** Returns the text of a scalar; reports a number or boolean whose text is not what is written, such as 2.10. */
  const textOf = (value: unknown, path: Path) => {
    const words = rewrittenWords(value, sourceOf(path));
    return words === undefined ? String(value) : report(path, words);
  };
  /** Reports whole numbers that are written with a point, unless there is a fault already, such as that of a text. */
  const reportPoints = () =>
    visit(document, {
      Scalar(_key, { value, source, range }) {
        const words = pointWords(value, source);
        if (words === undefined) return;
        const { line, column } = positionOf(range?.[0] ?? 0);
        if (!faults.some((fault) => fault.line === line && fault.column === column))
          faults.push({ line, column, message: words });
      },
    });
  const failed = { value: undefined, faults, report, locate, sourceOf, textOf, reportPoints };

  // Text that an editor saves as "Unicode" can be UTF-16, which has a NUL in each ASCII character.
  const nul = text.indexOf("\0");
  // What is not UTF-8, such as an umlaut in Latin-1, was read as this character.
  const replaced = text.indexOf("\uFFFD");
  if (nul !== -1) add(nul, "expected text in UTF-8, got a NUL character; save the file as UTF-8");
  else if (replaced !== -1)
    add(replaced, "expected text in UTF-8, got another encoding; save the file as UTF-8");
  else if (deep !== undefined) add(deep, tooDeep);
  else {
    for (const { pos, message } of syntaxErrors(document, text, positionOf)) add(pos[0], message);
    if (second !== undefined) add(second, 'expected one YAML document, got a second one; remove the "---"');
  }
  if (faults.length === 0 && (document.contents === null || text.trim() === ""))
    add(0, `expected ${expected}, got ${text.trim() === "" ? "an empty file" : "a file with only comments"}`);
  if (faults.length === 0) checkStructure(document, positionOf, add);
  if (faults.length > 0) return failed;
  try {
    const value: unknown = document.toJS({ maxAliasCount });
    return { ...failed, value };
  } catch (error) {
    // The library throws others for types that only YAML 1.1 has, such as a merge key of something else than a map.
    const isCount = error instanceof ReferenceError;
    add(document.contents?.range[0] ?? 0, isCount ? tooManyAliases : invalidYAML((error as Error).message));
    return failed;
  }
}

/**
 * Parses a text, up to the offset `deep` where it has more levels than it may, and finds where a second document begins. The
 * library's `parseDocument` would recurse until the stack is full, and V8 aborts the process if it compiles a regular
 * expression there.
 */
function parse(text: string, schema: Schema) {
  const lines = new LineCounter();
  // Not from the parser, which leaves some out where it recovers from an error.
  for (const { index } of text.matchAll(/^|(?<=\n)/g)) lines.addNewLine(index);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let deep: number | undefined;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length <= maxDepth) continue;
    deep = parser.stack.filter((token) => CST.isCollection(token))[maxDepth]?.offset;
    if (deep !== undefined) break;
  }
  tokens.push(...parser.end());
  const options = { uniqueKeys: false, logLevel: "error", ...(schema === "failsafe" && { schema }) } as const;
  const [first, second] = new Composer(options).compose(tokens, true, text.length);
  return { document: first as Document.Parsed, lines, deep, second: second?.range[0] };
}

/**
 * Parsed texts, by their schema and themselves: a start, a review and a reload read the same file several times. Nothing
 * changes a document.
 */
const recent = new LRUCache<string, ReturnType<typeof parse>, { text: string; schema: Schema }>({
  maxSize: 100_000,
  sizeCalculation: (_, key) => key.length,
  memoMethod: (_key, _stale, { context: { text, schema } }) => parse(text, schema),
});

/** Returns where a path leads, or the place before it where the document ends. */
function offsetOf(root: Node | null, path: Path, side: Side): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const [index, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return offset;
      const [key, value] = [pair.key as Node, pair.value as Node | null];
      // A block begins on the line after its key, an empty value nowhere.
      const atKey = (index === path.length - 1 && side === "key") || !isScalar(value);
      offset = (atKey ? key.range?.[0] : value?.range?.[0]) ?? offset;
      node = value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/** Returns the errors of the parser in our words, without those that only follow from the one before. */
function syntaxErrors(
  document: Document.Parsed,
  text: string,
  positionOf: (offset: number) => Position,
): Pick<YAMLError, "pos" | "message">[] {
  const errors = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const lineOf = ({ pos }: YAMLError) => positionOf(pos[0]).line;
  const [first] = errors;
  if (first === undefined) return [];
  // A tab can cause the errors before it as well as those after it.
  const tab = errors.map((error) => tabAt(error, text)).find((offset) => offset !== undefined);
  if (tab !== undefined) return [{ pos: [tab, tab], message: "expected spaces as indentation, got a tab" }];
  return (
    errors
      // After a bracket that is never closed, every further token is an error of its own.
      .filter((error) => error.code !== "UNEXPECTED_TOKEN" || lineOf(error) === lineOf(first))
      .map(({ pos, message }) => ({ pos, message: invalidYAML(message) }))
  );
}

/** Returns the offset of the tab that caused an error, or undefined for another error. */
function tabAt({ code, pos: [offset] }: YAMLError, text: string): number | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const [indentation = ""] = /^[ \t]*/.exec(text.slice(start)) ?? [];
  const tab = indentation.indexOf("\t");
  if (tab !== -1) return start + tab;
  return code === "TAB_AS_INDENT" ? offset : undefined;
}

function invalidYAML(message: string): string {
  return `invalid YAML: ${uncapitalised(message)}`;
}

/** Finds what the parser accepts, but has no value. */
function checkStructure(
  document: Document.Parsed,
  positionOf: (offset: number) => Position,
  add: (offset: number, message: string) => void,
): void {
  visit(document, {
    Alias(_key, alias, path) {
      const at = alias.range?.[0] ?? 0;
      const target = alias.resolve(document);
      if (target === undefined) add(at, `unknown anchor "${alias.source}"; expected one before its alias`);
      else if (path.includes(target))
        add(at, `expected a value, got the anchor "${alias.source}" within itself`);
    },
    Map(_key, { items }) {
      const lines = new Map<unknown, number>();
      for (const { key } of items) {
        // In a document of YAML 1.1, which has merge keys, such a key is a symbol.
        if (!isScalar(key) || typeof key.value === "symbol") continue;
        const at = key.range?.[0] ?? 0;
        const twin = lines.get(key.value);
        lines.set(key.value, twin ?? positionOf(at).line);
        if (twin !== undefined) add(at, `duplicate key "${key.value}"; the first is in line ${twin}`);
        if (reservedKeys.includes(String(key.value))) add(at, `"${key.value}" ${reservedWords}`);
        const words = rewrittenWords(key.value, key.source);
        if (words !== undefined) add(at, words);
        if (key.value === "<<" && key.type === "PLAIN")
          add(
            at,
            'expected a key, got "<<": YAML 1.2 has no merge keys; write the keys out, or use an alias for the whole value',
          );
      }
    },
  });
}
