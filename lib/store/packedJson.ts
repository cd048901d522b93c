/** JSON that is stored compressed, because an item holds 400 KB and is paid by the kilobyte. */

// zlib is loaded here, because it takes two milliseconds of a cold start and few requests need it.

/** Compresses a value. */
export const packJson = async (value: unknown): Promise<Uint8Array> => {
  const { gzip } = await import("node:zlib");
  return new Promise((resolve, reject) => {
    gzip(JSON.stringify(value), (error, packed) => (error === null ? resolve(packed) : reject(error)));
  });
};

/** Reads what {@link packJson} has compressed. @throws Error if it is something else */
export const unpackJson = async (packed: Uint8Array): Promise<unknown> => {
  const { gunzip } = await import("node:zlib");
  return new Promise((resolve, reject) => {
    gunzip(packed, (error, json) => (error === null ? resolve(JSON.parse(json.toString())) : reject(error)));
  });
};
