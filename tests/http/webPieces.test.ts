/** Parts of pages that once misled somebody: each must look as it is, in a real Chromium, with the service behind it. */
import type { Page } from "puppeteer-core";
import { expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { testEnvironment } from "../support/service.ts";
import { describeInChromium, press, see, TIMEOUT, webPages } from "../support/webPages.ts";

const MISSING = 74;

describeInChromium("pages", () => {
  const s = testEnvironment();
  const { base, openPage, login, fill } = webPages();

  /** Where an element is, and whether a point of it is covered by something else. */
  const placeOf = (page: Page, selector: string) =>
    page.$eval(selector, (element) => {
      const { top, bottom, left, width, height } = Object(element).getBoundingClientRect();
      const { document, innerHeight } = Object(globalThis);
      const found = document.elementFromPoint(left + width / 2, (top + bottom) / 2);
      return {
        top,
        width,
        height,
        isSeen: top >= 0 && bottom <= innerHeight && Object(element).contains(found),
      };
    });

  it("ask for an enforcement at the top: what will happen, that the checkpoint is open, who is not counted, and the buttons", async () => {
    const [gm] = await s.game("Zed");
    await s.crowd(await makeCrowd(s, MISSING, "human", s.now));
    const closes_at = rfc3339(Date.now() + HOUR);
    const body = { name: "Fountain", applies_to: "humans", closes_at };
    await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body });
    const page = await login(gm, "/app/gm/checkpoint");
    await press(page, "Enforce");
    await page.waitForSelector("dialog[open]", TIMEOUT);
    const dialog = "dialog[open]";
    expect(await page.$eval(dialog, ({ scrollTop }) => scrollTop)).toBe(0);
    const text = await page.$eval(dialog, ({ textContent }) => textContent ?? "");
    expect(text.indexOf("still open")).toBeLessThan(text.indexOf("Player 00000"));
    const [first, ...others] = await page.$$eval(`${dialog} .effects li`, (all) =>
      all.map(({ textContent }) => textContent ?? ""),
    );
    expect(first).toMatch(new RegExp(`^${MISSING} humans become corpses\\.$`));
    expect(others.join("\n")).toMatch(/The checkpoint is still open and closes (today|tonight|tomorrow) at /);
    expect(others.join("\n")).toContain("Zombies, corpses and spectators are not counted");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H2");
    expect(await placeOf(page, `${dialog} h2`)).toMatchObject({ isSeen: true });
    expect(await placeOf(page, `${dialog} button[type=submit]`)).toMatchObject({ isSeen: true });
    expect(await placeOf(page, `${dialog} .decide button[type=button]`)).toMatchObject({ isSeen: true });
  });

  it("name the slider of a tag's time, and say how long ago it is", async () => {
    const [, zed] = await s.game("Zed");
    const page = await login(zed, "/app/tag");
    const slider = await page.waitForSelector("input[type=range]", TIMEOUT);
    await slider?.focus();
    await page.keyboard.press("ArrowRight");
    const named = await page.waitForSelector('aria/When was it?[role="slider"]', TIMEOUT);
    expect(await named?.evaluate((element) => element.getAttribute("aria-valuetext"))).toBe("5 minutes ago");
  });

  it("count the dots of the crowd, and give a medal for a kill alone", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada", "Ben");
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { public_board: true } });
    // The public page of the game before is shown for some seconds.
    await expect
      .poll(async () => (await s.call("GET /public")).body.counts, TIMEOUT)
      .toMatchObject({ humans: 2, zombies: 1 });
    const page = await openPage("/");
    await see(page, "3 in play, each a dot.");
    // Who has no tag is not among those with most tags.
    expect(await page.evaluate("document.body.textContent")).not.toContain("0 tags");
    const own = await login(zed, "/app/board");
    await own.waitForSelector(".board-row", TIMEOUT);
    expect(await own.$$("[data-rank]")).toHaveLength(0);
    await s.hunt(zed, ada);
    await own.goto(`${base}/app/board`);
    await own.waitForSelector(".board-row[data-rank='1']", TIMEOUT);
    expect(await own.$$("[data-rank]")).toHaveLength(1);
    // The list that was chosen last stays, also if the response to the choice before it comes later.
    await own.evaluate(`{
      const send = fetch;
      const pressed = new Promise((resolve) => { globalThis.release = resolve; });
      fetch = async (url, request) => {
        if (!String(url).includes("board=survivors")) return send(url, request);
        await pressed;
        const response = await send(url, request);
        globalThis.late = response.clone().text();
        return response;
      };
    }`);
    for (const board of ["Survivors", "Points"]) await press(own, board);
    const none = "Nobody has a point yet.";
    await see(own, none);
    await own.evaluate("release()");
    await own.waitForFunction("globalThis.late", TIMEOUT);
    await own.evaluate(
      "late.then(() => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn))))",
    );
    expect(await own.$eval("main", ({ textContent }) => textContent)).toContain(none);
  });

  it("print the address that players open, which is asked for on the machine of the service", async () => {
    const gm = await s.admin();
    const page = await login(gm, "/app/gm/print");
    await page.waitForSelector("input[name=address]", TIMEOUT);
    expect(await page.$(".poster")).toBeNull();
    await fill(page, { address: "localhost:3000" });
    await see(page, "Others cannot open this address.");
    await fill(page, { address: "hvz.example" });
    await page.waitForSelector(".poster", TIMEOUT);
    expect(await page.$eval(".poster-link", ({ textContent }) => textContent)).toBe("hvz.example/app/join");
    expect(await page.$eval(".poster canvas", (canvas) => canvas.getAttribute("aria-label"))).toContain(
      "https://hvz.example/app/join",
    );
    await page.goto(`${base}/app/screen`);
    await see(page, "Scan to join");
    expect(await page.$eval("main", ({ innerHTML }) => innerHTML)).not.toContain("localhost");
    // Whoever sets up a game on one machine tries it there.
    await page.goto(`${base}/app/gm/now`);
    await see(page, `${base}/app/join`);
  });

  it("keep the size of icons in More, and the list in its place while players are selected", async () => {
    const [gm, zed] = await s.game("Zed", "Ada", "Ben");
    const page = await login(zed);
    await page.locator("nav button[popovertarget]").click();
    await page.waitForSelector(".nav-more:popover-open", TIMEOUT);
    const sizes = await page.$$eval(".nav-more svg", (all) =>
      all.map((icon) => Math.round(icon.getBoundingClientRect().width)),
    );
    expect(new Set(sizes)).toEqual(new Set([24]));
    const staff = await login(gm, "/app/gm/players");
    const row = "tbody tr:nth-child(2)";
    await staff.waitForSelector(row, TIMEOUT);
    // Away from the navigation at the bottom, which covers what is below it.
    await staff.$eval(row, (found) => Object(found).scrollIntoView({ block: "center" }));
    const { top } = await placeOf(staff, row);
    await staff.locator(`${row} input`).click();
    await see(staff, "1 player");
    await staff.waitForSelector(".group", TIMEOUT);
    expect(await placeOf(staff, row)).toMatchObject({ top, isSeen: true });
  });
});
