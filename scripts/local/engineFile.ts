/** Finds the embedded DynamoDB engine, which npm installs as an optional package for each platform. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

const SCOPE = "@dynoxide/";

const Manifest = z.object({ optionalDependencies: z.record(z.string(), z.string()) });

/** The platforms of the engine's packages, such as `linux-x64`. Their Linux binaries are static: they need no libc. */
export const enginePlatforms = (): string[] => {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  return Object.keys(manifest.optionalDependencies).flatMap((name) =>
    name.startsWith(SCOPE) ? [name.slice(SCOPE.length)] : [],
  );
};

/** Where the engine is looked for; the default is this machine. */
export interface EngineSearch {
  platform?: string;
  arch?: string;
  /** Returns the path of a package's file, or throws. */
  resolve?: (file: string) => string;
}

/** Returns the path of the engine's binary. @throws UserError if there is none for the platform, or it is not installed */
export const engineFile = ({
  platform = process.platform,
  arch = process.arch,
  resolve = createRequire(import.meta.url).resolve,
}: EngineSearch = {}): string => {
  const name = `${SCOPE}${platform}-${arch}`;
  try {
    const folder = dirname(resolve(`${name}/package.json`));
    return join(folder, platform === "win32" ? "dynoxide.exe" : "dynoxide");
  } catch {
    const platforms = enginePlatforms();
    throw new UserError(
      platforms.includes(`${platform}-${arch}`)
        ? `The embedded database engine (${name}) is not installed. Run npm ci without --omit=optional, or name another engine in DYNAMODB_ENDPOINT.`
        : `There is no embedded database engine for ${platform}-${arch}, only for ${platforms.join(", ")}. ` +
            "Start another one, such as AWS's DynamoDB Local, and name it in DYNAMODB_ENDPOINT (docs/platforms.md).",
    );
  }
};
