/** Reads the zips that are deployed. */
import { buffer } from "node:stream/consumers";
import { fromBufferPromise } from "yauzl";

export interface Entry {
  contents: Buffer;
  /** Its permissions on Unix. */
  mode: number;
}

/** Reads the files of a zip, by path. @throws Error if the buffer is not a zip */
export const unzip = async (zip: Buffer): Promise<Map<string, Entry>> => {
  const file = await fromBufferPromise(zip);
  const entries = new Map<string, Entry>();
  for await (const entry of file.eachEntry()) {
    const contents = await buffer(await file.openReadStreamPromise(entry));
    entries.set(entry.fileName, { contents, mode: (entry.externalFileAttributes >>> 16) & 0o777 });
  }
  return entries;
};
