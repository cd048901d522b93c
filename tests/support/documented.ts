/** Errors that the API document does not name. */
import { documentedEndpoints } from "../../scripts/openapi/document.ts";
import { errorsOf } from "../../scripts/openapi/responses.ts";

interface Response {
  status: number;
  headers: Record<string, string>;
  text: string;
  body?: { code?: unknown };
}

const ERRORS = new Map(
  (await documentedEndpoints()).map(({ info, docs }) => [info.route, errorsOf(info, docs)]),
);

/** @throws Error for an error response whose status or code the endpoint's documentation does not have */
export const requireDocumented = (route: string, { status, body, headers, text }: Response): void => {
  const errors = ERRORS.get(route);
  if (status < 400 || errors === undefined || headers["x-request-id"] === undefined) return;
  const codes = errors.get(status) ?? [];
  const isText = headers["content-type"]?.startsWith("text/plain") === true;
  if (isText ? codes.length > 0 : codes.some((code) => code === body?.code)) return;
  throw new Error(`The docs of ${route} do not name the error ${status} ${text}`);
};
