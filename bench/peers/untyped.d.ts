/** The peers that come without types, as far as the bench uses them. */

declare module "better-sqlite3" {
  interface Statement {
    run(...values: unknown[]): unknown;
    get(...values: unknown[]): unknown;
  }
  export default class Database {
    constructor(file: string);
    pragma(text: string): unknown;
    exec(sql: string): void;
    prepare(sql: string): Statement;
    transaction(run: () => void): () => void;
  }
}

declare module "express" {
  import type { RequestListener, ServerResponse } from "node:http";

  interface Response extends ServerResponse {
    json(body: unknown): void;
  }
  interface Application extends RequestListener {
    get(path: string, handle: (request: unknown, response: Response) => void): void;
  }
  export default function express(): Application;
}

declare module "json-server" {
  import type { RequestListener } from "node:http";

  interface Application extends RequestListener {
    use(...handlers: unknown[]): void;
  }
  const jsonServer: {
    create(): Application;
    defaults(options: { logger: boolean }): unknown;
    router(data: object): unknown;
  };
  export default jsonServer;
}
