/** A tag code that is shown while its button is held with a mouse or a key, in every browser's engine. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { describeInEngines } from "../support/engines.ts";
import { testEnvironment } from "../support/service.ts";
import { BASE, TIMEOUT } from "../support/webPages.ts";

const HOLD = 'document.querySelector(".tag-code .button[data-kind=primary]")';
/** Longer than it took for the code to disappear: four milliseconds, and a repaint. */
const HELD_MS = 250;

describeInEngines("the tag code", (open) => {
  const s = testEnvironment();

  it("is shown while its button is held, does not move it, and can be kept for those who cannot hold", async () => {
    const [, , ada] = await s.game("Zed", "Ada");
    const tab = await open(`${BASE}/app/me`, ada);
    const isShown = () => tab.evaluate("document.querySelector('.tag-code-text').dataset.shown === 'true'");
    const expectHidden = () => expect.poll(isShown, TIMEOUT).toBe(false);
    const place = `(({ x, y }) => [x, y])(${HOLD}.getBoundingClientRect())`;
    await tab.see("Show without holding");
    await expect.poll(() => tab.evaluate("document.querySelector('.skeleton') === null"), TIMEOUT).toBe(true);
    const before = await tab.evaluate(`${HOLD}.scrollIntoView({ block: "center" }), ${place}`);
    const [x = 0, y = 0] = Object(before);
    /** It stays where it is. */
    const expectShown = async (): Promise<void> => {
      await wait(HELD_MS);
      expect(await isShown()).toBe(true);
      expect(await tab.evaluate(place)).toEqual(before);
    };
    await tab.mouse.move(x + 20, y + 20);
    await tab.mouse.down();
    await expectShown();
    // A hand trembles, and a finger slides.
    await tab.mouse.move(x + 20, y - 60);
    await expectShown();
    await tab.mouse.up();
    await expectHidden();
    for (const key of [" ", "Enter"] as const) {
      await tab.evaluate(`${HOLD}.focus()`);
      await tab.keyDown(key);
      await expectShown();
      await tab.keyUp(key);
      await expectHidden();
    }
    await tab.press("Show without holding");
    await tab.mouse.move(0, 0);
    await wait(HELD_MS);
    expect(await isShown()).toBe(true);
    await tab.press("Hide the code");
    await expectHidden();
  });
});
