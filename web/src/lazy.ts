/** Imports the scripts of pages that are loaded on first use. The build calls it in place of Vite's own function. */

import { importPatiently, NeedsReload, reloadOnce } from "./files.ts";
import { APP } from "./paths.ts";

/**
 * @param importModule the import
 * @param files the names of the files that it needs, below the address of the app
 */
export const __vitePreload = <T>(
  importModule: () => Promise<T>,
  files: readonly string[] = [],
): Promise<T> => {
  const paths = files.map((file) => `${APP}${file}`);
  return importPatiently(importModule, paths, {}).catch((error: unknown) => {
    if (error instanceof NeedsReload) reloadOnce();
    throw error;
  });
};
