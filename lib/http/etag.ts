/** Entity tags: a client that sends back the tag of a response gets 304 while it has not changed (RFC 9110). */
import { sha256 } from "../runtime/sha256.ts";
import type { HttpResponse } from "./responses.ts";

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether `If-None-Match` (section 13.1.2) has this entity tag, compared weakly, or `*`. */
const isUnchanged = (etag: string, ifNoneMatch = ""): boolean =>
  ifNoneMatch.trim() === "*" ||
  [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, one]) => one === etag.replace(/^W\//, ""));

/**
 * Adds an entity tag to the response of a GET, or replaces it by 304 when the client has it already. A picture has its
 * own tag; the tag of a text is weak, because the same text is sent in several encodings.
 */
export const withEntityTag = (response: HttpResponse, ifNoneMatch: string | undefined): HttpResponse => {
  const { statusCode, body, headers = {} } = response;
  if (statusCode !== 200 || body === undefined) return response;
  const etag = String(headers.etag ?? `W/"${sha256(body)}"`);
  if (!isUnchanged(etag, ifNoneMatch)) return { ...response, headers: { ...headers, etag } };
  const { "content-type": _, ...rest } = headers;
  return { statusCode: 304, headers: { ...rest, etag } };
};
