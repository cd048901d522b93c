/** Entity tags: a client that sends back the tag of a response gets 304 while it has not changed (RFC 9110). */
import { instantOf } from "../domain/time.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { HttpResponse } from "./responses.ts";

const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** The entity tags of `If-None-Match`, in quotes, without the sign of a weak one. */
export const entityTagsIn = (ifNoneMatch = ""): string[] =>
  [...ifNoneMatch.matchAll(ENTITY_TAG)].flatMap(([, one]) => one ?? []);

/** Whether `If-None-Match` (section 13.1.2) has this entity tag, compared weakly, or `*`. */
const isUnchanged = (etag: string, ifNoneMatch = ""): boolean =>
  ifNoneMatch.trim() === "*" || entityTagsIn(ifNoneMatch).includes(etag.replace(/^W\//, ""));

// Within a text of JSON every quote is escaped, so these match whole fields only.
const CLOCK_FIELDS = /"(?:now|seconds_left)":(?:"[^"]*"|-?\d+)/g;
const NOW = /"now":"[^"]*"/g;
const DEADLINES = /"(starves_at|next_feeding)":"([^"]*)"/g;

/** The current time and, during a pause, its start; both in milliseconds since 1970. */
interface Clock {
  now: number;
  pausedAt: number | null;
}

/**
 * The response without the fields that change with time alone: `now` and `seconds_left`, or during a pause `now` and
 * the deadlines, which then move with the clock. The beginning of a pause is part of the text, so that a pause changes
 * the tag.
 */
const timelessText = (body: string, { now, pausedAt }: Clock): string => {
  if (pausedAt === null) return body.replace(CLOCK_FIELDS, "");
  const timeLeft = (field: string, deadline: string): string => `"${field}":${instantOf(deadline) - now}`;
  const text = body
    .replace(NOW, "")
    .replace(DEADLINES, (_, field: string, deadline: string) => timeLeft(field, deadline));
  return `${pausedAt} ${text}`;
};

/**
 * The entity tag of a JSON response. It is weak, because the same text is sent at several times and in several
 * encodings.
 */
export const entityTag = (body: string, clock: Clock): string => `W/"${sha256(timelessText(body, clock))}"`;

/** The 304 in place of the response of a GET, if the client already has one with its entity tag; otherwise `null`. */
export const notModified = (
  { statusCode, headers = {} }: HttpResponse,
  ifNoneMatch: string | undefined,
): HttpResponse | null => {
  if (statusCode !== 200 || headers.etag === undefined) return null;
  if (!isUnchanged(String(headers.etag), ifNoneMatch)) return null;
  const { "content-type": _, ...rest } = headers;
  return { statusCode: 304, headers: rest };
};
