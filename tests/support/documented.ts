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
 * Every response that the document names, with the responses (route, status and code) of which one must occur: for a
 * response of one endpoint its own, for a response that a kind of endpoints has in common that of any of them.
 */
export const documentedResponses = (): Map<string, string[]> => {
  const all = ENDPOINTS.flatMap(({ info, docs }) => {
    const { route, response, access, isIdempotent } = info;
    const isGet = route.startsWith("GET ");
    const kind = [isGet ? "GET" : "change", access, isIdempotent ? "once" : "", response.errors].join(" ");
    const successes = Object.keys(docs.success ?? { [response.status]: "" });
    const errors = [...errorsOf(info, docs)].flatMap(([status, codes]) =>
      codes.map((code) => ({
        code: response.errors === "text" ? String(status) : `${status} ${code}`,
        of: docs.errors?.some((own) => own === code) === true ? route : kind,
      })),
    );
    const unchanged = isGet ? [{ code: "304", of: kind }] : [];
    const named = [...successes.map((code) => ({ code, of: route })), ...unchanged, ...errors];
    return named.map(({ code, of }) => ({ name: `${of}: ${code}`, shown: `${route} ${code}` }));
  });
  const byName = Map.groupBy(all, ({ name }) => name);
  return new Map([...byName].map(([name, some]) => [name, some.map(({ shown }) => shown)]));
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
