/** The web app in a real Chromium, with the service behind it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "puppeteer-core";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { CHROMIUM, startChromium } from "../../scripts/cli/chromium.ts";
import { CAMERA, film } from "../support/camera.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";
import { setOffline, WAIT_MS, webPages } from "../support/webPages.ts";

const isMissing = CHROMIUM === undefined;
if (isMissing) process.stderr.write("\nNO BROWSER: the web app is not tested. Install chromium.\n\n");

// In CI these tests are required, so they fail if Chromium is missing.
describe.skipIf(isMissing && process.env.CI === undefined)("the web app, in Chromium", () => {
  const s = testEnvironment();
  const { base, openPage, see, fill, press, login, expectFit } = webPages(CAMERA);
  const temp = useTempDir();

  const player = async (as: TestPlayer) => (await s.call("GET /player/{url_id}", { as })).body;

  /** Waits until the service worker is active. */
  const installed = (page: Page) => page.evaluate("navigator.serviceWorker.ready.then(() => {})");

  it("lets a newcomer join by a link, names what is wrong, and makes offers only afterwards", async () => {
    const gm = await s.admin();
    const settings = { join_codes: [{ code: "spring-7" }] };
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: settings });
    const page = await openPage("/app/join?code=autumn-7");
    await fill(page, { alias: "Nadia", password: "short" });
    await press(page, "Join");
    await see(page, "The password must have 8 to 128 characters.");
    await fill(page, { password: "a longer password" });
    await press(page, "Join");
    await see(page, "The join code is not one of this game.");
    const install = "dispatchEvent(new Event('beforeinstallprompt', { cancelable: true }))";
    // The browser does not ask by itself.
    expect(await page.evaluate(install)).toBe(false);
    expect(await page.evaluate("document.body.textContent")).not.toContain("Install");
    await page.goto(`${base}/app/join?code=spring-7`);
    await fill(page, { alias: "Nadia", password: "a longer password" });
    await press(page, "Join");
    await see(page, "Your tag code");
    await page.evaluate(install);
    await see(page, "Install the app");
    await press(page, "Not now");
    expect(await page.evaluate("document.body.textContent")).not.toContain("Install");
    // No script can read the session.
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.goto(`${base}/app/profile`);
    const check = (text: string) => page.locator(`::-p-xpath(//label[contains(., "${text}")])`).click();
    await check("Being fed");
    await check("I would like to be one of the first");
    const stored = async () => (await s.call("GET /admin/get_players/{url_id}", { as: gm })).body.players[1];
    const changed = { wants_original: true, push_kinds: expect.not.arrayContaining(["fed"]) };
    await expect.poll(stored, { timeout: WAIT_MS }).toMatchObject(changed);
    await press(page, "Delete my account");
    await fill(page, { confirm: "Nadia" });
    await page.locator("dialog[open] button[type=submit]").click();
    await see(page, "How it works");
    expect(await stored()).toBeUndefined();
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
    await installed(page);
    await setOffline(page, true);
    const enter = async (code: string): Promise<void> => {
      await fill(page, { tag_code: code });
      await press(page, "Report the tag");
    };
    await enter(ben.code ?? "");
    await see(page, "Waiting for a network");
    await enter("ZZZZZZZZ");
    await page.waitForFunction("document.querySelectorAll('.queued').length === 2", { timeout: WAIT_MS });
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

  /** The names of the pages that are kept to be shown without a network. */
  const KEPT = `indexedDB.databases().then((all) =>
    all.some(({ name }) => name === "last-known") ? new Promise((resolve) => {
      indexedDB.open("last-known").onsuccess = ({ target: { result } }) => {
        const names = result.transaction("pages").objectStore("pages").getAllKeys();
        names.onsuccess = () => resolve(names.result);
      };
    }) : [])`;
  const kept = (page: Page) => expect.poll(() => page.evaluate(KEPT), { timeout: WAIT_MS });

  it("opens without a network after the browser was restarted, and sends the tag once on return", async () => {
    const [gm, ada, ben, cy] = await s.game("Ada", "Ben", "Cy");
    await s.hunt(ada, cy);
    const message = { title: "Mission", content: "Meet at the library.", player_groups: "All" };
    await s.must("POST /notifications/send/{url_id}", { as: gm, body: message });
    const profile = temp("phone");
    // Two origins on one phone: one of a zombie with a tag to send, one of a human with a code to show.
    const [zombies, humans] = [base, base.replace("localhost", "127.0.0.1")];
    const start = async (options: readonly string[] = []) => {
      const { browser, stop } = await startChromium(options, profile);
      return { page: await browser.newPage(), stop };
    };
    const first = await start();
    for (const [origin, someone] of [
      [humans, ben],
      [zombies, ada],
    ] as const) {
      await first.page.goto(`${origin}/app/login`);
      await fill(first.page, { alias: someone.alias, password: someone.password });
      await press(first.page, "Log in");
      await first.page.waitForSelector("nav", { timeout: WAIT_MS });
      await installed(first.page);
    }
    const seen = { feed: "Ada tagged Cy", inbox: "Meet at the library.", outbreak: "2 infections" };
    for (const [name, text] of Object.entries(seen)) {
      await first.page.goto(`${zombies}/app/${name}`);
      await see(first.page, text);
      await kept(first.page).toContain(name);
    }
    await first.page.goto(`${zombies}/app/me`);
    await kept(first.page).toContain("history");
    await first.page.goto(`${zombies}/app/tag`);
    await see(first.page, "h left");
    await setOffline(first.page, true);
    await fill(first.page, { tag_code: ben.code ?? "" });
    await press(first.page, "Report the tag");
    await see(first.page, "Waiting for a network");
    await first.stop();
    // A proxy that is not there is no network, for the pages and their service workers.
    const cut = await start(["--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>"]);
    await cut.page.goto(`${humans}/app/me`);
    await see(cut.page, "You are offline");
    await cut.page.focus(".tag-code button");
    await cut.page.keyboard.down("Space");
    await see(cut.page, `${ben.code?.slice(0, 4)} ${ben.code?.slice(4)}`);
    expect(await cut.page.$$(".qr")).toHaveLength(1);
    await cut.page.goto(`${zombies}/app/me`);
    await see(cut.page, "A tag is not recorded yet");
    for (const [name, text] of Object.entries({ ...seen, me: "Ada tagged Cy" })) {
      await cut.page.goto(`${zombies}/app/${name}`);
      await see(cut.page, text);
      await see(cut.page, "You are offline. This is from today at");
    }
    await cut.stop();
    expect(await player(ben)).toMatchObject({ state: "human" });
    const back = await start();
    await back.page.goto(`${zombies}/app/me`);
    await expect.poll(async () => (await player(ben)).state, { timeout: WAIT_MS }).toBe("zombie");
    expect(await player(ada)).toMatchObject({ kills: 2 });
    await back.page.goto(`${zombies}/app/tag`);
    await back.page.waitForSelector("input[name=tag_code]", { timeout: WAIT_MS });
    expect(await back.page.$$(".queued")).toEqual([]);
    // Logged out, nothing of the game is left on the phone.
    await back.page.goto(`${zombies}/app/profile`);
    await press(back.page, "Log out");
    await see(back.page, "Join the game");
    await kept(back.page).toEqual([]);
    await back.stop();
  });

  it("keeps a tag whose answer is lost for its player, through a reload and the end of the session", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const page = await login(ada, "/app/tag");
    await page.setRequestInterception(true);
    const isSent = new Promise<void>((resolve) => {
      // The request never leaves the phone.
      page.on("request", (request) =>
        request.url().includes("/zombie/hunt/") ? resolve() : void request.continue().catch(() => {}),
      );
    });
    await fill(page, { tag_code: ben.code ?? "" });
    await press(page, "Report the tag");
    await isSent;
    await s.call("POST /logout", { as: ada, body: { everywhere: true } });
    await page.reload();
    await page.setRequestInterception(false);
    await see(page, "Your session has ended");
    const enter = async ({ alias, password }: TestPlayer, path: string): Promise<void> => {
      await page.goto(`${base}/app/login?to=${path}`);
      await fill(page, { alias, password });
      await press(page, "Log in");
    };
    // Somebody else on the same phone does not send it.
    await enter(ben, "/app/profile");
    await press(page, "Log out");
    await see(page, "Join the game");
    expect(await player(ben)).toMatchObject({ state: "human" });
    await enter(ada, "/app/me");
    await expect.poll(async () => (await player(ben)).state, { timeout: WAIT_MS }).toBe("zombie");
  });

  it("shows the time left through pauses, nights and added days, also where the phone's clock is wrong", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const page = await login(ada);
    await page.evaluateOnNewDocument(`{
      const now = Date.now;
      Date = class extends Date {
        constructor(...of) { super(...(of.length === 0 ? [now() + 600_000] : of)); }
        static now() { return now() + 600_000; }
      };
    }`);
    const shownSeconds = async (): Promise<number> => {
      const shown: string = await page.$eval("[role=timer]", (element) => element.textContent ?? "");
      return shown.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
    };
    const error = async (): Promise<number> => {
      const { body } = await s.call("GET /zombie/next_feeding/{url_id}", { as: ada });
      return Math.abs((await shownSeconds()) - body.seconds_left);
    };
    /** The countdown in seconds, once the page says this. It is right within two seconds. */
    const timer = async (text: string): Promise<number> => {
      await page.goto(`${base}/app/me`);
      await see(page, text);
      await expect.poll(error, { timeout: WAIT_MS }).toBeLessThanOrEqual(2);
      return shownSeconds();
    };
    await timer("You starve");
    await s.must("POST /admin/pause_game/{url_id}", { as: gm });
    const paused = await timer("The clock is stopped");
    await sleep(2_500);
    expect(await timer("The clock is stopped")).toBe(paused);
    await s.must("POST /admin/resume_game/{url_id}", { as: gm });
    await s.must("POST /admin/zombies_add_day/{url_id}", { as: gm });
    expect(await timer("You starve")).toBeGreaterThan(paused + 23 * 3_600);
    const today = new Date().getUTCDay();
    const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    const night = { play_hours: { [days[(today + 3) % 7] ?? ""]: [["08:00", "22:00"]] } };
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: night });
    const asleep = await timer("Play resumes");
    await sleep(2_500);
    expect(await timer("Play resumes")).toBe(asleep);
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { play_hours: null } });
    await timer("You starve");
    await page.goto(`${base}/app/tag`);
    await fill(page, { tag_code: ben.code ?? "" });
    await press(page, "Report the tag");
    await see(page, "You tagged Ben");
  });

  it("reads a code from the camera in script", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    film(ben.code ?? "");
    const page = await login(ada, "/app/tag");
    await page.evaluateOnNewDocument("delete globalThis.BarcodeDetector");
    await page.reload();
    await press(page, "Scan the code");
    const typed = `document.querySelector("input[name=tag_code]").value === "${ben.code}"`;
    await page.waitForFunction(typed, { timeout: WAIT_MS });
    await press(page, "Report the tag");
    await see(page, "You tagged Ben");
  });

  it("uploads the part of a photograph that a player has chosen, upright and small", async () => {
    const ada = await s.join("Ada");
    const page = await login(ada, "/app/profile");
    // As a phone stores it: lying on its side. Upright, the left half is blue and the right half is red.
    const half = { width: 900, height: 900, channels: 3 as const };
    const [red, blue] = await Promise.all(
      ["red", "blue"].map((background) =>
        sharp({ create: { ...half, background } })
          .png()
          .toBuffer(),
      ),
    );
    const ground = sharp({ create: { ...half, height: 1_800, background: "white" } });
    await ground
      .composite([
        { input: red, top: 0, left: 0 },
        { input: blue, top: 900, left: 0 },
      ])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toFile(temp("photograph.jpg"));
    const colours = async (): Promise<string[]> => {
      const { picture_url } = await player(ada);
      const picture = sharp(await (await fetch(`${base}${picture_url}`)).arrayBuffer());
      const { width = 0, height = 0 } = await picture.metadata();
      expect(width).toBe(height);
      expect(width).toBeLessThanOrEqual(512);
      const { data } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
      const at = (x: number) => (data[3 * (width * Math.floor(height / 2) + x)] ?? 0) > 128;
      return [5, width - 5].map((x) => (at(x) ? "red" : "blue"));
    };
    const choose = async (): Promise<void> => {
      const pressed = page.locator("label.button").setTimeout(WAIT_MS).click();
      const [chooser] = await Promise.all([page.waitForFileChooser(), pressed]);
      await chooser.accept([temp("photograph.jpg")]);
      await page.waitForSelector(".cropper", { timeout: WAIT_MS });
    };
    const use = async (): Promise<string[]> => {
      const { picture_url: before } = await player(ada);
      await press(page, "Use this part");
      await expect.poll(async () => (await player(ada)).picture_url, { timeout: WAIT_MS }).not.toBe(before);
      return colours();
    };
    await choose();
    expect(await use()).toEqual(["blue", "red"]);
    await choose();
    await page.focus(".cropper");
    for (let times = 0; times < 9; times += 1) await page.keyboard.press("ArrowRight");
    expect(await use()).toEqual(["red", "red"]);
    // A mouse drags the photograph, and the slider makes room to do so.
    await choose();
    await page.focus("input[name=zoom]");
    await page.keyboard.press("End");
    const box = await (await page.$(".cropper canvas"))?.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 40, (box?.y ?? 0) + 100];
    for (let times = 0; times < 4; times += 1) {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 200, y + 5, { steps: 4 });
      await page.mouse.up();
    }
    expect(await use()).toEqual(["blue", "blue"]);
  });

  it("lets a push refresh the open page, and opens its page when it is tapped", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const page = await login(ben);
    await installed(page);
    await page
      .browserContext()
      .setPermission(base, { permission: { name: "notifications" }, state: "granted" });
    await see(page, "Your tag code");
    await s.hunt(ada, ben);
    const cdp = await page.createCDPSession();
    const registrationId = new Promise<string>((resolve) => {
      cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const own = registrations.find(({ scopeURL }) => scopeURL === `${base}/app/`);
        if (own !== undefined) resolve(own.registrationId);
      });
    });
    await cdp.send("ServiceWorker.enable");
    const notification = {
      title: "Ada tagged you",
      body: "You are a zombie.",
      navigate: "/app/inbox",
      tag: "1",
    };
    await cdp.send("ServiceWorker.deliverPushMessage", {
      origin: base,
      registrationId: await registrationId,
      data: JSON.stringify({ notification }),
    });
    // Long before the page would have asked by itself.
    await page.waitForSelector("[role=timer]", { timeout: 5_000 });
    const target = page
      .browserContext()
      .targets()
      .find((one) => one.type() === "service_worker");
    await (await target?.worker())?.evaluate(`registration.getNotifications().then(([notification]) =>
      dispatchEvent(new NotificationEvent("notificationclick", { notification })))`);
    await see(page, "You were tagged");
    expect(page.url()).toBe(`${base}/app/inbox`);
    await page.goto(`${base}/app/me`);
    await press(page, "This is wrong");
    await page.locator("dialog[open] button[type=submit]").click();
    await see(page, "Disputed: a game master decides.");
    const { disputes } = (await s.call("GET /admin/disputes/{url_id}", { as: gm })).body;
    expect(disputes).toMatchObject([{ statements: [{ side: "prey", statement: "I was not tagged." }] }]);
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

  /** How many controls a page shows, of which a group of radio buttons is one. */
  const CONTROLS = `[...document.querySelectorAll(":is(a[href], button, input, textarea, summary):not(:disabled)")]
    .filter((element) => element.checkVisibility()).length`;

  it("is used with the keyboard alone, and shows the code without a network", async () => {
    const [, , ben] = await s.game("Ada", "Ben");
    const page = await openPage("/app/login");
    await page.waitForSelector("input[name=alias]");
    for (const text of [ben.alias, ben.password]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
    await see(page, "Your tag code");
    for (const name of PAGES) {
      await page.goto(`${base}/app/${name}`);
      await page.waitForSelector("main h1", { timeout: WAIT_MS });
      await page.waitForFunction("document.querySelector('.skeleton') === null", { timeout: WAIT_MS });
      const controls = Number(await page.evaluate(CONTROLS));
      const reached = new Set<unknown>();
      for (let times = 0; times < controls; times += 1) {
        await page.keyboard.press("Tab");
        reached.add(
          await page.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)"),
        );
      }
      expect(reached.size, name).toBe(controls);
    }
    await page.goto(`${base}/app/me`);
    await installed(page);
    await setOffline(page, true);
    await page.reload();
    await see(page, "You are offline");
    const shown = `${ben.code?.slice(0, 4)} ${ben.code?.slice(4)}`;
    await page.focus(".tag-code button");
    await page.keyboard.down("Space");
    await see(page, shown);
    expect(await page.$$(".qr")).toHaveLength(1);
    await page.keyboard.up("Space");
    await page.waitForFunction("document.querySelector('.qr') === null", { timeout: WAIT_MS });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]", { timeout: WAIT_MS });
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { hidden: true, timeout: WAIT_MS });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("I was tagged");
    await setOffline(page, false);
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open] input:focus", { timeout: WAIT_MS });
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=timer]", { timeout: WAIT_MS });
  });

  it("passes axe, fits every width, and shows markup as text, on every page", async () => {
    // The longest alias without a break, right to left, and all that players and game masters may write freely.
    const [gm, ada, , zoe] = await s.game("Ada", "مرحبا بالزومبي", "W".repeat(30), "O'Neil");
    const markup = "<b>Mission</b><script>alert(1)</script><img src=x>";
    const names = { first_name: "<b>Ada</b>", last_name: "<img src=x>" };
    await s.must("POST /edit_player/{url_id}", { as: ada, body: names });
    await s.hunt(ada, zoe, { note: markup });
    const message = { title: "<b>Mission</b>", content: markup, player_groups: "All" };
    await s.must("POST /notifications/send/{url_id}", { as: gm, body: message });
    const checkpoint = { name: "<b>Library</b>", description: markup };
    await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: checkpoint });
    const settings = { name: "<b>Game</b>", description: markup, rules: markup };
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: settings });
    await s.pass(HOUR);
    const page = await login(ada);
    await expectFit(page, ["/", ...PAGES.map((name) => `/app/${name}`), "/app/join", "/app/login"]);
  });
});
