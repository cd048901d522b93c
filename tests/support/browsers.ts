/** The browsers that the test files of a worker share, because a start takes seconds. They end with the worker. */
import type { Browser } from "puppeteer-core";
import { ENGINE, startChromium } from "../../scripts/cli/chromium.ts";
import { startFirefox } from "./firefox.ts";
import { startWebKit } from "./webkit.ts";

// Vitest ends a worker with this signal, and half a second later in any case; or it has been interrupted.
for (const event of ["SIGTERM", "disconnect"]) process.once(event, () => process.exit());

// Each browser has some listeners, so that it ends and its files go with the worker.
process.setMaxListeners(20);

/** Starts a browser at its first use, and again if it has ended. */
export const share = (start: () => Promise<{ browser: Browser }>): (() => Promise<Browser>) => {
  let started: Browser | undefined;
  return async () => {
    if (started?.connected === true) return started;
    const { browser } = await start();
    // Before its files are removed.
    process.prependOnceListener("exit", () => browser.process()?.kill("SIGKILL"));
    started = browser;
    return browser;
  };
};

/** `webApp` starts Chromium itself, because the engine has no push service. */
export const sharedChromium = share(() => startChromium(["--ignore-certificate-errors"], undefined, ENGINE));

/** Without a push service. */
export const sharedFirefox = share(() => startFirefox("ws://127.0.0.1:9"));

let webKit: ReturnType<typeof startWebKit> | undefined;
/** The screen of WebKit; each tab is a browser of its own. */
export const sharedWebKit = (): ReturnType<typeof startWebKit> => {
  webKit ??= startWebKit();
  return webKit;
};
