/** Answers made smaller on their way, for whoever can read them so (RFC 9110, section 12.5.3). */
import { brotliCompress, type CompressCallback, constants, gzip } from "node:zlib";
import type { HttpResponse } from "./responses.ts";

/** In bytes; what is smaller travels in one packet anyhow. */
const LEAST = 1_024;

type Coding = "br" | "gzip";

/** Of brotli's eleven, the best that takes no longer than gzip does. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const pack: Record<Coding, (text: string, done: CompressCallback) => void> = {
  br: (text, done) => brotliCompress(text, BROTLI, done),
  gzip,
};

const WEIGHT = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i;

/** The weight of each coding that a field names; 1 where it says none, 0 where it says nonsense. */
const weightsOf = (field: string): Map<string, number> =>
  new Map(
    field.split(",").map((one) => {
      const [name = "", ...parameters] = one.split(";");
      const [, weight = "0"] = parameters.length === 0 ? ["", "1"] : (WEIGHT.exec(parameters[0] ?? "") ?? []);
      return [name.trim().toLowerCase(), Math.min(1, Number(weight))];
    }),
  );

/** Which coding a caller likes best, of those that there are; `null` where it is none. */
export const negotiateEncoding = (acceptEncoding: string | undefined): Coding | null => {
  const weights = weightsOf(acceptEncoding ?? "");
  const any = weights.get("*") ?? 0;
  const br = weights.get("br") ?? any;
  const gz = weights.get("gzip") ?? weights.get("x-gzip") ?? any;
  if (br === 0 && gz === 0) return null;
  return br >= gz ? "br" : "gzip";
};

/** A reply of text as it goes to a caller who accepts these codings; bytes and what is small stay as they are. */
export const compressResponse = async (
  answer: HttpResponse,
  acceptEncoding: string | undefined,
): Promise<HttpResponse> => {
  const { body, isBase64Encoded } = answer;
  if (body === undefined || isBase64Encoded === true || Buffer.byteLength(body) < LEAST) return answer;
  const headers = { ...answer.headers, vary: "accept-encoding" };
  const coding = negotiateEncoding(acceptEncoding);
  if (coding === null) return { ...answer, headers };
  const bytes = await new Promise<Buffer>((resolve, reject) =>
    pack[coding](body, (error, packed) => (error === null ? resolve(packed) : reject(error))),
  );
  return {
    ...answer,
    headers: { ...headers, "content-encoding": coding },
    body: bytes.toString("base64"),
    isBase64Encoded: true,
  };
};
