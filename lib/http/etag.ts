/** Entity tags: what an answer says stands in one, and whoever names it again is told that nothing has changed (RFC 9110). */
import { createHash } from "node:crypto";
import type { HttpResponse } from "./responses.ts";

/** A hash of bytes or text, which stands for them. */
export const sha256 = (content: Uint8Array | string): string =>
  createHash("sha256").update(content).digest("base64url");

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether `If-None-Match` (section 13.1.2) names this entity tag, weakly compared, or any. */
const isKnown = (etag: string, ifNoneMatch = ""): boolean =>
  ifNoneMatch.trim() === "*" ||
  [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, one]) => one === etag.replace(/^W\//, ""));

/**
 * The answer of a GET with its entity tag, or just that the caller has it already. A picture has one of its own; that of
 * a text is weak, for the same text goes out in several codings.
 */
export const withEntityTag = (answer: HttpResponse, ifNoneMatch: string | undefined): HttpResponse => {
  const { statusCode, body, headers = {} } = answer;
  if (statusCode !== 200 || body === undefined) return answer;
  const etag = String(headers.etag ?? `W/"${sha256(body)}"`);
  if (!isKnown(etag, ifNoneMatch)) return { ...answer, headers: { ...headers, etag } };
  const { "content-type": _, ...rest } = headers;
  return { statusCode: 304, headers: { ...rest, etag } };
};
