/** Calls the endpoints in this process, at any time of the game's past. */
import type { Services } from "../../lib/lambda/services.ts";
import { gatewayEvent, lambdaContext, loadEndpoints } from "../local/inProcess.ts";

/** Sends a request like `fetch`, from the given client address. */
export type Send = (address: string) => (url: string, request: RequestInit) => Promise<Response>;

/** Returns a `fetch` of the endpoints in this process. @param services with the clock of the past */
export const inProcess = async (services: Services): Promise<Send> => {
  const endpoints = [...(await loadEndpoints())].map(([route, handler]) => {
    const [method, path = ""] = route.split(" ");
    return { route, handler, method, pattern: new RegExp(`^${path.replace(/\{\w+\}/, "[^/]+")}$`) };
  });
  return (address) => async (url, request) => {
    const { pathname: path, searchParams } = new URL(url);
    const found = endpoints.find(({ method, pattern }) => method === request.method && pattern.test(path));
    if (found === undefined) throw new Error(`There is no endpoint ${request.method} ${path}.`);
    const event = gatewayEvent({
      route: found.route,
      path,
      headers: Object.fromEntries(new Headers(request.headers)),
      query: Object.fromEntries(searchParams),
      body: typeof request.body === "string" ? request.body : undefined,
      address,
    });
    const response = await found.handler.on(services)(event, lambdaContext());
    const headers = Object.entries(response.headers ?? {}).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const body = response.statusCode === 204 ? null : (response.body ?? "");
    return new Response(body, { status: response.statusCode, headers });
  };
};
