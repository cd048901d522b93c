/** Pages of the web app in a real Chromium, with the service behind them. */
import axe from "axe-core";
import type { BrowserContext, Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { CHROMIUM, type Chromium, startChromium } from "../../scripts/cli/chromium.ts";
import { drawnFrom } from "./battery.ts";
import { expectOnly, tellFaults } from "./pageFaults.ts";
import { running } from "./running.ts";
import type { TestPlayer } from "./service.ts";

export const WAIT_MS = 30_000;
export const TIMEOUT = { timeout: WAIT_MS };

if (CHROMIUM === undefined)
  process.stderr.write("\nNO BROWSER: the web app is not tested. Install chromium.\n\n");

/** Tests of pages. In CI they are required, so they fail if Chromium is missing. */
export const describeInChromium = describe.skipIf(CHROMIUM === undefined && process.env.CI === undefined);

/** The violations that axe finds on the page. */
const VIOLATIONS = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`;

/** By how many pixels the page is too wide, and the elements too low to touch or out of the keyboard's reach. */
const MISFITS = `({
  over: document.documentElement.scrollWidth - innerWidth,
  small: [...document.querySelectorAll("a, button, input, select, textarea, label.row")]
    .filter((element) => element.checkVisibility() && !element.parentElement.closest("label"))
    .filter((element) => element.getBoundingClientRect().height < 44)
    .map(({ outerHTML }) => outerHTML),
  unreachable: [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter((element) => element.checkVisibility() && element.tabIndex < 0)
    .map(({ outerHTML }) => outerHTML),
})`;

/** Cuts the network of a page and of its service worker. */
export const setOffline = async (page: Page, offline: boolean): Promise<void> => {
  await page.setOfflineMode(offline);
  const workers = page
    .browserContext()
    .targets()
    .filter((target) => target.type() === "service_worker");
  for (const worker of workers) {
    const session = await worker.createCDPSession();
    const speed = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await session.send("Network.emulateNetworkConditions", { offline, ...speed });
  }
};

/** Waits for a text, and otherwise names what the page shows instead. */
export const see = async (page: Page, text: string): Promise<void> => {
  const wanted = `document.body.textContent.includes(${JSON.stringify(text)})`;
  await page.waitForFunction(wanted, TIMEOUT).catch(async () => {
    expect(await page.evaluate("document.body.textContent")).toContain(text);
  });
};

/** The XPath of a button or a link in `main` by its text. */
export const TARGET = (text: string): string =>
  `//main//*[self::button[not(@disabled)] or self::a][contains(., "${text}")]`;

export const press = async (page: Page, text: string): Promise<void> => {
  const target = page.locator(`::-p-xpath(${TARGET(text)})`).setTimeout(WAIT_MS);
  const button = await target.waitHandle();
  // The bar at the bottom covers an element that is only just in view.
  const center = (element: { scrollIntoView: (options: object) => void }): void =>
    element.scrollIntoView({ block: "center", behavior: "instant" });
  try {
    await button.evaluate(center);
    // Clicks when the element no longer moves, for example because something above it has loaded.
    await target.click();
  } catch (error) {
    // The page has drawn the button again meanwhile.
    if (!/detached/.test(String(error))) throw error;
    await press(page, text);
  }
};

/** Starts Chromium for the tests of a file. After each test it closes its pages, none of which may have had a fault. */
export const webPages = (options: readonly string[] = []) => {
  const base = running().base.replace("127.0.0.1", "localhost");
  let chromium: Chromium;
  const contexts: BrowserContext[] = [];
  /** Faults of pages: a request to elsewhere, an uncaught exception, an error on the console, or a 5xx. */
  const faults: string[] = [];
  const expected: RegExp[] = [];

  beforeAll(async () => {
    chromium = await startChromium(options);
  });
  afterAll(() => chromium?.stop());
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expectOnly(expected.splice(0), faults.splice(0));
  });

  /** Opens a page on a phone of its own, with a fresh profile. */
  const openPage = async (path: string): Promise<Page> => {
    const context = await chromium.browser.createBrowserContext();
    contexts.push(context);
    const page = await context.newPage();
    await page.setViewport({ width: 360, height: 740, hasTouch: true });
    tellFaults(page, (text) => faults.push(text));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== base) faults.push(request.url());
    });
    page.on("response", (response) => {
      if (response.status() >= 500) faults.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(`${base}${path}`);
    return page;
  };

  const fill = async (page: Page, fields: Record<string, string>): Promise<void> => {
    for (const [name, value] of Object.entries(fields)) {
      const input = `input[name=${name}]`;
      // If the page is drawn between clearing and typing, the old value stays in front of the new one.
      do await page.locator(input).setTimeout(WAIT_MS).fill(value);
      while ((await page.$eval(input, (element) => Object(element).value)).length > value.length);
    }
  };

  const pressIn =
    (element: string) =>
    (page: Page, text: string): Promise<void> => {
      const button = `::-p-xpath(${element}//button[normalize-space()="${text}"])`;
      return page.locator(button).setTimeout(WAIT_MS).click();
    };
  /** Presses a button of the open dialog. */
  const confirm = pressIn("//dialog[@open]");
  /** Presses a button of the message that pops up. */
  const answer = pressIn('//*[@class="toast"]');

  /** Finds a player, and opens their page. */
  const openPlayer = async (page: Page, q: string, alias: string): Promise<void> => {
    await page.goto(`${base}/app/gm/find`);
    await fill(page, { q });
    await press(page, alias);
    await see(page, "History");
  };

  const login = async (player: TestPlayer, path = "/app/me"): Promise<Page> => {
    const page = await openPage(`/app/login?to=${encodeURIComponent(path)}`);
    await fill(page, { alias: player.alias, password: player.password });
    await press(page, "Log in");
    await page.waitForSelector("nav", TIMEOUT);
    return page;
  };

  /**
   * Opens pages. Axe must find nothing in either colour scheme, everything must fit at every width, and no page may take
   * what players write for markup. The seed chooses a third of the pages, unless lists are tested whole.
   * @param ready what to do on a page before it is checked
   */
  const expectFit = async (
    page: Page,
    paths: readonly string[],
    ready: (path: string) => Promise<void> = async () => {},
  ): Promise<void> => {
    await page.setBypassCSP(true);
    for (const path of drawnFrom(paths, 3, "pages")) {
      await page.goto(`${base}${path}`);
      await page.waitForSelector("main h1", TIMEOUT);
      await page.waitForFunction("document.querySelector('.skeleton') === null", TIMEOUT);
      await ready(path);
      await page.evaluate(axe.source);
      for (const scheme of ["light", "dark"]) {
        await page.emulateMediaFeatures([
          { name: "prefers-color-scheme", value: scheme },
          { name: "prefers-reduced-motion", value: "reduce" },
        ]);
        expect(await page.evaluate(VIOLATIONS), `${path} ${scheme}`).toEqual([]);
      }
      for (const width of [320, 360, 768, 1_440]) {
        await page.setViewport({ width, height: 740 });
        const none = { over: 0, small: [], unreachable: [] };
        expect(await page.evaluate(MISFITS), `${path} at ${width}`).toEqual(none);
      }
      await page.setViewport({ width: 360, height: 740 });
      expect(await page.$$("main script, main b, main img[src=x]"), path).toEqual([]);
    }
  };

  /** A fault that this test provokes. It must occur, and does not fail the test. */
  const expectFaults = (pattern: RegExp): void => void expected.push(pattern);

  return { base, expectFaults, openPage, see, fill, press, confirm, answer, openPlayer, login, expectFit };
};
