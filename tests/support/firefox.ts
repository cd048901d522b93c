/** Starts the installed Firefox with a new profile, and removes all its files afterwards. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "puppeteer-core";
import { findFirefox } from "../../scripts/cli/findProgram.ts";
import { tellFaults } from "./pageFaults.ts";

/** The path of Firefox; `undefined` if it is not installed. */
export const FIREFOX = findFirefox();

const preferences = (pushUrl: string) => ({
  "dom.push.serverURL": pushUrl,
  "dom.push.testing.allowInsecureServerURL": true,
  // A browser under remote control does not connect to its push service by default.
  "dom.push.connection.enabled": true,
  // In milliseconds. The pause before a reconnect doubles each time, up to the interval of the pings.
  "dom.push.retryBaseInterval": 100,
  "dom.push.pingInterval": 1_000,
  // WebSockets have a reconnect delay of their own for each host.
  "network.websocket.delay-failed-reconnects": false,
  // All pages may show notifications, and the browser shows them itself because there is no desktop.
  "permissions.default.desktop-notification": 1,
  "alerts.useSystemBackend": false,
  // Requests to other machines go to a proxy that does not exist, and fail.
  "network.proxy.type": 1,
  "network.proxy.socks": "127.0.0.1",
  "network.proxy.socks_port": 9,
  "network.proxy.socks_remote_dns": true,
  "network.proxy.no_proxies_on": "127.0.0.0/8",
  "network.proxy.allow_bypass": false,
  "network.proxy.failover_direct": false,
});

export type Firefox = Awaited<ReturnType<typeof startFirefox>>;

/**
 * Starts Firefox without a window. `browser` is puppeteer's; `open` opens a page in a new tab; `stop` closes the browser and removes its files.
 * @param pushUrl the push service (`ws:`) that its pages subscribe with
 */
export const startFirefox = async (pushUrl: string) => {
  if (FIREFOX === undefined) throw new Error("Firefox is not installed");
  const folder = await mkdtemp(join(tmpdir(), "firefox-tests-"));
  const clean = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // Also if it does not start, or the tests are interrupted.
  process.once("exit", clean);
  const browser = await launch({
    browser: "firefox",
    executablePath: FIREFOX,
    userDataDir: join(folder, "profile"),
    // Of servers of the tests, which sign theirs themselves.
    acceptInsecureCerts: true,
    timeout: 60_000,
    // Firefox writes into the home directory and rejects that of another user.
    env: { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: "1" },
    extraPrefsFirefox: preferences(pushUrl),
  });
  const faults: string[] = [];
  return {
    browser,
    /** The uncaught exceptions of the opened pages, and the errors on their consoles. */
    faults,
    open: async (url: string) => {
      const page = await browser.newPage();
      tellFaults(page, (text) => faults.push(text));
      await page.goto(url);
      return page;
    },
    stop: () => browser.close().finally(clean),
  };
};
