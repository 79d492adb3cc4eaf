/** Connections to PostgreSQL, and how an address is shown. */
import postgres, { type Sql } from "postgres";
import { Failure } from "../../domain/errors.ts";

/** Node cannot tell the kernel to give up a dead connection early: the sequencer finds it, and ends all connections. */
const settings = {
  max: 4,
  connect_timeout: 5,
  idle_timeout: 0,
  max_lifetime: null,
  fetch_types: false,
  backoff: () => 0.2,
  onnotice: () => {},
  connection: { application_name: "gameaddon" },
} as const;

/** Returns a client. @throws Failure `STORE_UNAVAILABLE` for a faulty URL; that of `URL` has all of it, password included */
export function connect(url: string, own: { max?: number; onclose?: () => void } = {}): Sql {
  // For `read-write` the client takes a standby, too: it only asks whether transactions are read-only by default.
  const named = /[?&]target_session_attrs=([\w-]+)/.exec(url)?.[1] ?? process.env.PGTARGETSESSIONATTRS;
  // Of several hosts, the client otherwise takes the first that answers, which can be a standby.
  const hasSeveralHosts = /^\w+:\/\/[^/?]*,/.test(url) || process.env.PGHOST?.includes(",");
  const wanted = named ?? (hasSeveralHosts ? "read-write" : undefined);
  const primary = wanted === "read-write" ? ({ target_session_attrs: "primary" } as const) : {};
  try {
    if (/^postgres(?:ql)?:\/\//.test(url)) return postgres(url, { ...settings, ...primary, ...own });
  } catch {}
  throw new Failure("STORE_UNAVAILABLE", "The URL of the shared journal is faulty.", {
    hint: "Expected one such as postgres://gameaddon@db.example/gameaddon, with `%2F` for / and `%40` for @ in a password.",
  });
}

/**
 * Returns a client of one connection, for a transaction. When it is lost, all that follows is rejected: it would be done
 * outside the transaction. The client's own `begin` and `reserve` write to a lost connection, which ends the process
 * (porsager/postgres, issue 1208).
 */
export function connectAlone(url: string): Sql {
  const sql = connect(url, { max: 1, onclose: () => void sql.end({ timeout: 0 }).catch(() => {}) });
  return sql;
}

/** Returns a URL without its password, and without its options, which may have another. */
export function withoutPassword(url: string): string {
  return url.replace(/\?.*/, "").replace(/^(\w+:\/\/[^:/@]*):.*@/, "$1@");
}
