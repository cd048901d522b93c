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
