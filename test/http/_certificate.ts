/** Self-signed certificates for the loopback address, made with openssl, and connections that look at them. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { promisify } from "node:util";

/** What {@link makeCertificate} makes. */
export interface MadeCertificate {
  /** The common name. */
  readonly name?: string;
  readonly days?: number;
  readonly cert?: string;
  readonly key?: string;
  /** The algorithm of the key. */
  readonly algorithm?: "rsa" | "ec";
}

const algorithms = {
  rsa: ["-newkey", "rsa:2048"],
  ec: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
} as const;

/** Writes `cert.pem`, self-signed, and `key.pem` into a folder. Returns the certificate. */
export async function makeCertificate(folder: string, made: MadeCertificate = {}): Promise<string> {
  const { name = "localhost", days = 2, cert = "cert.pem", key = "key.pem", algorithm = "ec" } = made;
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name},IP:127.0.0.1`];
  const files = ["-keyout", join(folder, key), "-out", join(folder, cert)];
  const form = ["-x509", ...algorithms[algorithm], "-nodes", "-days", String(days)];
  try {
    await promisify(execFile)("openssl", ["req", ...form, ...subject, ...files]);
  } catch (cause) {
    throw new Error("This test requires openssl in the PATH.", { cause });
  }
  return readFile(join(folder, cert), "utf8");
}

/** Connects with TLS, whatever the certificate. Rejects if the handshake fails. */
export async function connectTo(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const port = Number(new URL(url).port);
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options });
  await once(socket, "secureConnect");
  socket.on("error", () => {});
  return socket;
}

/** Returns the common name of the certificate that a new connection gets. */
export async function nameServed(url: string): Promise<string> {
  const socket = await connectTo(url);
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}
