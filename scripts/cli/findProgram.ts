/** Finds programs on this machine. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Returns the path of the first of these programs that is on the PATH, or `undefined`. */
export const findProgram = (names: readonly string[]): string | undefined => {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
};

/** Returns the path of the Firefox that the browser tests use. */
export const findFirefox = (): string | undefined => findProgram(["firefox-esr", "firefox"]);

/** Returns the path of the Chromium that the tests of the web app use. */
export const findChromium = (): string | undefined =>
  findProgram(["chromium", "chromium-browser", "google-chrome"]);
