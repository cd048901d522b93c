/** The web app in a real Chromium, with the service behind it. */
import { setTimeout as sleep } from "node:timers/promises";
import axe from "axe-core";
import type { Page } from "puppeteer-core";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { CHROMIUM } from "../support/chromium.ts";
import { type Someone, testEnvironment } from "../support/service.ts";
import { MISFITS, VIOLATIONS, WAIT_MS, webPages } from "../support/webPages.ts";

const isMissing = CHROMIUM === undefined;
if (isMissing) process.stderr.write("\nNO BROWSER: the web app is not tested. Install chromium.\n\n");

// In CI these tests are required, so they fail if Chromium is missing.
describe.skipIf(isMissing && process.env.CI === undefined)("the web app, in Chromium", () => {
  const s = testEnvironment();
  const { base, openPage, see, fill, press, login } = webPages();

  /** Cuts the network of a page and of its service worker. */
  const setOffline = async (page: Page, offline: boolean): Promise<void> => {
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

  const player = async (as: Someone) => (await s.call("GET /player/{url_id}", { as })).body;

  it("lets a newcomer join, and names what is wrong with a field", async () => {
    const page = await openPage("/");
    await press(page, "Join the game");
    await fill(page, { alias: "Nadia", password: "short" });
    await press(page, "Join");
    await see(page, "The password must have 8 to 128 characters.");
    await fill(page, { password: "a longer password" });
    await press(page, "Join");
    await see(page, "Your tag code");
    // No script can read the session.
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  it("shows a tag on the victim's open page within 20 seconds", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const [hunter, victim] = [await login(ada, "/app/tag"), await login(ben)];
    await see(victim, "Your tag code");
    await fill(hunter, { tag_code: `${ben.code?.slice(0, 4).toLowerCase()}-${ben.code?.slice(4)}` });
    await press(hunter, "Report the tag");
    await see(hunter, "You tagged Ben");
    await victim.waitForSelector("[role=timer]", { timeout: 20_000 });
    await press(hunter, "Enter another");
    await fill(hunter, { tag_code: ben.code ?? "" });
    await press(hunter, "Report the tag");
    await see(hunter, "This code has been used");
  });

  it("sends a tag that was entered offline once, after a reload, and shows a refusal", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const page = await login(ada, "/app/tag");
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await setOffline(page, true);
    const enter = async (code: string): Promise<void> => {
      await fill(page, { tag_code: code });
      await press(page, "Report the tag");
    };
    await enter(ben.code ?? "");
    await see(page, "Waits for a network");
    await enter("ZZZZZZZZ");
    await see(page, "ZZZZZZZZ");
    // The installed shell opens without a network, with the last known state.
    await page.reload();
    await see(page, "ZZZZZZZZ");
    expect(await player(ben)).toMatchObject({ state: "human" });
    await setOffline(page, false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await see(page, "No player has this tag code.");
    expect(await page.$$(".queued")).toHaveLength(1);
    expect(await player(ben)).toMatchObject({ state: "zombie" });
    expect(await player(ada)).toMatchObject({ kills: 1 });
  });

  it("stops the countdown in a pause, and follows an added day", async () => {
    const [gm, ada] = await s.game("Ada");
    const page = await login(ada);
    const timer = (): Promise<string> => page.$eval("[role=timer]", (element) => element.textContent ?? "");
    await see(page, "left to feed");
    await s.call("POST /admin/pause_game/{url_id}", { as: gm });
    await page.reload();
    await see(page, "The clock stands still");
    const paused = await timer();
    await sleep(2_500);
    expect(await timer()).toBe(paused);
    await s.call("POST /admin/resume_game/{url_id}", { as: gm });
    await s.call("POST /admin/zombies_add_day/{url_id}", { as: gm });
    await page.reload();
    await see(page, "You starve");
    expect(Number.parseInt(await timer(), 10)).toBe(71);
  });

  it("returns to the page that was asked for after the session has ended", async () => {
    const ada = await s.join("Ada");
    const page = await login(ada, "/app/board");
    await s.call("POST /logout", { as: ada, body: { everywhere: true } });
    await page.reload();
    await see(page, "Your session has ended");
    await fill(page, { alias: ada.alias, password: ada.password });
    await press(page, "Log in");
    await see(page, "Most kills first");
  });

  const PAGES = ["me", "tag", "feed", "board", "inbox", "checkpoint", "profile"];

  it("passes axe, fits every width, and shows markup as text, on every page", async () => {
    const [gm, ada] = await s.game("Ada", "O'Neil");
    await s.call("POST /notifications/send/{url_id}", {
      as: gm,
      body: { title: "<b>Mission</b>", content: "<script>alert(1)</script>", player_groups: "All" },
    });
    await s.pass(HOUR);
    const page = await login(ada);
    await page.setBypassCSP(true);
    for (const path of ["/", ...PAGES.map((name) => `/app/${name}`), "/app/join", "/app/login"]) {
      for (const scheme of ["light", "dark"]) {
        await page.emulateMediaFeatures([
          { name: "prefers-color-scheme", value: scheme },
          { name: "prefers-reduced-motion", value: "reduce" },
        ]);
        await page.goto(`${base}${path}`);
        await page.waitForSelector("main h1", { timeout: WAIT_MS });
        await page.waitForFunction("document.querySelector('.skeleton') === null", { timeout: WAIT_MS });
        await page.evaluate(axe.source);
        expect(await page.evaluate(VIOLATIONS), `${path} ${scheme}`).toEqual([]);
      }
      for (const width of [320, 360, 768, 1_440]) {
        await page.setViewport({ width, height: 740 });
        expect(await page.evaluate(MISFITS), `${path} at ${width}`).toEqual({ over: 0, small: [] });
      }
      await page.setViewport({ width: 360, height: 740 });
    }
    expect(await page.$$("main script, main b")).toEqual([]);
  });
});
