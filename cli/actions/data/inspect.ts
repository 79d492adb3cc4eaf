/** Implements `data status` and `data verify`. */
import { describeInconsistency } from "../../../src/backup/consistency.ts";
import type { Holder } from "../../../src/control/operations.ts";
import { Failure } from "../../../src/domain/errors.ts";
import { isBookkeeping, nounOf } from "../../../src/domain/model.ts";
import { counted, numbered, pluralOf } from "../../../src/domain/text.ts";
import { type Mark, type Status, statusOf } from "../../../src/repair/status.ts";
import { examine } from "../../../src/repair/verify.ts";
import type { Context } from "../../context.ts";
import { disablePretenuring } from "../../serving/heap.ts";
import { formatInstant, Reported } from "../../terminal/output.ts";
import { describeFault, requireWhole } from "./offline.ts";
import { reportingReads, withProgress } from "./progress.ts";

/**
 * Shows the content of a folder.
 * @throws Reported if it cannot be read, the disk accepts no changes, or its service does not answer
 */
export async function showStatus({ output, workspace }: Context): Promise<void> {
  const { folder } = workspace();
  const found = await requireWhole(folder);
  const status = await statusOf(folder);
  await workspace().remarkCopy();
  const holder = found instanceof Failure ? null : found;
  const holderProblem = found instanceof Failure ? `${found.message} ${found.hint ?? ""}`.trim() : null;
  const text = describeStatus(status, holderProblem ?? describeHolder(holder));
  output.result({ ...status, holder, holderProblem }, text);
  if ([status.problem, status.disk.problem, holderProblem].some((problem) => problem !== null))
    throw new Reported();
}

/** Reads everything, and reports every fault. @throws Reported if there is one */
export async function verifyFolder(context: Context): Promise<void> {
  const { output, workspace } = context;
  disablePretenuring();
  const { folder } = workspace();
  const holder = await requireWhole(folder);
  if (holder instanceof Failure) output.remark(`warning: ${holder.message}`);
  await workspace().remarkCopy();
  const running = holder !== null;
  const { verified } = await withProgress(context, "Verifying", async (progress) =>
    examine(await reportingReads(folder, progress), folder, { running }),
  );
  const { problems, inconsistencies, remarks, ...counts } = verified;
  const found = problems.length + inconsistencies.length;
  const read =
    `${folder}: ${counted(counts.snapshots, "snapshot")} with ${counted(counts.records, "record")}, ` +
    `${counted(counts.segments, "segment")} with ${counted(counts.changes, "change")}, ` +
    `up to change ${counts.sequence}`;
  const lines = [...problems.map(describeFault), ...inconsistencies.map(describeInconsistency)];
  if (!output.wantsJSON) for (const remark of remarks) output.remark(remark);
  const document = { ok: found === 0, folder, ...counts, problems, inconsistencies, remarks };
  output.result(document, [...lines, `${read}: ${numbered(found, "problem")}.`].join("\n"));
  if (found > 0) throw new Reported();
}

function describeHolder(holder: Holder | null): string {
  return holder === null
    ? "no service runs on it"
    : `process ${holder.pid} serves it at ${holder.url} since ${formatInstant(holder.since)}`;
}

function describeStatus(status: Status, holder: string): string {
  const { bytes, files, records } = status;
  const replaced = bytes.kept === 0 ? "" : `, replaced files ${sizeOf(bytes.kept)}`;
  const others = bytes.other === 0 ? "" : `, route tables, seed and lock ${sizeOf(bytes.other)}`;
  const rows: [string, string][] = [
    ["folder", status.folder],
    ["holder", holder],
    [
      "size",
      `${sizeOf(bytes.total)}: ${counted(files.snapshots, "snapshot")} ${sizeOf(bytes.snapshots)}, ` +
        `${counted(files.segments, "segment")} of the journal ${sizeOf(bytes.journal)}${replaced}${others}`,
    ],
    ["last change", describeMark(status.lastChange)],
    ["last snapshot", describeMark(status.lastSnapshot)],
    ["journal from", describeMark(status.journalFrom)],
    ["back to", formatInstant(status.reachesBackTo)],
    ["free on the disk", sizeOf(status.disk.free)],
  ];
  for (const problem of [status.problem, status.disk.problem]) {
    if (problem !== null) rows.push(["problem", problem]);
  }
  const lists = Object.entries(status.lists ?? {}).map(([list, count]) => `${list} ${count}`);
  const inLists = lists.length === 0 ? "" : `: ${lists.join(", ")}`;
  let bookkeeping = 0;
  if (records !== null) rows.push(["records", ""]);
  for (const [name, count] of Object.entries(records ?? {})) {
    if (isBookkeeping(name)) bookkeeping += count;
    else rows.push([`  ${pluralOf(nounOf(name))}`, `${count}${name === "entries" ? inLists : ""}`]);
  }
  if (bookkeeping > 0) rows.push(["  bookkeeping", String(bookkeeping)]);
  return rows.map(([name, value]) => `${name.padEnd(20)}${value}`.trimEnd()).join("\n");
}

function describeMark(mark: Mark | null): string {
  return mark === null ? "-" : `${mark.sequence}, ${formatInstant(mark.instant)}`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1e3) return `${bytes} bytes`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
