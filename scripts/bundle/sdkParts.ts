/**
 * Parts of the AWS SDK that a function on Lambda never runs. They are left out of the bundles, because whatever is loaded at
 * the start delays the first response (docs/decisions/0032-cold-start.md).
 */
import { readFile } from "node:fs/promises";
import type { OnLoadResult, Plugin } from "esbuild";
import * as z from "zod/mini";

/** Credential providers: Lambda's credentials are in the environment. */
export const UNUSED_PROVIDERS = [
  "@aws-sdk/credential-provider-http",
  "@aws-sdk/credential-provider-ini",
  "@aws-sdk/credential-provider-process",
  "@aws-sdk/credential-provider-sso",
  "@aws-sdk/credential-provider-web-identity",
  "@smithy/credential-provider-imds",
];

const SMITHY = "@smithy/core/dist-es/submodules";

/** The code in place of files of packages, by the file's path in `node_modules`. */
export const REPLACED_FILES: Readonly<Record<string, string>> = {
  // Node.js has these hashes. The checksum is that of event streams, and loads all of `node:zlib` to find whether it has one.
  [`${SMITHY}/checksum/sha256/Sha256Js.js`]: "export const Sha256Js = undefined;",
  [`${SMITHY}/checksum/md5/Md5Js.js`]: "export const Md5Js = undefined;",
  [`${SMITHY}/checksum/crc32/Crc32Node.js`]: 'export { Crc32Js as Crc32Node } from "./Crc32Js";',
  // Clients get every setting from lib/runtime/awsClient.ts, so none is looked up in a file or from the machine. It also sets
  // the retry mode `standard`.
  [`${SMITHY}/config/shared-ini-file-loader/readFile.js`]:
    'export const fileIntercept = {}; export const readFile = async () => { throw new Error("bundles read no files of the SDK"); };',
  [`${SMITHY}/config/config-resolver/regionConfig/getInstanceMetadataRegion.js`]:
    "export const getInstanceMetadataRegion = async () => undefined;",
  [`${SMITHY}/retry/util-retry/AdaptiveRetryStrategy.js`]: "export const AdaptiveRetryStrategy = undefined;",
  // Endpoint discovery is off, so this map of discovered endpoints stays empty. Its parameter is the most entries.
  "mnemonist/lru-cache.js":
    "export default class extends Map { constructor() { super(); } peek(key) { return this.get(key); } }",
};

const REPLACED = new RegExp(
  `/node_modules/(${Object.keys(REPLACED_FILES).join("|").replaceAll(".", "\\.")})$`,
);

/** A client sends the version of its package, and imports the whole description of the package for it. */
const CLIENTS_PACKAGE = /\/@aws-sdk\/client-[^/]+\/package\.json$/;
const Version = z.object({ version: z.string() });

/** Replaces the files of {@link REPLACED_FILES}, and keeps only the version of a client's package. */
export const withoutUnusedParts: Plugin = {
  name: "without-unused-parts",
  setup(build) {
    build.onLoad({ filter: REPLACED }, ({ path }): OnLoadResult => {
      const [, file = ""] = REPLACED.exec(path) ?? [];
      return { contents: REPLACED_FILES[file] ?? "", loader: "js" };
    });
    build.onLoad({ filter: CLIENTS_PACKAGE }, async ({ path }): Promise<OnLoadResult> => {
      const description = Version.parse(JSON.parse(await readFile(path, "utf8")));
      return { contents: JSON.stringify(description), loader: "json" };
    });
  },
};
