/** A self-signed certificate for the loopback address, made with openssl. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Writes `cert.pem`, self-signed, and `key.pem` into a folder. Returns the certificate. */
export async function makeCertificate(folder: string): Promise<string> {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  const form = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  try {
    await promisify(execFile)("openssl", ["req", ...form, ...subject, ...files]);
  } catch (cause) {
    throw new Error("This test requires openssl in the PATH.", { cause });
  }
  return readFile(join(folder, "cert.pem"), "utf8");
}
