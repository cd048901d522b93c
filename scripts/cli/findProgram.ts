/** Programs of this machine. */
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

/** Where the first of these programs is on the PATH; `undefined` where there is none of them. */
export const findProgram = (names: readonly string[]): string | undefined => {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
};

/** The Firefox in which push is tested. */
export const findFirefox = (): string | undefined => findProgram(["firefox-esr", "firefox"]);
