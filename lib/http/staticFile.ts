/** Files that are the same for everybody: pages, scripts and documents. */
import { sha256 } from "../runtime/sha256.ts";
import { compressText, type Encoding, isCompressible, negotiateEncoding, VARY } from "./compress.ts";
import { notModified } from "./etag.ts";
import { COMMON_HEADERS, type HttpResponse } from "./responses.ts";

/** A file as it is sent; without an encoding, as it is. */
interface Sent {
  bytes: Uint8Array;
  encoding: Encoding | null;
}

export interface StaticFile {
  /** The headers of its responses, with its type and its `etag`. */
  headers: Readonly<Record<string, string>> & { etag: string };
  /** The file in an encoding, or in another that it has. Called only for clients that do not have the file. */
  load: (preferred: Encoding | null) => Sent | Promise<Sent>;
}

/** The headers of a request that decide how a file is sent. */
export interface Conditions {
  /** `If-None-Match`; absent in a command. */
  ifNoneMatch: string | undefined;
  acceptEncoding: string | undefined;
}

/**
 * A file of which this process keeps the bytes. It is compressed once for each encoding.
 * @param headers the headers besides those of every response, such as `cache-control`
 */
export const fileOf = (
  bytes: Uint8Array,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): StaticFile => {
  const packed = new Map<Encoding, Promise<Uint8Array>>();
  const compressed = (encoding: Encoding): Promise<Uint8Array> => {
    const before = packed.get(encoding);
    if (before !== undefined) return before;
    const made = compressText(bytes, encoding);
    packed.set(encoding, made);
    return made;
  };
  const varies = isCompressible(bytes.length) && !/^(image\/png|font\/)/.test(contentType);
  return {
    headers: {
      ...headers,
      ...(varies ? VARY : {}),
      "content-type": contentType,
      // Weak, because the same file is sent in several encodings.
      etag: `W/"${sha256(bytes)}"`,
    },
    load: async (encoding) =>
      varies && encoding !== null
        ? { bytes: await compressed(encoding), encoding }
        : { bytes, encoding: null },
  };
};

/** Sends a file: 304 before anything of it is loaded if the client has it already. */
export const sendFile = async (
  { headers, load }: StaticFile,
  { ifNoneMatch, acceptEncoding }: Conditions,
): Promise<HttpResponse> => {
  const whole = { statusCode: 200, headers: { ...COMMON_HEADERS, ...headers } };
  const unchanged = notModified(whole, ifNoneMatch);
  if (unchanged !== null) return unchanged;
  const { bytes, encoding } = await load(negotiateEncoding(acceptEncoding));
  return {
    ...whole,
    headers: { ...whole.headers, ...(encoding === null ? {} : { "content-encoding": encoding }) },
    body: Buffer.from(bytes).toString("base64"),
    isBase64Encoded: true,
  };
};
