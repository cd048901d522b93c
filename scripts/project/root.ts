/** Where the repository lies: settings name files relative to it, whatever the working directory is. */
import { resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
