/** The browsers' engines, in each of which the same tests of pages run. */
import type { Browser, Page } from "puppeteer-core";
import { By, Key, type WebDriver, type WebElement } from "selenium-webdriver";
import { afterEach, describe } from "vitest";
import { CHROMIUM } from "../../scripts/cli/chromium.ts";
import { sharedChromium, sharedFirefox, sharedWebKit } from "./browsers.ts";
import { FIREFOX } from "./firefox.ts";
import { expectOnly, tellFaults } from "./pageFaults.ts";
import type { TestPlayer } from "./service.ts";
import { WEBKIT } from "./webkit.ts";
import { enter, press, see, TARGET, TIMEOUT, WAIT_MS } from "./webPages.ts";

/** How often a page that WebDriver controls is asked. */
const POLL_MS = 50;

type HeldKey = " " | "Enter";

/** What each engine does in its own way. */
interface Driven {
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
  mouse: {
    move: (x: number, y: number) => Promise<void>;
    down: () => Promise<void>;
    up: () => Promise<void>;
  };
  /** Presses a key and lets it go, where the focus is. */
  keyDown: (key: HeldKey) => Promise<void>;
  keyUp: (key: HeldKey) => Promise<void>;
}

/** A page of a browser, whatever its engine. */
export interface Tab extends Driven {
  /** All text of the page. */
  text: () => Promise<string>;
  /** What is in a field. */
  valueOf: (selector: string) => Promise<unknown>;
  /** Chooses from a list by its value. */
  select: (selector: string, value: string) => Promise<void>;
  /** Fills in the form for the login, and sends it. */
  logIn: (player: Pick<TestPlayer, "alias" | "password">) => Promise<void>;
  /** A fault that this test provokes. It must occur, and does not fail the test. */
  expectFaults: (pattern: RegExp) => void;
}

/** Opens a tab with a fresh profile at an address, logged in if a player is given. */
export type OpenTab = (url: string, player?: TestPlayer) => Promise<Tab>;

type OpenDriven = (fault: (text: string) => void) => Promise<{ driven: Driven; close: () => Promise<void> }>;

/** A tab that puppeteer controls. */
const puppeteerTab = (page: Page, fault: (text: string) => void): Driven => {
  tellFaults(page, fault);
  const located = (selector: string) => page.locator(selector).setTimeout(WAIT_MS);
  return {
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    evaluate: (script) => page.evaluate(script),
    see: (text) => see(page, text),
    // Without a handle of the element, which a page that reloads meanwhile takes away.
    find: async (selector) =>
      void (await page.waitForFunction(
        `document.querySelector(${JSON.stringify(selector)}) !== null`,
        TIMEOUT,
      )),
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
    mouse: page.mouse,
    keyDown: (key) => page.keyboard.down(key),
    keyUp: (key) => page.keyboard.up(key),
  };
};

const openIn =
  (browser: () => Promise<Browser>, hasTouch: boolean): OpenDriven =>
  async (fault) => {
    const context = await (await browser()).createBrowserContext();
    const page = await context.newPage();
    await page.setViewport({ width: 360, height: 740, hasTouch });
    return { driven: puppeteerTab(page, fault), close: () => context.close() };
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

const codeOf = (key: HeldKey): string => (key === "Enter" ? Key.ENTER : key);

/** A tab that WebDriver controls, which unlike puppeteer does not wait. */
const driverTab = (driver: WebDriver, takeFaults: () => Promise<void>): Driven => {
  const evaluate = async (script: string): Promise<unknown> => {
    const [value, error] = await driver.executeAsyncScript<[unknown, string?]>(`const done = arguments[0];
      (async () => (${script}))().then((value) => done([value]), (error) => done([null, String(error)]));`);
    if (error !== undefined) throw new Error(error);
    return value;
  };
  /** Waits until an attempt succeeds. The page may draw an element later or again, or be on its way to another one. */
  const succeed = async (name: string, attempt: () => Promise<string>): Promise<void> => {
    let problem = "";
    const isDone = async (): Promise<boolean> => {
      problem = await attempt().catch((error: unknown) => String(error));
      return problem === "";
    };
    await driver.wait(isDone, WAIT_MS, undefined, POLL_MS).catch(() => {
      throw new Error(`${name}: ${problem}`);
    });
  };
  const on = (by: By, use: (element: WebElement) => Promise<unknown>): Promise<void> =>
    succeed(String(by), async () => String((await use(await driver.findElement(by))) ?? ""));
  const click = (by: By): Promise<void> =>
    on(by, async (element) => {
      const problem = await driver.executeAsyncScript<string>(READY, element);
      return problem === "" ? element.click() : problem;
    });
  return {
    goto: async (url) => {
      // Another origin does not see them.
      await takeFaults();
      await driver.get(url);
    },
    reload: () => driver.navigate().refresh(),
    evaluate,
    see: (text) =>
      succeed(`the page does not show ${text}`, async () => {
        const shown = String(await evaluate("document.body.textContent"));
        return shown.includes(text) ? "" : shown;
      }),
    find: (selector) => on(By.css(selector), async () => ""),
    click: (selector) => click(By.css(selector)),
    press: (text) => click(By.xpath(TARGET(text))),
    type: async (selector, text) => {
      await on(By.css(selector), (field) => driver.executeScript(CLEAR, field));
      await driver.findElement(By.css(selector)).sendKeys(text);
    },
    choose: (selector, path) => on(By.css(selector), (field) => field.sendKeys(path)),
    mouse: {
      move: (x, y) => driver.actions().move({ x, y, duration: 0 }).perform(),
      down: () => driver.actions().press().perform(),
      up: () => driver.actions().release().perform(),
    },
    keyDown: (key) => driver.actions().keyDown(codeOf(key)).perform(),
    keyUp: (key) => driver.actions().keyUp(codeOf(key)).perform(),
  };
};

const openInWebKit: OpenDriven = async (fault) => {
  const { driver, takeFaults, close } = await (await sharedWebKit()).open(fault);
  return { driven: driverTab(driver, takeFaults), close };
};

const chromium = {
  name: "Chromium",
  isInstalled: CHROMIUM !== undefined,
  open: openIn(sharedChromium, true),
};
const ENGINES = [
  chromium,
  { name: "Firefox", isInstalled: FIREFOX !== undefined, open: openIn(sharedFirefox, false) },
  { name: "WebKit", isInstalled: WEBKIT !== undefined, open: openInWebKit },
];

for (const { name, isInstalled } of ENGINES) {
  if (!isInstalled) process.stderr.write(`\nNO BROWSER: pages are not tested in ${name}.\n\n`);
}

/** What every page does in the same way, whatever its engine. */
const tabOf = (driven: Driven, expected: RegExp[]): Tab => ({
  ...driven,
  text: async () => String(await driven.evaluate("document.body.textContent")),
  valueOf: (selector) => driven.evaluate(`document.querySelector(${JSON.stringify(selector)})?.value`),
  select: async (selector, value) => {
    await driven.find(selector);
    await driven.evaluate(`(() => {
      const select = document.querySelector(${JSON.stringify(selector)});
      select.value = ${JSON.stringify(value)};
      for (const type of ["input", "change"]) select.dispatchEvent(new Event(type, { bubbles: true }));
    })()`);
  },
  logIn: async ({ alias, password }) => {
    await driven.type("input[name=alias]", alias);
    await driven.type("input[name=password]", password);
    await driven.press("Log in");
  },
  expectFaults: (pattern) => void expected.push(pattern),
});

const describeIn =
  (engines: typeof ENGINES) =>
  (name: string, tests: (open: OpenTab, engine: string) => void): void => {
    for (const { name: engine, isInstalled, open } of engines) {
      describe.skipIf(!isInstalled && process.env.CI === undefined)(`${name}, in ${engine}`, () => {
        const faults: string[] = [];
        const expected: RegExp[] = [];
        const closing: (() => Promise<void>)[] = [];
        afterEach(async () => {
          await Promise.all(closing.splice(0).map((close) => close()));
          expectOnly(expected.splice(0), faults.splice(0));
        });
        tests(async (url, player) => {
          const { driven, close } = await open((text) => faults.push(text));
          closing.push(close);
          if (player !== undefined) await enter(driven, player, url);
          await driven.goto(url);
          return tabOf(driven, expected);
        }, engine);
      });
    }
  };

/**
 * Tests in every engine, for what an engine can do differently: storage, service workers, caches, failed requests, cookies,
 * files, pictures, form controls and their events, focus, dialogs, layout, permissions. In CI they are required, so they fail
 * if a browser is missing. A test fails if one of its pages has an uncaught exception or an error on its console. The first
 * parameter is the name, the second declares the tests; each gets its tabs from `open`.
 */
export const describeInEngines = describeIn(ENGINES);

/** The same in Chromium alone, for what the app or the service decides: texts, lists, names, and what a command changes. */
export const describeInOneEngine = describeIn([chromium]);
