/** Finds programs on this machine. */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Returns the path of the first of these programs that is on the PATH or at its absolute path, or `undefined`. */
export const findProgram = (names: readonly string[]): string | undefined => {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const placesOf = (name: string): string[] =>
    isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name));
  return names.flatMap(placesOf).find(isProgram);
};

/** Returns the path of the Firefox that the browser tests use. */
export const findFirefox = (): string | undefined =>
  findProgram(["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"]);

/** Returns the path of the Chromium that the tests of the web app use. */
export const findChromium = (): string | undefined =>
  findProgram([
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ]);

/** Returns the programs with which the browser tests run WebKitGTK, or `undefined` if one is missing. */
export const findWebKit = (): { driver: string; browser: string; screen: string } | undefined => {
  // Distributions install this browser outside the PATH.
  const folders = ["x86_64-linux-gnu/", "aarch64-linux-gnu/", ""].map((name) => `/usr/lib/${name}`);
  const places = ["4.1", "4.0"].flatMap((version) =>
    [...folders, "/usr/libexec/"].map((folder) => `${folder}webkit2gtk-${version}/MiniBrowser`),
  );
  const driver = findProgram(["WebKitWebDriver"]);
  const browser = findProgram(places);
  const screen = findProgram(["Xvfb"]);
  return driver && browser && screen ? { driver, browser, screen } : undefined;
};
