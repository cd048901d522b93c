/** Compresses responses for clients that accept it (RFC 9110, section 12.5.3). */
import type { InputType } from "node:zlib";
import { withZlib } from "../runtime/zlib.ts";
import type { HttpResponse } from "./responses.ts";

/** Smaller responses fit into one packet anyway. */
const MIN_BYTES = 1_024;

export type Encoding = "br" | "gzip";

const WEIGHT = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i;

/** The weight of each encoding in an Accept-Encoding field: 1 by default, 0 where it is malformed. */
const weightsOf = (field: string): Map<string, number> =>
  new Map(
    field.split(",").map((one) => {
      const [name = "", ...parameters] = one.split(";");
      const [, weight = "0"] = parameters.length === 0 ? ["", "1"] : (WEIGHT.exec(parameters[0] ?? "") ?? []);
      return [name.trim().toLowerCase(), Math.min(1, Number(weight))];
    }),
  );

/** The supported encoding that the client prefers; `null` for none. */
export const negotiateEncoding = (acceptEncoding: string | undefined): Encoding | null => {
  const weights = weightsOf(acceptEncoding ?? "");
  const any = weights.get("*") ?? 0;
  const br = weights.get("br") ?? any;
  const gz = weights.get("gzip") ?? weights.get("x-gzip") ?? any;
  if (br === 0 && gz === 0) return null;
  return br >= gz ? "br" : "gzip";
};

/** The header of a response whose encoding depends on the client. */
export const VARY = { vary: "accept-encoding" };

/** Whether a text of this many bytes is compressed. */
export const isCompressible = (bytes: number): boolean => bytes >= MIN_BYTES;

/** The highest quality at which brotli takes no longer than gzip. */
const BROTLI_QUALITY = 4;

/** Compresses a text. */
export const compressText = (text: InputType, encoding: Encoding): Promise<Buffer> =>
  withZlib(({ brotliCompress, constants, gzip }, done) => {
    if (encoding === "gzip") return gzip(text, done);
    brotliCompress(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }, done);
  });

/**
 * Adds `Vary` to a response that is compressed for clients that accept it. A 304 in its place must have it too (RFC 9110,
 * section 15.4.5).
 */
export const withVary = (response: HttpResponse): HttpResponse => {
  const { body, isBase64Encoded, headers } = response;
  if (body === undefined || isBase64Encoded === true || !isCompressible(Buffer.byteLength(body)))
    return response;
  return { ...response, headers: { ...headers, ...VARY } };
};

/** Compresses a text response for a client that accepts these encodings. Only texts with `Vary` are. */
export const compressResponse = async (
  response: HttpResponse,
  acceptEncoding: string | undefined,
): Promise<HttpResponse> => {
  const { body, headers, isBase64Encoded } = response;
  if (body === undefined || isBase64Encoded === true || headers?.vary === undefined) return response;
  const encoding = negotiateEncoding(acceptEncoding);
  if (encoding === null) return response;
  const bytes = await compressText(body, encoding);
  return {
    ...response,
    headers: { ...headers, "content-encoding": encoding },
    body: bytes.toString("base64"),
    isBase64Encoded: true,
  };
};
