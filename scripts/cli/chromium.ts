/** Starts the installed Chromium with a new profile, and removes all its files afterwards. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, launch } from "puppeteer-core";
import { findChromium, findProgram } from "./findProgram.ts";

/** The path of Chromium; `undefined` if it is not installed. */
export const CHROMIUM = findChromium();

/** Chromium's engine without the rest of the browser, if it is installed: it takes a third less time. */
export const ENGINE = findProgram(["chromium-headless-shell"]);

const OPTIONS = [
  ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];

export interface Chromium {
  browser: Browser;
  /** Closes the browser and removes its files. */
  stop: () => Promise<void>;
}

/**
 * Starts Chromium without a window.
 * @param more further options of the command line
 * @param profile a folder that stays, for a browser that is started again
 * @param program the path of the program
 * @throws Error if it is not installed
 */
export const startChromium = async (
  more: readonly string[] = [],
  profile?: string,
  program = CHROMIUM,
): Promise<Chromium> => {
  if (program === undefined) throw new Error("Chromium is not installed");
  const folder = profile ?? (await mkdtemp(join(tmpdir(), "chromium-")));
  const clean = (): void => {
    process.off("exit", clean);
    if (profile === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  // Removes the files also if the command is interrupted.
  process.once("exit", clean);
  const browser = await launch({
    executablePath: program,
    args: [...OPTIONS, ...more],
    userDataDir: folder,
    // A tenth less for both processes than a WebSocket.
    pipe: true,
    timeout: 60_000,
    protocolTimeout: 300_000,
  });
  return { browser, stop: () => browser.close().finally(clean) };
};
