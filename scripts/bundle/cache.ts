/** The cache folder of the build. It can be deleted at any time; `npm ci` restores what is needed. */
import { join } from "node:path";
import { ROOT } from "../project/root.ts";

export const CACHE = join(ROOT, ".cache");
