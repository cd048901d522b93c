/** The moments of the game on the pages of those to whom they happen. */
import axe from "axe-core";
import type { Page } from "puppeteer-core";
import sharp from "sharp";
import { v7 } from "uuid";
import { expect, it } from "vitest";
import { makeRecap } from "../../lib/app/game/recap.ts";
import { SIDES } from "../../lib/domain/players/spiral.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { recapItems } from "../../lib/store/seasons/recaps.ts";
import { PASSWORD, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import {
  deliverPush,
  describeInChromium,
  follow,
  setOffline,
  TIMEOUT,
  webPages,
} from "../support/webPages.ts";

describeInChromium("a moment of the game", () => {
  const s = testEnvironment();
  const { base, login, openPage, see, press, confirm } = webPages();
  const { done, read } = shortRequests(s);

  /** Counts how often the phone vibrates, and lets the page show notifications. */
  const prepare = async (page: Page): Promise<void> => {
    await page.evaluateOnNewDocument(
      "globalThis.beats = 0; navigator.vibrate = () => { beats += 1; return true; };",
    );
    await page.reload();
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    const granted = { permission: { name: "notifications" }, state: "granted" } as const;
    await page.browserContext().setPermission(base, granted);
  };
  const LAYER = "dialog.turning[open]";
  /** When the last animation of the layer ends after it has appeared, in milliseconds. */
  const lasts = (page: Page): Promise<unknown> =>
    page.$eval(LAYER, (layer) =>
      Math.max(
        0,
        // The page's own types are not known here.
        ...Object(layer)
          .getAnimations({ subtree: true })
          .map(
            (one: { effect: { getComputedTiming: () => { endTime: number } } }) =>
              one.effect.getComputedTiming().endTime,
          ),
      ),
    );

  /** Expects that axe finds nothing in a part of the page. */
  const expectAccessible = async (page: Page, part = "html"): Promise<void> => {
    await page.evaluate(axe.source);
    const found = `axe.run("${part}").then(({ violations }) => violations.map(({ id }) => id))`;
    expect(await page.evaluate(found)).toEqual([]);
  };

  it("that makes a zombie of a human turns the open page at the push, once, and names the hunter", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const page = await login(ben);
    await prepare(page);
    await see(page, "Your tag code");
    // A browser vibrates only where the player has touched the page.
    await page.locator("main h1").click();
    await page.waitForFunction(
      `performance.getEntriesByType("resource").some(({ name }) => name.includes("/turning-"))`,
      TIMEOUT,
    );
    await s.hunt(ada, ben);
    await deliverPush(page, { title: "Ada tagged you", navigate: "/app/me" });
    // Long before the page polls again.
    await page.waitForSelector(LAYER, { timeout: 5_000 });
    expect(await lasts(page)).toBe(800);
    await see(page, "Ada tagged you");
    await see(page, "Tag a human before you starve, ");
    expect(await page.evaluate("[document.activeElement.textContent, beats]")).toEqual(["Ada tagged you", 1]);
    const isStill = `document.querySelector("${LAYER}").getAnimations({ subtree: true }).every(({ playState }) => playState === "finished")`;
    await page.waitForFunction(isStill, TIMEOUT);
    const colours = `[".avatar", ".button"].map((one) => getComputedStyle(document.querySelector(\`${LAYER} \${one}\`)).backgroundColor)`;
    const [face, button] = (await page.evaluate(colours)) as string[];
    expect(face).toBe(button);
    await expectAccessible(page, "dialog");
    await confirm(page, "Show my countdown");
    await page.waitForSelector("main [role=timer]", TIMEOUT);
    expect(await page.$(LAYER)).toBeNull();
    await page.reload();
    await page.waitForSelector("main [role=timer]", TIMEOUT);
    expect(await page.$(LAYER)).toBeNull();
  });

  it("that came while the app was closed shows when it is opened, without motion for those who want none", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const page = await login(ben);
    await see(page, "Your tag code");
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await page.goto("about:blank");
    await s.hunt(ada, ben);
    await page.goto(`${base}/app/feed`);
    await page.waitForSelector(LAYER, TIMEOUT);
    expect(await lasts(page)).toBe(0);
    await page.keyboard.press("Escape");
    await page.waitForFunction(`document.querySelector("${LAYER}") === null`, TIMEOUT);
    expect(page.url()).toBe(`${base}/app/feed`);
  });

  it("that is the last hour before starving has its look and its words, and not a second earlier", async () => {
    const [, ada] = await s.game("Ada");
    const page = await login(ada);
    // The clock of the page is the service's time and what has passed on the device since. A response sets it anew, so
    // none arrives once `isAlone`.
    await page.evaluateOnNewDocument(`{
      globalThis.passed = 0;
      globalThis.isAlone = false;
      const read = performance.now.bind(performance);
      performance.now = () => read() + passed;
      const request = fetch;
      globalThis.fetch = async (...args) => {
        const response = await request(...args);
        return isAlone ? new Promise(() => {}) : response;
      };
    }`);
    // The colour of the last hour is in motion otherwise.
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await page.reload();
    await page.waitForSelector("main [role=timer]", TIMEOUT);
    await page.evaluate("isAlone = true");
    const { starves_at } = await s.see(ada);
    const LAST_HOUR = "Less than an hour. Find a human, or ask for a share of a meal.";
    /** Has the page show the hero as if the zombie had this time left, in seconds. */
    const heroWith = async (left: number, clock: RegExp) => {
      await page.evaluate(`passed = ${Date.parse(starves_at) - left * 1_000} - Date.now()`);
      // Read at the very change, because the bar of the browser turns together with the page.
      const shown = await page.waitForFunction(
        `(() => {
          if (!${clock}.test(document.querySelector("main [role=timer]").textContent)) return null;
          const hero = document.querySelector("main .hero");
          const colourOf = (element) => getComputedStyle(element).backgroundColor;
          return { colour: colourOf(hero), face: colourOf(hero.querySelector(".avatar")), bar: document.querySelector("meta[name=theme-color]").content, text: hero.textContent };
        })()`,
        { ...TIMEOUT, polling: "mutation" },
      );
      return shown.jsonValue() as Promise<{ colour: string; face: string; bar: string; text: string }>;
    };
    const before = await heroWith(3_660, /^01:00:/);
    expect(before.text).not.toContain(LAST_HOUR);
    const last = await heroWith(3_599, /^00:59:/);
    expect(last.text).toContain(LAST_HOUR);
    expect(last.colour).not.toBe(before.colour);
    expect([before.bar, last.bar]).toEqual([before.colour, last.colour]);
    expect([before.face, last.face]).toEqual([last.colour, before.colour]);
    await expectAccessible(page, ".hero");
  });

  it("that is a mission is on its page at the push, for its side alone, also without a network, with what came of it", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada");
    const at = (hours: number): string => rfc3339(Date.now() + hours * HOUR);
    const briefing = (audience: string, text: string, outcome_text: string) => ({
      ...{ audience, text, outcome_text, reveal_at: at(-1) },
    });
    const [page, other] = [await login(ada, "/app/missions"), await login(zed, "/app/missions")];
    await prepare(page);
    await see(page, "There is no mission that you know of.");
    expect(await page.$("nav a[href='/app/missions']")).toBeNull();
    const { mission_id } = await done(gm, "set_mission", {
      ...{ title: "The supply drop", starts_at: at(-0.5), ends_at: at(1), place: "The library" },
      ...{ latitude: 52.5, longitude: 13.4, attendance: "desk" },
      briefings: [briefing("humans", "Carry the **crates**.", "The crates are safe.")],
      rewards: [{ audience: "humans", effect: { points: 5 } }],
    });
    await deliverPush(page, { title: "Mission: The supply drop", navigate: "/app/missions" });
    await see(page, "The supply drop");
    await see(page, "Carry the crates.");
    await see(page, "5 points");
    await page.waitForSelector("main [role=timer]", TIMEOUT);
    await page.waitForSelector("main a[href^='geo:52.5,13.4']", TIMEOUT);
    await page.waitForSelector("nav a[href='/app/missions']", TIMEOUT);
    await see(page, "say your alias, Ada");
    await done(gm, "mission_attendance", { mission_id, alias: "Ada" });
    await page.reload();
    await see(page, "You are checked in.");
    // Zombies learn nothing, neither on the page nor by what the browser keeps.
    await deliverPush(other, { title: "News", navigate: "/app/missions" });
    await other.reload();
    await see(other, "There is no mission that you know of.");
    const strip = ".thing[href='/app/missions']";
    await page.goto(`${base}/app/me`);
    await page.waitForSelector(strip, TIMEOUT);
    expect(await page.$eval(strip, ({ textContent }) => textContent)).toMatch(
      /^The supply drop goes on until .* · The library$/,
    );
    await setOffline(page, true);
    await page.reload();
    await page.waitForSelector(strip, TIMEOUT);
    await page.$eval(strip, (link) => Object(link).click());
    await see(page, "You are checked in.");
    await see(page, "You are offline. This is from today at ");
    await setOffline(page, false);
    await done(gm, "close_mission", { mission_id, result: "humans", note: "By a hair." });
    await page.goto(`${base}/app/missions`);
    for (const text of ["The humans have won", "By a hair.", "You got 5 points.", "The crates are safe."])
      await see(page, text);
    // As a zombie nobody sees on the page what humans were told.
    await s.hunt(zed, ada);
    await deliverPush(page, { title: "Zed tagged you", navigate: "/app/me" });
    await see(page, "There is no mission that you know of.");
  });

  it("that is the end of the season is previewed by game masters, and told to players with its awards", async () => {
    const [gm, , ben] = await s.game("Ada", "Ben");
    await done(gm, "settings", { registration: "approval", waiver: "I run.", minimum_age: 18 });
    const { version } = (await s.must("GET /public", { query: { waiver: true } })).body.waiver;
    const signature = { version, full_name: "Pru", birth_date: rfc3339(Date.now() - DAY).slice(0, 10) };
    await s.must("POST /new", { body: { alias: "Pru", password: PASSWORD, signature } });
    await done(gm, "settings", { waiver: null });
    const page = await login(gm, "/app/gm/now");
    await see(page, "1 newcomer waits");
    await press(page, "Admit");
    await see(page, "Under age: Pru.");
    await page.keyboard.press("Escape");
    await follow(page, "/app/gm/game/season");
    await press(page, "Finish the season");
    await see(page, "Play stops. For 30 minutes");
    await page.select("dialog select[name=result]", "zombies");
    await see(page, "1 human is left. Have the zombies won?");
    await page.select("dialog select[name=grace_seconds]", "0");
    await see(page, "Play stops, and everybody is told the result");
    await page.type("dialog input[name=note]", "By a hair.");
    await confirm(page, "Add an award");
    await page.waitForSelector('dialog input[name="awards.0.text"]', TIMEOUT);
    // The new row has the focus, and the buttons at the bottom do not cover it.
    const isUncovered = `(() => {
      const { activeElement: field } = document;
      const { left, right, top, bottom } = field.getBoundingClientRect();
      return document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === field && field.name;
    })()`;
    await expect.poll(() => page.evaluate(isUncovered), TIMEOUT).toBe("awards.0.title");
    await page.keyboard.type("Best costume");
    await page.type('dialog input[name="awards.0.text"]', "A walking hedge.");
    // What was typed outlasts a reload.
    await page.reload();
    await press(page, "Finish the season");
    await see(page, "Restored what you typed.");
    const typed = `["dialog select[name=result]", "dialog input[name=note]", 'dialog input[name="awards.0.text"]']
      .map((one) => document.querySelector(one).value)`;
    expect(await page.evaluate(typed)).toEqual(["zombies", "By a hair.", "A walking hedge."]);
    // Only a player of the game can be sent.
    await page.type('dialog input[name="awards.0.alias"]', "Bex");
    await see(page, "Nobody is called Bex.");
    const isDisabled = `document.querySelector("dialog[open] [type=submit]").disabled`;
    expect(await page.evaluate(isDisabled)).toBe(true);
    await page.keyboard.press("Backspace");
    await confirm(page, "Ben");
    await confirm(page, "Finish the season");
    await see(page, "Everybody knows the result.");
    await see(page, "Best costume: Ben. A walking hedge.");
    // Who would have to wait for the next season is nothing to do.
    await follow(page, "/app/gm/now");
    await see(page, "Nothing needs you");
    // A request of the worker may never be reported as finished.
    await page.waitForNetworkIdle({ ...TIMEOUT, concurrency: 1, idleTime: 200 });
    expect(await page.evaluate("document.body.innerText")).not.toContain("newcomer");
    await follow(page, "/app/gm/game/season");
    const other = await login(ben);
    for (const text of ["The zombies have won", "By a hair.", "Best costume", "Yours: Best costume"])
      await see(other, text);
    // The recap names those who have agreed to it, and oneself.
    await press(other, "The whole season");
    for (const text of [
      "The zombies have won.",
      "You survived.",
      "Best costume",
      "Who tagged whom",
      "a player",
    ])
      await see(other, text);
    // A season of one day has one date, and awards that nobody has earned are left out.
    const recap = await other.evaluate("document.querySelector('main').innerText");
    expect(recap).not.toMatch(/(\d{4}) to |Most meals shared|Nobody|0 tags/);
    await follow(other, "/app/profile");
    await other.locator("input[name=named_in_past]").setTimeout(TIMEOUT.timeout).click();
    await other.waitForFunction("document.querySelector('[name=named_in_past]:checked') !== null", TIMEOUT);
    await follow(other, "/app/seasons");
    await see(other, "You have played in 1 season, survived 1 and have 0 tags.");
    // Without a session, the login comes first, unless the board is public.
    const { season_id } = await read(ben, "/game");
    const visitor = await openPage(`/app/seasons/${season_id}`);
    await visitor.waitForFunction("location.pathname === '/app/login'", TIMEOUT);
    await done(gm, "settings", { public_board: true });
    // Once there is another season, the page of the game leads to those before.
    const past = { seasonId: v7(), now: Date.now(), timeLeft: () => 10_000 };
    const recapOfPast = await makeRecap(s.store, await s.store.game(), past);
    for (const item of recapOfPast === null ? [] : await recapItems(recapOfPast)) await s.store.db.put(item);
    await visitor.setCacheEnabled(false);
    await visitor.goto(`${base}/`);
    await press(visitor, "Past seasons");
    await press(visitor, "The zombies have won");
    await visitor.waitForFunction(`location.pathname === "/app/seasons/${past.seasonId}"`, TIMEOUT);
    await see(visitor, "Ben");
    expect(await visitor.evaluate("document.body.innerText")).not.toContain("You survived");
    await follow(other, "/app/me");
    await press(page, "Reopen the season");
    await confirm(page, "Reopen the season");
    await see(page, "1 earlier end of this season");
    await done(gm, "finish_season", { result: "humans", grace_seconds: 1_800 });
    await other.reload();
    for (const text of [
      "Play is over",
      "Report tags from before the end until",
      "Report a tag from before the end",
    ])
      await see(other, text);
  });

  it("that is a tag adds its dot and its line, and has words of its own for the first and for the last human", async () => {
    const [, ada, ben, cid] = await s.game("Ada", "Ben", "Cid");
    const page = await login(ada, "/app/tag");
    const report = async (code: string | null): Promise<void> => {
      await page.waitForSelector("input[name=tag_code]", TIMEOUT);
      await page.type("input[name=tag_code]", code ?? "");
      await press(page, "Report the tag");
    };
    const line = () => page.$$eval("main ol li", (all) => all.map((one) => Object(one).textContent));
    await report(ben.code);
    await see(page, "You tagged Ben");
    await see(page, "The first tag on the board.");
    expect(await line()).toEqual(["Ada", "Ben"]);
    await page.waitForSelector("main svg [data-state=zombie].crowd-own", TIMEOUT);
    await page.waitForFunction(
      `document.querySelectorAll("main svg [data-state=human]").length === 1`,
      TIMEOUT,
    );
    await press(page, "Enter another");
    await report(cid.code);
    await see(page, "You tagged Cid");
    await see(page, "That was the last human.");
    expect(await line()).toEqual(["Ada", "Cid"]);
  });

  it("that is an antidote turns the page back with a new code, and a mistyped code is told before it is sent", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    await s.hunt(ada, ben);
    const batch = { label: "Antidotes", n: 1, audience: "zombies", uses: 1, uses_per_player: 1 };
    const { codes } = await done(gm, "create_codes", { ...batch, effect: { cure: true } });
    const code: string = codes[0].code;
    const wrong = `${code.slice(0, 9)}${code.endsWith("2") ? "3" : "2"}`;
    const page = await login(ben, "/app/tag");
    await page.waitForSelector("input[name=tag_code]", TIMEOUT);
    await page.type("input[name=tag_code]", wrong);
    await see(page, "A character is wrong: compare the code with the slip.");
    expect(await page.$eval("main button[type=submit]", (button) => Object(button).disabled)).toBe(true);
    await page.keyboard.press("Backspace");
    await page.type("input[name=tag_code]", code.slice(9).toLowerCase());
    await see(page, "This is a supply code.");
    await press(page, "Redeem the code");
    await page.waitForSelector(LAYER, TIMEOUT);
    expect(await lasts(page)).toBe(800);
    await see(page, "You have a new tag code.");
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    await expectAccessible(page, "dialog");
    await confirm(page, "Show my code");
    await see(page, "Hold to show");
    expect(page.url()).toBe(`${base}/app/me`);
    const { state, tag_code } = await s.see(ben);
    expect(state).toBe("human");
    expect(tag_code).not.toBe(ben.code);
  });

  it("that is the end says what became of each, with the awards and a picture to share, and invites nobody", async () => {
    const [gm, ada, ben, cid] = await s.game("Ada", "Ben", "Cid");
    await s.hunt(ada, ben);
    const effect = { points: 2, badge: { name: "Keeper", symbol: "*" } };
    const batch = { label: "Post", n: 1, audience: "all", uses: 1, uses_per_player: 1 };
    const { codes } = await done(gm, "create_codes", { ...batch, effect });
    await s.must("POST /player/redeem/{url_id}", { as: cid, body: codes[0] });
    // A phone that was last open before the end, when its player had not signed.
    await done(gm, "settings", { waiver: "My own risk." });
    const phone = await login(cid);
    await see(phone, "Not now");
    const before = await s.store.game();
    const dates = {
      since: Date.now() - 10 * DAY,
      starts_at: Date.now() - 3 * DAY,
      ends_at: Date.now() - 1_000,
    };
    const after = { ...before, schedule: { ...dates, time_zone: "UTC", play_hours: null } };
    await s.store.commit(await writesOf({ game: { before, after } }), () => 10_000);
    await expect.poll(async () => (await read(gm, "/game")).phase, TIMEOUT).toBe("ended");
    await phone.goto(`${base}/app/me`);
    await see(phone, "You survived");
    expect(phone.url()).toBe(`${base}/app/me`);
    const visitor = await openPage("/");
    await see(visitor, "The game is over");
    expect(await visitor.evaluate("document.body.textContent")).not.toContain("Join the game");
    expect(await visitor.$("[role=timer]")).toBeNull();
    for (const [player, title, text, state] of [
      [cid, "You survived", "1 of 3 players survived.", "human"],
      [ben, "You fell on day 4", "Tagged by Ada.", "zombie"],
      [ada, "You rose as a zombie on day 4", "Your line has 1 player.", "zombie"],
    ] as const) {
      const page = player === cid ? phone : await login(player);
      await see(page, title);
      await see(page, text);
      await see(page, "Most tags");
      if (player === cid) {
        await see(page, "* Keeper");
        await page.waitForSelector("main img[alt*='2 points']", TIMEOUT);
      }
      expect(await page.$("[role=timer]")).toBeNull();
      await expectAccessible(page);
      await page.evaluate(`{
        navigator.canShare = () => true;
        navigator.share = async ({ files: [file] }) => { globalThis.shared = [...new Uint8Array(await file.arrayBuffer())]; };
      }`);
      await press(page, "Share the picture");
      await page.waitForFunction("globalThis.shared !== undefined", TIMEOUT);
      const picture = sharp(Buffer.from((await page.evaluate("shared")) as number[]));
      const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
      const colour = data.subarray(0, 3).toString("hex");
      expect([info.width, info.height, `#${colour}`]).toEqual([1_080, 1_350, SIDES[state].fill]);
    }
  });
});
