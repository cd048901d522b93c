/** Provides the script of Scalar, with which /docs shows the API. It is fetched once into the cache. */
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { SCALAR_VERSION } from "../../lib/http/docsPage.ts";
import { UserError } from "../cli/userError.ts";
import { CACHE } from "./cache.ts";
import { fetchPackages, npmErrors } from "./fetchPackages.ts";

const NAME = "@scalar/api-reference";
/** Only the script of its distribution is used, which needs none of the 270 packages that this one depends on. */
const LOCKED = {
  version: SCALAR_VERSION,
  integrity:
    "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==",
};
const ENCODINGS = ["br", "gzip"] as const;
type Encoding = (typeof ENCODINGS)[number];

const fileOf = (cache: string, encoding: Encoding): string => join(cache, `scalar-${encoding}.json`);

const fetchScalar = async (cache: string): Promise<void> => {
  const place = join(cache, `scalar-${LOCKED.version}`);
  await rm(place, { recursive: true, force: true });
  await fetchPackages(place, NAME, new Map([[`node_modules/${NAME}`, LOCKED]]));
  const script = await readFile(join(place, NAME, "dist/browser/standalone.js"));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const packed = {
    br: await promisify(brotliCompress)(script, { params }),
    gzip: await promisify(gzip)(script, { level: 9 }),
  };
  await mkdir(cache, { recursive: true });
  for (const encoding of ENCODINGS) {
    const file = fileOf(cache, encoding);
    const stored = { version: LOCKED.version, base64: packed[encoding].toString("base64") };
    // Whoever interrupts this leaves no part of a file that counts as stored.
    await writeFile(`${file}.part`, `${JSON.stringify(stored)}\n`);
    await rename(`${file}.part`, file);
  }
  await rm(place, { recursive: true });
};

/** Whether the cache has Scalar's script in this version. */
export const hasScalar = async (cache = CACHE): Promise<boolean> => {
  const start = `{"version":${JSON.stringify(LOCKED.version)},`;
  const isStored = async (encoding: Encoding): Promise<boolean> => {
    const file = fileOf(cache, encoding);
    // Each start asks, and to parse megabytes takes longer than to read them.
    return existsSync(file) && (await readFile(file, "utf8")).startsWith(start);
  };
  return (await Promise.all(ENCODINGS.map(isStored))).every(Boolean);
};

/**
 * Fetches Scalar's script unless the cache has it.
 * @param cache the cache folder
 * @throws UserError if it is not cached and cannot be fetched
 */
export const provideScalar = async (cache = CACHE): Promise<void> => {
  if (await hasScalar(cache)) return;
  await fetchScalar(cache).catch((error: unknown) => {
    throw new UserError(
      `Scalar ${LOCKED.version}, with which /docs shows the API, is not in the cache and cannot be fetched. ` +
        `Connect to the npm registry and try again. npm reports: ${npmErrors(error)}`,
    );
  });
};
