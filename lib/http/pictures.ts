/** Picture requests, as bytes or as JSON, and picture responses. */
import * as z from "zod/mini";
import { DomainError } from "../domain/domainError.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { StoredPicture } from "../store/items.ts";
import { entityTagsIn } from "./etag.ts";
import { type ParseResult, type RawBody, readJson } from "./requestBody.ts";
import { bytesResponse, COMMON_HEADERS, type HttpResponse } from "./responses.ts";
import type { Conditions } from "./staticFile.ts";

/** The limit of the picture itself, in whatever form it is sent. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

/** The same limit in base64, plus line breaks and the media type of a data URL. */
const MAX_JSON_BYTES = Math.ceil(MAX_PICTURE_BYTES / 3) * 4 + 256 * 1024;

/** The media type in which pictures are stored and sent. */
export const PICTURE_TYPE = "image/webp";

/** The picture in the body of a request, after parsing. */
export const PictureImage = z.instanceof(Uint8Array, {
  error: ({ input }) =>
    input === undefined ? "is missing" : "must be a picture, in base64 or as a data URL in base64",
});

/** The body of a request to set a picture, after parsing. */
export const SetPicture = z.strictObject({ image: PictureImage });

export const PictureBytes = z.instanceof(Uint8Array);

const DATA_URL = /^data:[^,]*;base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Decodes base64 (RFC 4648, section 4, with line breaks) or a base64 data URL; `null` for anything else. */
const fromBase64 = (text: string): Buffer | null => {
  const [prefix = ""] = DATA_URL.exec(text.slice(0, 1_000)) ?? [];
  const digits = text.slice(prefix.length).replaceAll(/[\r\n]/g, "");
  return digits.length % 4 === 0 && BASE64.test(digits) ? Buffer.from(digits, "base64") : null;
};

const requireMaxSize = (bytes: Buffer): Buffer => {
  if (bytes.length <= MAX_PICTURE_BYTES) return bytes;
  throw new DomainError("too_large", `A picture may have at most ${Math.floor(MAX_PICTURE_BYTES / 1e6)} MB.`);
};

const isPictureType = (type = ""): boolean => /^\s*(image\/|application\/octet-stream\s*(;|$))/i.test(type);

/** A gateway that decodes bytes as text puts this in the place of invalid UTF-8. */
const REPLACEMENT = "\ufffd";

const bytesOf = ({ body = "", isBase64Encoded }: RawBody): Buffer => {
  if (isBase64Encoded) return Buffer.from(body, "base64");
  if (!body.includes(REPLACEMENT)) return Buffer.from(body);
  throw new DomainError(
    "unsupported_media_type",
    "The picture was decoded as text before it arrived. Send it as application/octet-stream, or in JSON.",
  );
};

/**
 * Reads a picture from a body of bytes or of JSON. The bytes themselves are not examined.
 * @throws DomainError `too_large`, `unsupported_media_type`; `invalid_request` for malformed JSON
 */
export const readPicture = (raw: RawBody): ParseResult<unknown> =>
  isPictureType(raw.headers["content-type"]) && raw.body
    ? { value: { image: requireMaxSize(bytesOf(raw)) }, issues: [] }
    : readPictureInJson(raw);

/**
 * The same from a body of JSON only, which may have further fields.
 * @throws DomainError `too_large`, `unsupported_media_type`; `invalid_request` for malformed JSON
 */
export const readPictureInJson = (raw: RawBody): ParseResult<unknown> => {
  const { value, issues } = readJson(raw, MAX_JSON_BYTES);
  if (typeof value !== "object" || value === null || !("image" in value)) return { value, issues };
  const { image } = value;
  const bytes = typeof image === "string" ? fromBase64(image) : null;
  return { value: bytes === null ? value : { ...value, image: requireMaxSize(bytes) }, issues };
};

/** The entity tag of a picture; it is strong, because it depends on the bytes alone. */
export const etagOf = (bytes: Uint8Array): string => `"${sha256(bytes)}"`;

/** What clients may do with a picture: its player's page must revalidate it; a path of its own never has another one. */
const ACCESS = {
  own: { "cache-control": "private, no-cache" },
  public: {
    "cache-control": "public, max-age=31536000, immutable",
    // Pages of other origins may show it.
    "cross-origin-resource-policy": "cross-origin",
  },
};

/**
 * The response with a picture, or the 304 for a client that has it already.
 * @param picture.hash with which its entity tag begins, so that an unchanged picture need not be loaded
 */
export const pictureResponse = async (
  { hash, load }: { hash: string | null; load: () => Promise<StoredPicture> },
  { ifNoneMatch }: Conditions,
  access: keyof typeof ACCESS,
): Promise<HttpResponse> => {
  const headers = ACCESS[access];
  const known = entityTagsIn(ifNoneMatch).find((one) => hash !== null && one.startsWith(`"${hash}`));
  if (known !== undefined)
    return { statusCode: 304, headers: { ...COMMON_HEADERS, ...headers, etag: known } };
  const { bytes } = await load();
  return bytesResponse(bytes, PICTURE_TYPE, { etag: etagOf(bytes), ...headers });
};
