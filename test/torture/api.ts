/** The requests of the clients over HTTP. */

/** The service was killed, or is stopping. */
export class Gone extends Error {
  override readonly name = "Gone";
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** Sends a request. Returns the answer and its status. @throws Gone where there is no answer */
export async function tryToAsk<T>(
  url: string,
  token: string,
  path: string,
  key?: string,
): Promise<Answer<T & { code?: string }>> {
  const headers = key === undefined ? {} : { "Idempotency-Key": key };
  let status: number;
  let body: T & { code?: string };
  try {
    const response = await fetch(`${url}/gameaddon/v1/${token}${path}`, { headers });
    ({ status } = response);
    body = (await response.json()) as T & { code?: string };
  } catch (cause) {
    throw new Gone("no answer", { cause });
  }
  if (body.code === "SHUTTING_DOWN") throw new Gone("the service stops");
  return { status, body };
}

/** Sends a request that must succeed. @throws Gone, or an Error for any other failure */
export async function ask<T>(url: string, token: string, path: string, key?: string): Promise<T> {
  const { status, body } = await tryToAsk<T>(url, token, path, key);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}
