/**
 * Keeps the certificate of a running service up to date, and warns before it expires. A renewal needs no restart and
 * closes no connection.
 *
 * Programs renew in different ways: certbot replaces links, others write the certificate and then the key, and
 * orchestrators swap a folder above both. So the files are read every few seconds, which misses nothing. Between two
 * writes they do not belong together: only a fault that is found twice is reported.
 */
import { dayMilliseconds } from "../../src/domain/instant.ts";
import { reasonOf } from "../../src/domain/system-error.ts";
import { asArgument } from "../../src/domain/text.ts";
import { type Certificate, type CertificateFiles, readCertificate } from "../../src/http/certificate.ts";
import type { Server } from "../../src/http/server.ts";
import { formatInstant } from "../terminal/output.ts";
import type { Log } from "./log.ts";

/** How often the files are read, in milliseconds. */
const intervalMilliseconds = 5_000;

/** The time before the expiry from which on the log warns, in milliseconds. Of a short life it is a sixth. */
const noticeMilliseconds = 14 * dayMilliseconds;

/** Why the files are read. An operator who sends a signal has replaced both. */
type Cause = "change" | "signal";

export class CertificateReloader {
  readonly #files: CertificateFiles;
  readonly #server: Pick<Server, "useCertificate">;
  readonly #log: Pick<Log, "info" | "warn">;
  #inForce: Certificate;
  #reading: Promise<void> = Promise.resolve();
  /** The causes that wait for a read in progress, which a hanging disk can delay for long. */
  readonly #waiting = new Set<Cause>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the files were faulty when they were last read. */
  #isFaulty = false;
  /** The last warnings, each with its time in milliseconds since 1970. */
  readonly #warned = new Map<"files" | "dates" | "key", { readonly text: string; readonly at: number }>();
  #isClosed = false;

  /** @param inForce the certificate that the server began with */
  constructor(
    files: CertificateFiles,
    inForce: Certificate,
    server: Pick<Server, "useCertificate">,
    log: Pick<Log, "info" | "warn">,
  ) {
    this.#files = files;
    this.#inForce = inForce;
    this.#server = server;
    this.#log = log;
    this.#warnOfCertificate();
  }

  /** Watches the expiry, and with `files` also the files, until {@link close}. */
  watch({ files }: { readonly files: boolean }): void {
    this.#timer = setInterval(() => {
      if (files) void this.#read("change");
      else this.#warnOfCertificate();
    }, intervalMilliseconds).unref();
  }

  /** Reads the files again, and reports a fault at once. */
  reload(): Promise<void> {
    return this.#read("signal");
  }

  /** Settles when the files are not being read any more. */
  settled(): Promise<void> {
    return this.#reading;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** Never rejects. One after another: of two at once, the one with the older files could be the last. */
  #read(cause: Cause): Promise<void> {
    if (this.#waiting.has(cause)) return this.#reading;
    this.#waiting.add(cause);
    this.#reading = this.#reading.then(async () => {
      this.#waiting.delete(cause);
      if (this.#isClosed) return;
      try {
        const certificate = await readCertificate(this.#files);
        if (!this.#isClosed) this.#accept(certificate, cause);
      } catch (error) {
        if (!this.#isClosed) this.#refuse(error, cause);
      }
    });
    return this.#reading;
  }

  #accept(certificate: Certificate, cause: Cause): void {
    const { cert, key } = this.#inForce;
    this.#isFaulty = false;
    this.#warned.delete("files");
    if (certificate.cert !== cert || certificate.key !== key) {
      this.#server.useCertificate(certificate);
      const why = cause === "signal" ? "on SIGHUP" : "because its files have changed";
      const { names, validTo } = certificate;
      this.#log.info(
        `The certificate was reloaded ${why}: it is for ${names} and expires at ${formatInstant(validTo)}.`,
      );
    }
    this.#inForce = certificate;
    this.#warnOfCertificate();
  }

  #refuse(error: unknown, cause: Cause): void {
    const isNew = !this.#isFaulty;
    this.#isFaulty = true;
    if (cause === "change" && isNew) return;
    if (cause === "signal") this.#warned.delete("files");
    const expiry = formatInstant(this.#inForce.validTo);
    this.#warn("files", `${reasonOf(error)} The certificate in force stays; it expires at ${expiry}.`);
  }

  #warnOfCertificate(): void {
    const { names, validFrom, validTo, keyMode } = this.#inForce;
    const { cert, key } = this.#files;
    const now = Date.now();
    const remedy = `Renew it, and replace ${cert} and ${key}: this needs no restart.`;
    const notice = Math.min(noticeMilliseconds, (validTo - validFrom) / 6);
    if (now < validFrom)
      this.#warn("dates", `The certificate for ${names} is not valid before ${formatInstant(validFrom)}.`);
    else if (now > validTo)
      this.#warn("dates", `The certificate for ${names} expired at ${formatInstant(validTo)}. ${remedy}`);
    else if (now > validTo - notice)
      this.#warn("dates", `The certificate for ${names} expires at ${formatInstant(validTo)}. ${remedy}`);
    // A group may read it on purpose, such as Debian's ssl-cert.
    if ((keyMode & 0o004) !== 0) {
      const mode = keyMode.toString(8).padStart(4, "0");
      this.#warn(
        "key",
        `Every user of this machine can read the private key ${key} (mode ${mode}). \`chmod o= ${asArgument(key)}\` denies them access.`,
      );
    }
  }

  /** Warns once a day. */
  #warn(subject: "files" | "dates" | "key", text: string): void {
    const [at, last] = [Date.now(), this.#warned.get(subject)];
    if (last?.text === text && Math.abs(at - last.at) < dayMilliseconds) return;
    this.#warned.set(subject, { text, at });
    this.#log.warn(text);
  }
}
