/** The root of the repository; file names in settings are relative to it. */
import { resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
