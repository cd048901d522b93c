/** Errors that the API document does not name, and the responses that it names. */
import { documentedEndpoints } from "../../scripts/openapi/document.ts";
import { errorsOf } from "../../scripts/openapi/responses.ts";
import { noteResponse } from "./calls.ts";

interface Response {
  status: number;
  headers: Record<string, string>;
  text: string;
  body?: { code?: unknown };
}

const ENDPOINTS = await documentedEndpoints();

const ERRORS = new Map(ENDPOINTS.map(({ info, docs }) => [info.route, errorsOf(info, docs)]));

/**
 * Every response that the document names, by the routes of which one has to show it: a response of its own by its endpoint,
 * and one that a kind of endpoints has in common by any of them.
 */
export const documentedResponses = (): Map<string, string[]> => {
  const all = ENDPOINTS.flatMap(({ info, docs }) => {
    const { route, response, access, isIdempotent } = info;
    const kind = [
      /^GET /.test(route) ? "GET" : "change",
      access,
      isIdempotent ? "once" : "",
      response.errors,
    ].join(" ");
    const successes = Object.keys(docs.success ?? { [response.status]: "" });
    const errors = [...errorsOf(info, docs)].flatMap(([status, codes]) =>
      codes.map((code) => ({
        code: response.errors === "text" ? String(status) : `${status} ${code}`,
        isOwn: docs.errors?.some((own) => own === code),
      })),
    );
    return [
      ...successes.map((code) => ({ code, isOwn: true })),
      ...(kind.startsWith("GET") ? [{ code: "304", isOwn: false }] : []),
      ...errors,
    ].map(({ code, isOwn }) => ({ code, route, of: isOwn === true ? route : kind }));
  });
  const named = Map.groupBy(all, ({ code, of }) => `${of}: ${code}`);
  return new Map([...named].map(([name, some]) => [name, some.map(({ code, route }) => `${route} ${code}`)]));
};

/** Records a response. @throws Error for an error response whose status or code the endpoint's documentation does not have */
export const requireDocumented = (route: string, { status, body, headers, text }: Response): void => {
  noteResponse(route, status, body?.code);
  const errors = ERRORS.get(route);
  if (status < 400 || errors === undefined || headers["x-request-id"] === undefined) return;
  const codes = errors.get(status) ?? [];
  const isText = headers["content-type"]?.startsWith("text/plain") === true;
  if (isText ? codes.length > 0 : codes.some((code) => code === body?.code)) return;
  throw new Error(`The docs of ${route} do not name the error ${status} ${text}`);
};
