/** The browsers' engines, in each of which the same tests of pages run. */
import type { Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { CHROMIUM, startChromium } from "../../scripts/cli/chromium.ts";
import { FIREFOX, startFirefox } from "./firefox.ts";
import { press, see, TIMEOUT, WAIT_MS } from "./webPages.ts";

/** A page of a browser, whatever its engine. */
export interface Tab {
  /** Opens an address, and waits until the page has loaded. */
  goto: (url: string) => Promise<void>;
  reload: () => Promise<void>;
  /** The value of a script's expression, or what its promise resolves to; it must be JSON. */
  evaluate: (script: string) => Promise<unknown>;
  /** Waits for a text of the page. */
  see: (text: string) => Promise<void>;
  /** Waits for an element. */
  find: (selector: string) => Promise<void>;
  /** Clicks an element. */
  click: (selector: string) => Promise<void>;
  /** Clicks a button or a link in `main` by its text. */
  press: (text: string) => Promise<void>;
  /** Clears a field, and types into it key by key. */
  type: (selector: string, text: string) => Promise<void>;
  /** Chooses a file of this machine in a field for files. */
  choose: (selector: string, path: string) => Promise<void>;
  /** The faults that this test provokes, and that must not fail it. */
  expectFaults: (pattern: RegExp) => void;
}

/** Opens a tab with a fresh profile at an address. */
export type OpenTab = (url: string) => Promise<Tab>;

interface Browser {
  open: (
    fault: (text: string) => void,
  ) => Promise<{ tab: Omit<Tab, "expectFaults">; close: () => Promise<void> }>;
  stop: () => Promise<void>;
}

/** A tab that puppeteer controls. */
const puppeteerTab = (page: Page, fault: (text: string) => void): Omit<Tab, "expectFaults"> => {
  page.on("pageerror", (error) => fault(String(error)));
  page.on("console", (message) => {
    // The status of a response is checked by what the page then shows.
    if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) fault(message.text());
  });
  const located = (selector: string) => page.locator(selector).setTimeout(WAIT_MS);
  return {
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    evaluate: (script) => page.evaluate(script),
    see: (text) => see(page, text),
    find: async (selector) => void (await page.waitForSelector(selector, TIMEOUT)),
    click: (selector) => located(selector).click(),
    press: (text) => press(page, text),
    type: async (selector, text) => {
      await located(selector).fill("");
      await page.type(selector, text);
    },
    choose: async (selector, path) => {
      const field = await located(selector).waitHandle();
      await Object(field).uploadFile(path);
    },
  };
};

const startInChromium = async (): Promise<Browser> => {
  const { browser, stop } = await startChromium();
  return {
    open: async (fault) => {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport({ width: 360, height: 740, hasTouch: true });
      return { tab: puppeteerTab(page, fault), close: () => context.close() };
    },
    stop,
  };
};

/** Without a push service. */
const startInFirefox = async (): Promise<Browser> => {
  const { browser, stop } = await startFirefox("ws://127.0.0.1:9");
  return {
    open: async (fault) => {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setViewport({ width: 360, height: 740 });
      return { tab: puppeteerTab(page, fault), close: () => context.close() };
    },
    stop,
  };
};

const ENGINES = [
  { name: "Chromium", isInstalled: CHROMIUM !== undefined, start: startInChromium },
  { name: "Firefox", isInstalled: FIREFOX !== undefined, start: startInFirefox },
];

/**
 * Tests in every engine. In CI they are required, so they fail if a browser is missing. A test fails if one of its pages has
 * an uncaught exception or an error on its console.
 * @param tests declares the tests; each gets its tabs from `open`
 */
export const describeInEngines = (name: string, tests: (open: OpenTab, engine: string) => void): void => {
  for (const { name: engine, isInstalled, start } of ENGINES) {
    describe.skipIf(!isInstalled && process.env.CI === undefined)(`${name}, in ${engine}`, () => {
      let browser: Browser;
      const faults: string[] = [];
      let expected: RegExp[] = [];
      const closing: (() => Promise<void>)[] = [];
      beforeAll(async () => {
        browser = await start();
      });
      afterAll(() => browser?.stop());
      afterEach(async () => {
        await Promise.all(closing.splice(0).map((close) => close()));
        const unexpected = faults.splice(0).filter((text) => !expected.some((one) => one.test(text)));
        expected = [];
        expect(unexpected).toEqual([]);
      });
      tests(async (url) => {
        const { tab, close } = await browser.open((text) => faults.push(text));
        closing.push(close);
        await tab.goto(url);
        return { ...tab, expectFaults: (pattern) => void expected.push(pattern) };
      }, engine);
    });
  }
};
