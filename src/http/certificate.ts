/** Reads the certificate of HTTPS and its private key, and checks that they belong together. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { stat } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";
import { readRegular } from "../regular-file.ts";

/** The paths of two PEM files: a certificate, followed by those of its issuers, and its private key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate with the private key that matches it. Never log it as a whole. */
export type Certificate = Awaited<ReturnType<typeof readCertificate>>;

/** The maximum size of a file, in bytes. Long chains have some 10 kB. */
const maxBytes = 1024 * 1024;

/** The most names that a log shows; a certificate can have a hundred. */
const maxNames = 5;

const forms = {
  cert: /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/,
  key: /-----BEGIN (?:\w+ )?PRIVATE KEY-----/,
} as const;
const encrypted = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/**
 * Reads a certificate and its key.
 * @throws Failure `STORE_UNAVAILABLE` that names both files, where they cannot be read or do not belong together
 */
export async function readCertificate(files: CertificateFiles) {
  try {
    const { text: cert } = await readPem(files.cert, forms.cert, "certificate");
    const { text: key, mode: keyMode } = await readPem(files.key, forms.key, "private key");
    if (encrypted.test(key)) throw new Error("the key is encrypted; expected one without a passphrase");
    const certificate = new X509Certificate(cert);
    // A server accepts a certificate with a key of another algorithm, and then refuses every handshake.
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      throw new Error("the key does not match the certificate");
    // Reads the chain as well.
    createSecureContext({ cert, key });
    const { validFrom, validTo, subject, subjectAltName } = certificate;
    return {
      /** Both in PEM, without anything before the first block. */
      ...{ cert, key },
      /** For a log. */
      names: namesOf(subjectAltName ?? subject),
      /** In milliseconds since 1970, like the end. */
      validFrom: Date.parse(validFrom),
      validTo: Date.parse(validTo),
      /** The permissions of the key's file. */
      keyMode,
    };
  } catch (cause) {
    throw new Failure(
      "STORE_UNAVAILABLE",
      `The certificate ${files.cert} cannot be used with the key ${files.key}: ${reasonOf(cause)}.`,
      { hint: "Give --cert and --key PEM files of the same pair.", cause },
    );
  }
}

/** Reads a PEM file from its first block on. */
async function readPem(path: string, form: RegExp, what: string): Promise<{ text: string; mode: number }> {
  const text = (await readRegular(path, maxBytes)).toString();
  if (!form.test(text)) throw new Error(`${path} has no ${what} in PEM`);
  return { text: text.slice(text.indexOf("-----BEGIN ")), mode: (await stat(path)).mode & 0o777 };
}

/** Returns the names of a certificate: `DNS:example.com, IP Address:127.0.0.1`, or a subject with a line for each part. */
function namesOf(text: string): string {
  const names = text.split(/, |\n/).map((name) => name.replace(/^(?:DNS|IP Address):/, ""));
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
  return `${names.slice(0, maxNames).join(", ")}${more}`;
}
