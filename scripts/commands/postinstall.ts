/**
 * Runs after `npm ci`: writes the types of client/, and fetches Scalar's script, with which /docs shows the API. Without a
 * registry there is no /docs.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { SCALAR_VERSION } from "../../lib/http/docsPage.ts";
import { CACHE } from "../bundle/cache.ts";
import { fetchPackages, npmErrors } from "../bundle/fetchPackages.ts";
import { writeClientTypes } from "../openapi/clientTypes.ts";

const NAME = "@scalar/api-reference";
/** Only the script of its distribution is used, which needs none of the 270 packages that this one depends on. */
const LOCKED = {
  version: SCALAR_VERSION,
  integrity:
    "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==",
};
const ENCODINGS = ["br", "gzip"] as const;
const storedIn = (encoding: (typeof ENCODINGS)[number]): string => join(CACHE, `scalar-${encoding}.json`);

const fetchScalar = async (): Promise<void> => {
  const place = join(CACHE, `scalar-${LOCKED.version}`);
  await rm(place, { recursive: true, force: true });
  await fetchPackages(place, NAME, new Map([[`node_modules/${NAME}`, LOCKED]]));
  const script = await readFile(join(place, NAME, "dist/browser/standalone.js"));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const packed = {
    br: await promisify(brotliCompress)(script, { params }),
    gzip: await promisify(gzip)(script, { level: 9 }),
  };
  await mkdir(CACHE, { recursive: true });
  for (const encoding of ENCODINGS) {
    const stored = { version: LOCKED.version, base64: packed[encoding].toString("base64") };
    await writeFile(storedIn(encoding), `${JSON.stringify(stored)}\n`);
  }
  await rm(place, { recursive: true });
};

const isStored = async (encoding: (typeof ENCODINGS)[number]): Promise<boolean> =>
  existsSync(storedIn(encoding)) &&
  JSON.parse(await readFile(storedIn(encoding), "utf8")).version === LOCKED.version;

await writeClientTypes();

if (!(await Promise.all(ENCODINGS.map(isStored))).every(Boolean)) {
  await fetchScalar().catch((error: unknown) => {
    console.error(`Scalar, which /docs shows the API with, cannot be fetched: ${npmErrors(error)}`);
    console.error("Everything else works. Run npm ci again with a connection to the npm registry.");
  });
}
