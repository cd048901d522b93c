/** The browsers' engines, in each of which the same tests of pages run. */
import type { Page } from "puppeteer-core";
import { By, until, type WebDriver, type WebElement } from "selenium-webdriver";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { CHROMIUM, startChromium } from "../../scripts/cli/chromium.ts";
import { leavesOut } from "./battery.ts";
import { FIREFOX, startFirefox } from "./firefox.ts";
import { expectOnly, tellFaults } from "./pageFaults.ts";
import { startWebKit, WEBKIT } from "./webkit.ts";
import { press, see, TARGET, TIMEOUT, WAIT_MS } from "./webPages.ts";

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
  /** A fault that this test provokes. It must occur, and does not fail the test. */
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
  tellFaults(page, fault);
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
      // `fill` waits until the field is enabled, but clears it without an event: the next drawing restores the old text.
      await located(selector).fill("");
      await page.$eval(selector, (field) => {
        Object(field).value = "";
        field.dispatchEvent(new Event("input", { bubbles: true }));
      });
      await page.type(selector, text);
    },
    choose: async (selector, path) => {
      const field = await located(selector).waitHandle();
      await Object(field).uploadFile(path);
    },
  };
};

const startInChromium = async (): Promise<Browser> => {
  const { browser, stop } = await startChromium(["--ignore-certificate-errors"]);
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

/** Whether an element can be clicked; otherwise the reason. It may still move, or a page may not have enabled it yet. */
const READY = `const [element, done] = arguments;
element.scrollIntoView({ block: "center", behavior: "instant" });
const place = () => JSON.stringify(element.getBoundingClientRect());
const before = place();
requestAnimationFrame(() => requestAnimationFrame(() =>
  done(element.disabled ? "disabled" : place() === before ? "" : "moves")));`;

/** Clears a field, as its page notices it. */
const CLEAR = `arguments[0].value = "";
arguments[0].dispatchEvent(new InputEvent("input", { bubbles: true }));`;

/** A tab that WebDriver controls, which unlike puppeteer does not wait. */
const driverTab = (driver: WebDriver, takeFaults: () => Promise<void>): Omit<Tab, "expectFaults"> => {
  const evaluate = async (script: string): Promise<unknown> => {
    const [value, error] = await driver.executeAsyncScript<[unknown, string?]>(`const done = arguments[0];
      (async () => (${script}))().then((value) => done([value]), (error) => done([null, String(error)]));`);
    if (error !== undefined) throw new Error(error);
    return value;
  };
  const located = (by: By): Promise<WebElement> =>
    driver.wait(until.elementLocated(by), WAIT_MS).then((found) => found);
  const clickAt = async (by: By): Promise<void> => {
    let problem: unknown;
    const attempt = async (): Promise<boolean> => {
      try {
        const element = await driver.findElement(by);
        problem = await driver.executeAsyncScript<string>(READY, element);
        if (problem !== "") return false;
        await element.click();
        return true;
      } catch (error) {
        // The page draws it later, or has drawn it again meanwhile.
        problem = error;
        return false;
      }
    };
    await driver.wait(attempt, WAIT_MS).catch(() => {
      throw new Error(`${by} cannot be clicked: ${problem}`);
    });
  };
  return {
    goto: async (url) => {
      // Another origin does not see them.
      await takeFaults();
      await driver.get(url);
    },
    reload: () => driver.navigate().refresh(),
    evaluate,
    see: async (text) => {
      const shown = async () => String(await evaluate("document.body.textContent"));
      const isShown = async () => (await shown()).includes(text);
      await driver.wait(isShown, WAIT_MS).catch(async () => expect(await shown()).toContain(text));
    },
    find: async (selector) => void (await located(By.css(selector))),
    click: (selector) => clickAt(By.css(selector)),
    press: (text) => clickAt(By.xpath(TARGET(text))),
    type: async (selector, text) => {
      const field = await located(By.css(selector));
      await driver.executeScript(CLEAR, field);
      await field.sendKeys(text);
    },
    choose: async (selector, path) => (await located(By.css(selector))).sendKeys(path),
  };
};

const startInWebKit = async (): Promise<Browser> => {
  const { open, stop } = await startWebKit();
  return {
    open: async (fault) => {
      const { driver, takeFaults, close } = await open(fault);
      return { tab: driverTab(driver, takeFaults), close };
    },
    stop,
  };
};

const ENGINES = [
  { name: "Chromium", isInstalled: CHROMIUM !== undefined, start: startInChromium },
  { name: "Firefox", isInstalled: FIREFOX !== undefined, start: startInFirefox },
  { name: "WebKit", isInstalled: WEBKIT !== undefined, start: startInWebKit },
];

for (const { name, isInstalled } of ENGINES) {
  if (!isInstalled) process.stderr.write(`\nNO BROWSER: pages are not tested in ${name}.\n\n`);
}

type DescribeInEngines = (name: string, tests: (open: OpenTab, engine: string) => void) => void;

/** @param parts Chromium runs all tests, each other engine one in so many, chosen by the seed */
const describeIn =
  (parts: number): DescribeInEngines =>
  (name, tests) => {
    for (const [number, { name: engine, isInstalled, start }] of ENGINES.entries()) {
      describe.skipIf(!isInstalled && process.env.CI === undefined)(`${name}, in ${engine}`, () => {
        let browser: Browser;
        const faults: string[] = [];
        const expected: RegExp[] = [];
        const closing: (() => Promise<void>)[] = [];
        let place = number;
        beforeEach(({ skip }) => {
          place += 1;
          if (number > 0 && leavesOut(place, parts)) skip("Another seed runs it in this engine.");
        });
        beforeAll(async () => {
          browser = await start();
        });
        afterAll(() => browser?.stop());
        afterEach(async () => {
          await Promise.all(closing.splice(0).map((close) => close()));
          expectOnly(expected.splice(0), faults.splice(0));
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

/**
 * Tests in every engine. In CI they are required, so they fail if a browser is missing. A test fails if one of its pages has
 * an uncaught exception or an error on its console. The first parameter is the name, the second declares the tests; each gets
 * its tabs from `open`.
 */
export const describeInEngines = describeIn(1);

/** The same for many tests that take long: each engine but Chromium runs a third of them. */
export const describePartlyInEngines = describeIn(3);
