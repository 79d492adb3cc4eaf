/** Implements `health`. */
import * as v from "valibot";
import { connectControl } from "../../src/control/client.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { Context } from "../context.ts";
import { Reported } from "../terminal/output.ts";

/** The time for an answer, in milliseconds. */
const deadlineMilliseconds = 5_000;
/** The most characters that are read of an answer. One of this service has fewer than 300. */
const maxAnswer = 4096;

const readinessSchema = v.object({
  status: v.picklist(["ready", "stopping", "unfit"]),
  changes: v.boolean(),
  reason: v.nullable(v.string()),
});

/**
 * Asks the service at an origin or, without one, that of the data folder whether it is ready.
 * @throws Reported if it is not, or accepts no changes
 * @throws Failure if there is no answer
 */
export async function reportHealth(context: Context, { url: origin }: { url?: string }): Promise<void> {
  const { readiness, url } = await (origin === undefined ? askFolder(context) : askOrigin(origin));
  const { status, changes, reason } = readiness;
  const refusing = status === "unfit" ? "answers nothing" : "is ready, but accepts no changes";
  const verb = status === "stopping" ? "is stopping." : `${refusing}. ${reason}`;
  const words = changes ? "is ready and accepts changes." : verb;
  context.output.result({ url, ...readiness }, `The service at ${url} ${words}`);
  if (status !== "ready" || !changes) throw new Reported();
}

/** @throws Failure if no service runs on the data folder, or it does not answer */
async function askFolder({ workspace }: Context) {
  const { folder } = workspace();
  const signal = AbortSignal.timeout(deadlineMilliseconds);
  try {
    const control = await connectControl(folder, signal);
    if (control !== undefined) {
      const holder = await control.run("holder", {}, signal);
      return { url: holder?.url ?? folder, readiness: await control.run("readiness", {}, signal) };
    }
  } catch (error) {
    throw signal.aborted ? tooLate(`The service on ${folder}`) : error;
  }
  // Refuses what cannot be a data folder, such as a file.
  await workspace().hasData();
  throw unavailable(
    `No service runs on ${folder}, or it is still starting.`,
    "`addon-cli serve` starts one. --data names another folder; --url asks a service elsewhere.",
  );
}

function unavailable(message: string, hint: string, cause?: Error): Failure {
  return new Failure("STORE_UNAVAILABLE", message, { hint, cause });
}

function tooLate(who: string): Failure {
  const message = `${who} did not answer within ${deadlineMilliseconds / 1000} s.`;
  return unavailable(message, "It may be overloaded or stopped: see its log.");
}

/** @throws Failure if the service does not answer, or something else does */
async function askOrigin(url: string) {
  const page = `${url}/ready`;
  try {
    const signal = AbortSignal.timeout(deadlineMilliseconds);
    const response = await fetch(page, { redirect: "manual", signal });
    const { status } = response;
    const text = await textOf(response);
    const readiness = v.safeParse(v.pipe(v.string(), v.parseJson(), readinessSchema), text);
    if (readiness.success && (status === 200 || status === 503)) return { url, readiness: readiness.output };
    throw unavailable(
      `Expected the readiness of the service at ${page}, got another answer, with the status ${status}.`,
      "Name the origin of this service itself, of this version or later. A proxy must pass /ready on to it.",
    );
  } catch (error) {
    throw error instanceof Failure ? error : unreachable(url, error);
  }
}

/** Reads an answer, but not more of it than {@link maxAnswer}. */
async function textOf({ body }: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > maxAnswer) break;
  }
  return text;
}

function unreachable(url: string, error: unknown): Failure {
  if (error instanceof Error && error.name === "TimeoutError") return tooLate(`The service at ${url}`);
  // `fetch` rejects with "fetch failed", whose cause says why. The message of OpenSSL has several lines.
  const cause: NodeJS.ErrnoException =
    error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
  const { code = "", message } = cause;
  const isTLS = /^(?:ERR_SSL_|EPROTO$)/.test(code);
  const why = isTLS ? `the TLS handshake failed (${code})` : message || code;
  return unavailable(
    `Cannot reach the service at ${url}: ${why}.`,
    "Check that it runs, that scheme, host and port are right, and that its certificate is valid for that host. " +
      "NODE_EXTRA_CA_CERTS=<file> trusts the certificate of your own authority.",
    cause,
  );
}
