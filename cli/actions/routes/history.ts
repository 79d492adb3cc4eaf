/** What `routes history` and `routes rollback` do. */
import { chmod, readFile, realpath, stat } from "node:fs/promises";
import { writeTarget } from "../../../src/backup/output-file.ts";
import type { Control } from "../../../src/control/control.ts";
import { Failure } from "../../../src/domain/errors.ts";
import type { TableDiff } from "../../../src/explain/diff.ts";
import { checkRoutes } from "../../../src/operations.ts";
import { packaged } from "../../../src/packaged.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { revisionOf } from "../../../src/table/revision.ts";
import { type HistoryEntry, TableHistory } from "../../../src/table-in-force/history.ts";
import type { TableText } from "../../../src/table-in-force/questions.ts";
import { TableFaults } from "../../../src/table-in-force/route-table.ts";
import { keptTable } from "../../arguments/operation.ts";
import type { Session } from "../../context.ts";
import type { GlobalOptions } from "../../data/workspace.ts";
import { confirm } from "../../terminal/confirm.ts";
import { type Column, toDate } from "../../terminal/output.ts";
import { diffText } from "./diff.ts";
import { shownNames } from "./reload.ts";

const columns: readonly Column<HistoryEntry>[] = [
  { heading: "REVISION", cell: ({ revision }) => revision },
  { heading: "SINCE", cell: ({ since }) => toDate(since) },
  { heading: "CHANGE", cell: ({ change }) => change ?? "-" },
];

/** Lists the tables that were in force, the latest first. */
export async function showHistory({ output, workplace }: Session): Promise<void> {
  const tables = await new TableHistory(workplace().folder).list();
  await output.list(tables, columns, "No route table was in force yet: `addon-cli serve` puts one in force.");
}

/** How the table is put back. */
export interface RollbackOptions extends GlobalOptions {
  /** Whether nobody is asked. */
  readonly yes?: boolean;
}

/** Where the table is put back. */
interface Scene {
  readonly file: string;
  /** The file as it is, whatever its encoding; undefined where there is no file. */
  readonly present: Buffer | undefined;
  /** The revision in force; undefined where no service runs. */
  readonly inForce: string | undefined;
}

/**
 * Writes a table that was in force into the table's file, and where a service runs puts it in force.
 * @param revision by default that of the table in force before
 * @throws Failure, TableFaults where this version refuses the table, or Reported; then nothing was changed
 */
export async function rollBack(
  session: Session,
  revision: string | undefined,
  options: RollbackOptions,
): Promise<void> {
  const { output, withControl, workplace } = session;
  const history = new TableHistory(workplace().folder);
  const wanted = revision === undefined ? undefined : await keptTable(session, revision);
  const tables = await history.list();
  if (wanted === undefined && tables.length === 0) throw noneBefore();
  await withControl("reads", async (control) => {
    const scene = await sceneOf(session, control);
    const target = wanted ?? (await tableBefore(session, tables, scene));
    const next = revisionOf(target.text);
    if (textOf(scene) === target.text && (scene.inForce ?? next) === next) {
      output.result(
        resultOf(next, scene, null, null),
        `${scene.file} is revision ${next} already: nothing was changed.`,
      );
      return;
    }
    const diff = await diffTo(session, control, target, tables, scene);
    if (!options.json) output.remark(`${diffText(output, diff, shownNames)}\n`);
    await confirm(session, options, {
      asks: `Put revision ${next} into ${scene.file}?`,
      does: "This replaces the route table",
      details: { diff },
    });
    requireUnchanged(scene, await sceneOf(session, control));
    const keptAs = await replaceTable(scene, target.text);
    if (scene.inForce !== undefined) await control.reloadRoutes(next, "rollback");
    output.result(resultOf(next, scene, keptAs, diff), resultText(next, scene, keptAs));
  });
}

/** @throws Failure where the service runs on the table in the package, which is not the operator's to replace */
async function sceneOf({ workplace }: Session, control: Control): Promise<Scene> {
  const own = workplace().routes;
  const status = (await control.holder()) === null ? undefined : await control.routesStatus();
  const file = status?.file ?? own;
  if (file === packaged("routes.yaml") && file !== own) {
    throw new Failure("CONFLICT", `The service runs on ${file}, which came with it and is not replaced.`, {
      hint: "Copy it to a folder of yours, and start the service with --routes.",
    });
  }
  const present = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return { file, present, inForce: status?.revision };
}

function textOf({ present }: Scene): string | undefined {
  return present?.toString("utf8");
}

/** @throws Failure where what was shown and asked about is not so any more: an edit that nobody saw must not be lost */
function requireUnchanged(before: Scene, now: Scene): void {
  const isSameFile =
    before.file === now.file &&
    (before.present === undefined || now.present === undefined
      ? before.present === now.present
      : before.present.equals(now.present));
  if (isSameFile && before.inForce === now.inForce) return;
  throw new Failure("CONFLICT", "The route table was changed meanwhile; it was not replaced.", {
    hint: "Repeat the command to see what it would change now.",
  });
}

/** The latest table that is neither in force nor, where no service runs, in the file. @throws Failure where there is none */
async function tableBefore(
  session: Session,
  tables: readonly HistoryEntry[],
  scene: Scene,
): Promise<TableText> {
  const text = textOf(scene);
  const current = scene.inForce ?? (text === undefined ? undefined : revisionOf(text));
  const before = tables.find(({ revision }) => revision !== current);
  if (before === undefined) throw noneBefore();
  return keptTable(session, before.revision);
}

function noneBefore(): Failure {
  return new Failure("UNKNOWN_ENTRY", "No other route table was in force before.", {
    hint: "`addon-cli routes history` lists the tables that were.",
  });
}

/**
 * What the table would change: against the table in force; where no service runs against the file, or where that has
 * faults against the table that was last in force.
 */
async function diffTo(
  session: Session,
  control: Control,
  target: TableText,
  tables: readonly HistoryEntry[],
  scene: Scene,
): Promise<TableDiff> {
  const text = textOf(scene);
  try {
    if (scene.inForce !== undefined) return await control.diffRoutes(target);
    const isSound = text !== undefined && isServable(text, await control.vocabulary());
    if (isSound) return await control.diffRoutes(target, { file: scene.file, text });
    const last = tables[0] === undefined ? target : await keptTable(session, tables[0].revision);
    return await control.diffRoutes(target, last);
  } catch (error) {
    if (error instanceof TableFaults && error.file === target.file)
      session.output.remark("This version of the service refuses that table. Nothing was changed.");
    throw error;
  }
}

function isServable(text: string, vocabulary: Parameters<typeof checkRoutes>[1]): boolean {
  return checkRoutes(text, vocabulary).table !== undefined;
}

/**
 * Puts a text in the place of the table's file, by a rename, and keeps the file's own beside it.
 * @returns the path of that copy; null where there was no file, or where it has the text already
 */
async function replaceTable(scene: Scene, text: string): Promise<string | null> {
  if (textOf(scene) === text) return null;
  const { file, present } = scene;
  // A link stays a link: the file that it leads to is replaced.
  const path = present === undefined ? file : await realpath(file);
  const mode = present === undefined ? 0o666 : (await stat(path)).mode & 0o777;
  const copy = `${file}.before-rollback`;
  const write = async (to: string, content: Buffer) => {
    await writeTarget(nodeFiles, to, [content], { mode });
    // Whoever reads the file, such as the service, is to be able to after this, whatever the umask is.
    if (present !== undefined) await chmod(to, mode);
  };
  if (present !== undefined) await write(copy, present);
  await write(path, Buffer.from(text));
  return present === undefined ? null : copy;
}

function resultOf(revision: string, { file, inForce }: Scene, keptAs: string | null, diff: TableDiff | null) {
  return { revision, file, inForce: inForce !== undefined, keptAs, diff };
}

function resultText(revision: string, { file, inForce }: Scene, keptAs: string | null): string {
  const effect =
    inForce === undefined
      ? `${file} is revision ${revision} now. No service is running; the next start puts it in force.`
      : inForce === revision
        ? `${file} is revision ${revision} again, which stayed in force.`
        : `Revision ${revision} is in force; it was ${inForce}.`;
  return keptAs === null ? effect : `${effect}\nThe file as it was before is ${keptAs}.`;
}
