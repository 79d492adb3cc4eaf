/** The limit of connections, by the file descriptors of the process. */

/** The descriptors reserved for everything else: the data folder's files, the control socket, the log. */
const reserved = 64;
/** The limit if there are more descriptors. A connection also takes about 20 KB of memory. */
const mostConnections = 10_000;

let limit: number | undefined;

/** Returns the largest number of simultaneous connections. */
export function connectionLimit(): number {
  // The report lists every connection: with 2,000 of them it takes 80 ms.
  limit ??= Math.max(8, Math.min(mostConnections, descriptorLimit() - reserved));
  return limit;
}

/** Returns the number of descriptors that this process may open, or infinity if the limit is unknown. */
function descriptorLimit(): number {
  // Otherwise the report looks up the name of every peer.
  Object.assign(process.report, { excludeNetwork: true });
  const report: { userLimits?: { open_files?: { soft?: unknown } } } = process.report.getReport();
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY;
}
