/** Types for the used parts of the peers' packages, so that types can be checked without installing them. */

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
  interface Application {
    use(middleware: Handle): void;
    get(path: string, handle: Handle): void;
    post(path: string, handle: Handle): void;
  }
  const express: { (): Application; json(): Handle };
  export default express;
}

declare module "serverless-http" {
  const serverless: (
    application: object,
    options: { requestId: string },
  ) => (event: object, context: object) => Promise<object>;
  export default serverless;
}

declare module "fastify" {
  export interface Request {
    headers: Record<string, string | undefined>;
    params: Record<string, string | undefined>;
    id: string;
    body: unknown;
  }
  export interface Reply {
    code(status: number): Reply;
    headers(all: Record<string, string>): Reply;
    send(body: string): Reply;
  }
  type Handle = (request: Request, reply: Reply) => Promise<Reply>;
  interface Application {
    get(path: string, handle: Handle): void;
    post(path: string, handle: Handle): void;
    listen(at: { host: string; port: number }): Promise<string>;
  }
  const fastify: () => Application;
  export default fastify;
}
