/** JSON that is stored compressed, because an item holds 400 KB and is paid by the kilobyte. */
import { withZlib } from "../runtime/zlib.ts";

/** Compresses a value. */
export const packJson = (value: unknown): Promise<Uint8Array> =>
  withZlib(({ gzip }, done) => gzip(JSON.stringify(value), done));

/** Reads what {@link packJson} has compressed. @throws Error if it is something else */
export const unpackJson = async (packed: Uint8Array): Promise<unknown> =>
  JSON.parse((await withZlib(({ gunzip }, done) => gunzip(packed, done))).toString());
