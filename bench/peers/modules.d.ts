/**
 * As much of the peers as the benches use: types are checked on every machine, and the peers are installed only
 * where the benches run.
 */

declare module "express" {
  export interface Request {
    params: Record<string, string | undefined>;
    body: unknown;
    get(header: string): string | undefined;
  }
  export interface Response {
    status(code: number): Response;
    set(headers: Record<string, string>): Response;
    send(body: string): Response;
  }
  type Handle = (request: Request, response: Response) => unknown;
  interface Middleware {
    readonly name: string;
  }
  interface Application {
    use(middleware: Middleware): Application;
    get(path: string, handle: Handle): Application;
    post(path: string, handle: Handle): Application;
  }
  const express: { (): Application; json(): Middleware };
  export default express;
}

declare module "serverless-http" {
  const serverless: (
    application: object,
    options: { requestId: string },
  ) => (event: object, context: object) => Promise<object>;
  export default serverless;
}

declare module "hono" {
  export interface Context {
    readonly req: {
      readonly method: string;
      header(name: string): string | undefined;
      param(name: string): string | undefined;
      json(): Promise<unknown>;
    };
    readonly env: { lambdaContext: { awsRequestId: string } };
    body(body: string, status: number, headers: Record<string, string>): Response;
  }
  type Handle = (context: Context) => Response | Promise<Response>;
  export class Hono {
    get(path: string, handle: Handle): Hono;
    post(path: string, handle: Handle): Hono;
  }
}

declare module "hono/aws-lambda" {
  import type { Hono } from "hono";

  export const handle: (application: Hono) => (event: object, context: object) => Promise<object>;
}

declare module "better-sqlite3" {
  type Value = string | number | null;
  interface Statement {
    get(...values: Value[]): unknown;
    run(...values: Value[]): { changes: number };
  }
  export default class Database {
    constructor(file: string);
    pragma(text: string): unknown;
    exec(sql: string): this;
    prepare(sql: string): Statement;
    transaction<A extends unknown[], R>(work: (...given: A) => R): { immediate(...given: A): R };
  }
}
