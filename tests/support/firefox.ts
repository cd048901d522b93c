/** Firefox as it is installed on this machine: found, started on a fresh profile, and gone without a trace. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, type Page } from "puppeteer-core";
import { findFirefox } from "../../scripts/cli/findProgram.ts";

/** The program; `undefined` where there is none. */
export const FIREFOX = findFirefox();

const preferences = (pushUrl: string) => ({
  "dom.push.serverURL": pushUrl,
  "dom.push.testing.allowInsecureServerURL": true,
  // A browser under remote control leaves its push service alone unless it is told otherwise.
  "dom.push.connection.enabled": true,
  // Milliseconds. The wait before it connects again doubles each time, and ends at the interval of its pings.
  "dom.push.retryBaseInterval": 100,
  "dom.push.pingInterval": 1_000,
  // The same wait a second time, kept by the WebSockets themselves for each host.
  "network.websocket.delay-failed-reconnects": false,
  // Notifications are allowed to every page, and shown by the browser: there is no desktop.
  "permissions.default.desktop-notification": 1,
  "alerts.useSystemBackend": false,
  // Whatever is not on this machine goes to a proxy that is not there, and nowhere else when that fails.
  "network.proxy.type": 1,
  "network.proxy.socks": "127.0.0.1",
  "network.proxy.socks_port": 9,
  "network.proxy.socks_remote_dns": true,
  "network.proxy.no_proxies_on": "127.0.0.0/8",
  "network.proxy.allow_bypass": false,
  "network.proxy.failover_direct": false,
});

/** A browser at work. */
export interface Firefox {
  /** Opens a page in a tab of its own. */
  open: (url: string) => Promise<Page>;
  /** Closes it, and removes all that it has kept. */
  stop: () => Promise<void>;
}

/**
 * Starts Firefox without a window.
 * @param pushUrl the push service (`ws:`) that its pages subscribe with
 */
export const startFirefox = async (pushUrl: string): Promise<Firefox> => {
  if (FIREFOX === undefined) throw new Error("Firefox is not installed");
  const folder = await mkdtemp(join(tmpdir(), "firefox-tests-"));
  const clean = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // Also when the tests are interrupted.
  process.once("exit", clean);
  try {
    const browser = await launch({
      browser: "firefox",
      executablePath: FIREFOX,
      userDataDir: join(folder, "profile"),
      timeout: 60_000,
      // It writes into its user's folder too, and refuses another user's.
      env: { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: "1" },
      extraPrefsFirefox: preferences(pushUrl),
    });
    return {
      open: async (url) => {
        const page = await browser.newPage();
        await page.goto(url);
        return page;
      },
      stop: async () => {
        await browser.close().finally(clean);
      },
    };
  } catch (error) {
    clean();
    throw error;
  }
};
