/** Implements `journal`: creates the journal that several machines share, and shows its state. */
import { join } from "node:path";
import { connectControl } from "../../../src/control/client.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { counted } from "../../../src/domain/text.ts";
import { nodeFiles, piecesOf } from "../../../src/store/folder/files.ts";
import { snapshotFile } from "../../../src/store/folder/folder-names.ts";
import { readHead } from "../../../src/store/journal/decoding.ts";
import { bodyOffset } from "../../../src/store/journal/lines.ts";
import { withoutPassword } from "../../../src/store/shared/connection.ts";
import { markShared } from "../../../src/store/shared/node-folder.ts";
import { createJournal, readJournal, schemaSQL } from "../../../src/store/shared/postgres-tables.ts";
import { readSnapshotHeader } from "../../../src/store/snapshot.ts";
import type { Context } from "../../context.ts";
import { openFolder } from "../../data/open-folder.ts";

/** Creates the shared journal with the data of the folder, which becomes the first copy of it. */
export async function initJournal(
  context: Context,
  given: string | undefined,
  { print }: { readonly print?: boolean | string },
): Promise<void> {
  const { output, workspace } = context;
  if (print !== undefined && print !== false) {
    const sql = schemaSQL(print === true ? undefined : requireRole(context, print));
    output.verbatim({ sql }, sql.trimEnd());
    return;
  }
  const url = requireURL(context, given);
  const { folder } = workspace();
  if ((await connectControl(folder)) !== undefined) {
    throw new Failure("CONFLICT", `A service runs on ${folder}.`, {
      hint: "Stop it first: what it changes meanwhile would be missing in the shared journal.",
    });
  }
  // The folder is not one of the journal yet. It must have data: one that is created here could not join a journal any more.
  const opened = await openFolder(workspace(), output, "edits", {}, null);
  try {
    const { sequence } = await opened.control.run("data.snapshot", {});
    const path = join(folder, snapshotFile(sequence));
    const head = await readHead(nodeFiles, path);
    const { chain } = readSnapshotHeader(head.toString("utf8", bodyOffset));
    const id = await createJournal(url, { sequence, chain }, piecesOf(nodeFiles, path));
    await markShared(nodeFiles, folder, id);
    const journal = withoutPassword(url);
    output.result(
      { journal, id, sequence },
      `Created the shared journal ${journal} with everything up to change ${sequence}. Start the service with --journal, here and elsewhere.`,
    );
  } finally {
    await opened.close();
  }
}

/** Shows the machines of a shared journal. */
export async function showJournal(context: Context, given: string | undefined): Promise<void> {
  const { output } = context;
  const url = requireURL(context, given);
  const { id, head, nodes } = await readJournal(url);
  const rows = nodes.map(({ name, sequence, table, age }) => ({
    name,
    sequence,
    lag: Math.max(0, head.sequence - sequence),
    table,
    seconds: Math.round(age / 1000),
  }));
  if (output.wantsJSON) {
    output.result({ journal: withoutPassword(url), id, sequence: head.sequence, nodes: rows }, "");
    return;
  }
  output.remark(`${withoutPassword(url)} has ${counted(head.sequence, "change")}.`);
  output.list(
    rows,
    {
      MACHINE: ({ name }) => name,
      CHANGE: ({ sequence }) => String(sequence),
      LAG: ({ lag }) => String(lag),
      TABLE: ({ table }) => table?.slice(0, 12) ?? "none",
      SEEN: ({ seconds }) => `${seconds} s ago`,
    },
    "No machine has followed it yet.",
  );
}

function requireURL({ workspace, misuse }: Context, given: string | undefined): string {
  return given ?? workspace().journal ?? misuse("expected the URL of the journal, or --journal");
}

function requireRole({ misuse }: Context, name: string): string {
  return /^[a-z_][a-z0-9_]{0,62}$/.test(name)
    ? name
    : misuse("expected the name of a role in lower-case letters, digits and _");
}
