/** A tag code that is shown while its button is held, by a real mouse, touch and keys, with the real service behind it. */
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, startChromium } from "../../scripts/cli/chromium.ts";
import { FIREFOX, startFirefox } from "../support/firefox.ts";
import { running } from "../support/running.ts";
import { testEnvironment } from "../support/service.ts";
import { press, TIMEOUT, WAIT_MS } from "../support/webPages.ts";

const base = running().base.replace("127.0.0.1", "localhost");
const ENGINES = [
  ["Chromium", CHROMIUM, () => startChromium()],
  ["Firefox", FIREFOX, () => startFirefox("ws://127.0.0.1:9")],
] as const;

const HOLD = ".tag-code .button[data-kind=primary]";
/** Longer than it took for the code to disappear: four milliseconds, and a repaint. */
const HELD_MS = 600;
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe.each(ENGINES)("the tag code in %s", (_, program, start) => {
  const s = testEnvironment();
  let opened: { browser: Browser; stop: () => Promise<void> };
  beforeAll(async () => {
    opened = await start();
  });
  afterAll(() => opened?.stop());

  const isShown = (page: Page) =>
    page.$eval(".tag-code-text", (element) => element.getAttribute("data-shown") === "true");
  const placeOf = (page: Page) =>
    page.$eval(HOLD, (button) => {
      const { x, y } = Object(button).getBoundingClientRect();
      return [x, y];
    });

  it.skipIf(program === undefined && process.env.CI === undefined)(
    "is shown while its button is held with a mouse or a key, does not move it, and can be kept for those who cannot hold",
    async () => {
      const [, , ada] = await s.game("Zed", "Ada");
      const page = await opened.browser.newPage();
      await page.setViewport({ width: 360, height: 740 });
      await page.goto(`${base}/app/login?to=/app/me`);
      await page.locator("input[name=alias]").setTimeout(WAIT_MS).fill(ada.alias);
      await page.locator("input[name=password]").fill(ada.password);
      await press(page, "Log in");
      await page.waitForSelector(HOLD, TIMEOUT);
      await page.waitForFunction("document.querySelector('.skeleton') === null", TIMEOUT);
      await page.$eval(HOLD, (button) => Object(button).scrollIntoView({ block: "center" }));
      const [x = 0, y = 0] = await placeOf(page);
      await page.mouse.move(x + 20, y + 20);
      await page.mouse.down();
      await wait(HELD_MS);
      expect(await isShown(page)).toBe(true);
      expect(await placeOf(page)).toEqual([x, y]);
      // A hand trembles, and a finger slides.
      await page.mouse.move(x + 20, y - 60);
      expect(await isShown(page)).toBe(true);
      await page.mouse.up();
      await expect.poll(() => isShown(page)).toBe(false);
      for (const key of [" ", "Enter"] as const) {
        await page.focus(HOLD);
        await page.keyboard.down(key);
        await wait(HELD_MS);
        expect(await isShown(page), key).toBe(true);
        expect(await placeOf(page)).toEqual([x, y]);
        await page.keyboard.up(key);
        await expect.poll(() => isShown(page)).toBe(false);
      }
      await press(page, "Show without holding");
      expect(await isShown(page)).toBe(true);
      await page.mouse.move(0, 0);
      await wait(HELD_MS);
      expect(await isShown(page)).toBe(true);
      await press(page, "Hide the code");
      expect(await isShown(page)).toBe(false);
    },
  );
});
