/**
 * Keeps the assets of earlier builds of the web app in the zip of a new one, for pages that were opened before a
 * deployment and load a script after it. Assets are named by their content, so they never conflict.
 */
import { EARLIER_BUILDS } from "../../lib/http/webFiles.ts";
import { unzip } from "./unzip.ts";

/** The folder of the present build in a zip. */
const BUILD = "web/dist/";
/** The folders of the builds before it, the latest as 1. */
const EARLIER = "web/earlier/";

type Files = ReadonlyMap<string, Uint8Array>;

const assetsOf = (files: Files, folder: string): Map<string, Uint8Array> =>
  new Map(
    [...files]
      .filter(([path]) => path.startsWith(`${folder}assets/`))
      .map(([path, contents]) => [path.slice(folder.length), contents]),
  );

const isSameBuild = (one: Files, other: Files): boolean =>
  one.size === other.size && [...one.keys()].every((path) => other.has(path));

/**
 * Returns the assets of earlier builds by their path in the new zip.
 * @param build the files of the new build
 * @param zip the zip of the running deployment
 * @throws Error if the buffer is not a zip
 */
export const earlierPages = async (build: Files, zip: Buffer): Promise<Map<string, Uint8Array>> => {
  const running: Files = new Map([...(await unzip(zip))].map(([path, { contents }]) => [path, contents]));
  const known = assetsOf(build, BUILD);
  const before = assetsOf(running, BUILD);
  const older = Array.from({ length: EARLIER_BUILDS }, (_, at) => assetsOf(running, `${EARLIER}${at + 1}/`));
  // A deployment of the same build gives the same zip.
  const builds = isSameBuild(before, known) ? older : [before, ...older];
  const kept = new Map<string, Uint8Array>();
  for (const [at, assets] of builds.slice(0, EARLIER_BUILDS).entries()) {
    for (const [path, contents] of assets) {
      if (!known.has(path)) kept.set(`${EARLIER}${at + 1}/${path}`, contents);
      known.set(path, contents);
    }
  }
  return kept;
};
