/** The form with which programs of mail switch off mails by one click (RFC 8058). */
import { DomainError } from "../domain/domainError.ts";
import { MAX_BODY_BYTES, type ParseResult, type RawBody, readJson } from "./requestBody.ts";

const FIELD = "List-Unsubscribe";
const FORM = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i;
const MULTIPART = /^\s*multipart\/form-data\s*;.*boundary="?([^";]+)"?/i;

/** The field of a form with parts, whose boundary is known. */
const inParts = (text: string, boundary: string): string | null => {
  for (const part of text.split(`--${boundary}`)) {
    const end = part.indexOf("\r\n\r\n");
    if (end >= 0 && /name="?List-Unsubscribe"?/i.test(part.slice(0, end))) return part.slice(end).trim();
  }
  return null;
};

/** Parses a body as a form of either kind, and any other as JSON. @throws the errors of `readJson` */
export const readOneClick = (raw: RawBody): ParseResult<unknown> => {
  const { body = "", isBase64Encoded, headers } = raw;
  const type = headers["content-type"] ?? "";
  const boundary = MULTIPART.exec(type)?.[1];
  if (boundary === undefined && !FORM.test(type)) return readJson(raw);
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > MAX_BODY_BYTES)
    throw new DomainError("too_large", `A body may have at most ${MAX_BODY_BYTES / 1024} KiB.`);
  const text = bytes.toString();
  const value = boundary === undefined ? new URLSearchParams(text).get(FIELD) : inParts(text, boundary);
  return { value: value === null ? {} : { [FIELD]: value }, issues: [] };
};
