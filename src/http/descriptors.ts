/** File descriptors: how many connections there may be, so that some are left for files and the control socket. */

/** How many descriptors are left to everything but connections: the data folder's files, the control socket, the log. */
const reserved = 64;
/** Where there are more descriptors than that: a connection also takes some 20 KB of memory. */
const mostConnections = 10_000;

/** How many connections a server of this process may have at the same time, by the limit of the system. */
export function connectionLimit(): number {
  const descriptors = openFiles();
  return Math.max(8, Math.min(mostConnections, descriptors - reserved));
}

/** How many descriptors this process may have; infinite where there is no limit, or the system does not tell. */
function openFiles(): number {
  // Else it looks up the name of every peer.
  Object.assign(process.report, { excludeNetwork: true });
  const report: { userLimits?: { open_files?: { soft?: unknown } } } = process.report.getReport();
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY;
}
