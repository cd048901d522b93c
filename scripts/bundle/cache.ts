/** Where packaging keeps what it has fetched, and what it is working on. Nothing in it is missed. */
import { join } from "node:path";
import { ROOT } from "../project/root.ts";

export const CACHE = join(ROOT, ".cache");
