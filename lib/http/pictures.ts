/** Pictures on their way in, as bytes or as JSON, and on their way out. */
import * as z from "zod/mini";
import { DomainError } from "../domain/domainError.ts";
import type { StoredPicture } from "../store/items.ts";
import { sha256 } from "./etag.ts";
import { type ParseResult, type RawBody, readJson } from "./requestBody.ts";
import { bytesResponse, type HttpResponse } from "./responses.ts";

/** 4 MiB of picture, however it is wrapped. */
const MOST_PICTURE_BYTES = 4 * 1024 * 1024;

/** The same as base64, with room for line breaks and the media type of a data URL. */
const MOST_JSON_BYTES = Math.ceil(MOST_PICTURE_BYTES / 3) * 4 + 256 * 1024;

/** The one type in which pictures are kept and go out. */
export const PICTURE_TYPE = "image/webp";

/** What a request to set a picture holds, however it was sent. */
export const SetPicture = z.strictObject({
  image: z.instanceof(Uint8Array, {
    error: ({ input }) =>
      input === undefined ? "is missing" : "must be a picture, in base64 or as a data URL in base64",
  }),
});

/** The bytes of a picture, as an answer. */
export const PictureBytes = z.instanceof(Uint8Array);

const DATA_URL = /^data:[^,]*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The bytes of base64 (RFC 4648, section 4; line breaks are left out) or of a data URL of it; `null` for others. */
const fromBase64 = (text: string): Buffer | null => {
  const [prefix = ""] = DATA_URL.exec(text.slice(0, 1_000)) ?? [];
  const digits = text.slice(prefix.length).replaceAll(/[\r\n]/g, "");
  return digits.length % 4 === 0 && BASE64.test(digits) ? Buffer.from(digits, "base64") : null;
};

const requireSmall = (bytes: Buffer): Buffer => {
  if (bytes.length <= MOST_PICTURE_BYTES) return bytes;
  throw new DomainError("too_large", `A picture may have at most ${MOST_PICTURE_BYTES / 1024 ** 2} MiB.`);
};

const isPictureType = (type = ""): boolean => /^\s*(image\/|application\/octet-stream\s*(;|$))/i.test(type);

/** Where bytes were taken for text, what is no UTF-8 became this. */
const REPLACEMENT = "\ufffd";

const bytesOf = ({ body = "", isBase64Encoded }: RawBody): Buffer => {
  if (isBase64Encoded) return Buffer.from(body, "base64");
  if (!body.includes(REPLACEMENT)) return Buffer.from(body);
  throw new DomainError(
    "unsupported_media_type",
    "The picture was taken for text on its way here. Send it as application/octet-stream, or in JSON.",
  );
};

/**
 * Reads a picture: the bytes themselves, or JSON that holds them; what they are is not looked at.
 * @throws DomainError `too_large`, `unsupported_media_type`; `invalid_request` for what is no JSON
 */
export const readPicture = (raw: RawBody): ParseResult<unknown> => {
  if (isPictureType(raw.headers["content-type"]) && raw.body) {
    return { value: { image: requireSmall(bytesOf(raw)) }, issues: [] };
  }
  const { value, issues: faults } = readJson(raw, MOST_JSON_BYTES);
  if (typeof value !== "object" || value === null || !("image" in value)) return { value, issues: faults };
  const { image } = value;
  const bytes = typeof image === "string" ? fromBase64(image) : null;
  return { value: bytes === null ? value : { ...value, image: requireSmall(bytes) }, issues: faults };
};

/** The entity tag of a picture: strong, for the same bytes always have the same one. */
export const etagOf = (bytes: Uint8Array): string => `"${sha256(bytes)}"`;

/** The reply that shows a picture, with its entity tag. @throws DomainError `no_picture` */
export const pictureResponse = (picture: StoredPicture | null): HttpResponse => {
  if (picture === null) throw new DomainError("no_picture", "This player has no picture.");
  const { bytes } = picture;
  // Kept by whoever asked, and asked about each time: a new one is seen at once.
  return bytesResponse(bytes, PICTURE_TYPE, { etag: etagOf(bytes), "cache-control": "private, no-cache" });
};
