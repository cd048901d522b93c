/** The web app in a real Chromium, with the service behind it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { HTTPResponse, Page } from "puppeteer-core";
import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import { DAY } from "../../lib/domain/time.ts";
import { startChromium } from "../../scripts/cli/chromium.ts";
import { share } from "../support/browsers.ts";
import { CAMERA, film } from "../support/camera.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { useTempDir } from "../support/tempDir.ts";
import {
  deliverPush,
  describeInChromium,
  setOffline,
  TIMEOUT,
  WAIT_MS,
  webPages,
} from "../support/webPages.ts";

/** The whole browser: its engine alone has neither a camera nor a push service. */
const withCamera = share(() => startChromium(CAMERA));

describeInChromium("the web app, in Chromium", () => {
  const s = testEnvironment();
  const { base, openPage, see, fill, press, login } = webPages();
  const { login: loginWithCamera } = webPages(withCamera);
  const temp = useTempDir();
  const { done } = shortRequests(s);

  const enterTag = async (page: Page, code: string | null): Promise<void> => {
    await fill(page, { tag_code: code ?? "" });
    await press(page, "Report the tag");
  };
  const enter = async (page: Page, { alias, password }: TestPlayer, label = "Log in"): Promise<void> => {
    await fill(page, { alias, password });
    await press(page, label);
  };
  /** A code as a page shows it. */
  const spaced = (code: string | null) => `${code?.slice(0, 4)} ${code?.slice(4)}`;

  /** Waits until the service worker is active. */
  const installed = (page: Page) => page.evaluate("navigator.serviceWorker.ready.then(() => {})");

  it("lets a newcomer join by a link, names what is wrong, offers the installation only afterwards, and deletes the account", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { join_codes: [{ code: "spring-7" }] });
    const page = await openPage("/app/join?code=autumn-7");
    const nadia = { ...gm, alias: "Nadia", password: "a longer password" };
    await enter(page, { ...nadia, password: "short" }, "Join");
    await see(page, "The password must have 8 to 128 characters.");
    await enter(page, nadia, "Join");
    await see(page, "The join code is not one of this game.");
    const install = "dispatchEvent(new Event('beforeinstallprompt', { cancelable: true }))";
    const text = () => page.evaluate("document.body.textContent");
    // The page suppresses the browser's own prompt.
    expect(await page.evaluate(install)).toBe(false);
    expect(await text()).not.toContain("Install");
    await page.goto(`${base}/app/join?code=spring-7`);
    await enter(page, nadia, "Join");
    await see(page, "Your tag code");
    await page.evaluate(install);
    await see(page, "Install the app");
    await press(page, "Not now");
    expect(await text()).not.toContain("Install");
    // No script can read the session.
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.goto(`${base}/app/profile`);
    for (const label of ["Being fed", "I would like to be one of the first"])
      await page.locator(`::-p-xpath(//label[contains(., "${label}")])`).click();
    const stored = async () => (await s.call("GET /admin/get_players/{url_id}", { as: gm })).body.players[1];
    const changed = { wants_original: true, push_kinds: expect.not.arrayContaining(["fed"]) };
    await expect.poll(stored, TIMEOUT).toMatchObject(changed);
    await press(page, "Delete my account");
    await fill(page, { confirm: "Nadia" });
    await page.locator("dialog[open] button[type=submit]").click();
    await see(page, "How it works");
    expect(await stored()).toBeUndefined();
  });

  /** Everything that the browser stores for the origin, as text. */
  const STORED = `indexedDB.databases().then(async (all) => {
    const contents = all.map(({ name }) => new Promise((resolve) => {
      indexedDB.open(name).onsuccess = ({ target: { result } }) => {
        const stores = [...result.objectStoreNames];
        Promise.all(stores.map((store) => new Promise((done) => {
          const values = result.transaction(store).objectStore(store).getAll();
          values.onsuccess = () => done(JSON.stringify(values.result));
        }))).then(resolve);
      };
    }));
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, await Promise.all(contents)]);
  })`;

  it("keeps no token that was typed at /docs, neither of this version nor of an earlier one, after the logout", async () => {
    const [gm] = await s.game("Ada");
    const page = await openPage("/app/login");
    await enter(page, gm);
    await page.waitForSelector("nav", TIMEOUT);
    const type = async (token: string) => {
      await page.goto(`${base}/docs`);
      const input = page.locator("input[placeholder^=QUxM]").setTimeout(WAIT_MS);
      await input.fill(token);
      // Scalar stores what is typed a moment later.
      await sleep(1_000);
    };
    await type("typed-before-logout");
    expect(await page.evaluate(STORED)).not.toContain("typed-before-logout");
    const leave = `localStorage.setItem("scalar-reference-auth-api-1", '{"secrets":"typed-last-season"}')`;
    await page.goto(`${base}/app/profile`);
    await page.evaluate(leave);
    await press(page, "Log out");
    await see(page, "Join the game");
    const all = await page.evaluate(STORED);
    expect(all).not.toMatch(/typed-|scalar-reference-auth/);
    // Somebody who never logged out with this version opens the page again.
    await page.evaluate(leave);
    await type("typed-after-logout");
    expect(await page.evaluate(STORED)).not.toMatch(/typed-|scalar-reference-auth/);
  });

  /** The names of the pages that are kept to be shown without a network. */
  const KEPT = `indexedDB.databases().then((all) =>
    all.some(({ name }) => name === "last-known") ? new Promise((resolve) => {
      indexedDB.open("last-known").onsuccess = ({ target: { result } }) => {
        const names = result.transaction("pages").objectStore("pages").getAllKeys();
        names.onsuccess = () => resolve(names.result);
      };
    }) : [])`;
  const kept = (page: Page) => expect.poll(() => page.evaluate(KEPT), TIMEOUT);

  it("opens without a network after the browser was restarted, and sends the tag once on return", async () => {
    const [gm, ada, ben, cy] = await s.game("Ada", "Ben", "Cy");
    await s.hunt(ada, cy);
    const message = { title: "Mission", content: "Meet at the library.", player_groups: "All" };
    await s.must("POST /notifications/send/{url_id}", { as: gm, body: message });
    const texts = { rules: "# Be kind", safe_places: "- The library", contact: "gm@hvz.example" };
    await done(gm, "settings", texts);
    const profile = temp("phone");
    // Two origins on one phone: one of a zombie with a tag to send, one of a human with a code to show.
    const [zombies, humans] = [base, base.replace("localhost", "127.0.0.1")];
    const start = async (options: readonly string[] = []) => {
      const { browser, stop } = await startChromium(options, profile);
      // Also if the test fails before.
      onTestFinished(stop);
      return { page: await browser.newPage(), stop };
    };
    const first = await start();
    for (const someone of [ben, ada]) {
      await first.page.goto(`${someone === ben ? humans : zombies}/app/login`);
      await enter(first.page, someone);
      await first.page.waitForSelector("nav", TIMEOUT);
      await installed(first.page);
    }
    const seen = { feed: "Ada tagged Cy", inbox: "Meet at the library.", outbreak: "2 infections" };
    for (const [name, text] of Object.entries({ ...seen, rules: "gm@hvz.example" })) {
      await first.page.goto(`${zombies}/app/${name}`);
      await see(first.page, text);
      await kept(first.page).toContain(name === "rules" ? "game" : name);
    }
    await first.page.goto(`${zombies}/app/me`);
    await kept(first.page).toContain("history");
    await first.page.goto(`${zombies}/app/tag`);
    await see(first.page, "h left");
    await setOffline(first.page, true);
    await enterTag(first.page, ben.code);
    await see(first.page, "Waiting for a network");
    await enterTag(first.page, "ZZZZZZZZ");
    await first.page.waitForFunction("document.querySelectorAll('.queued').length === 2", TIMEOUT);
    await first.stop();
    // With a proxy that does not exist, pages and their service workers have no network.
    const cut = await start(["--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>"]);
    await cut.page.goto(`${humans}/app/me`);
    await see(cut.page, "You are offline");
    await cut.page.focus(".tag-code button");
    await cut.page.keyboard.down("Space");
    await see(cut.page, spaced(ben.code));
    // It is drawn too: an empty canvas is 300 pixels wide.
    await cut.page.waitForFunction("document.querySelector('.qr')?.width < 100", TIMEOUT);
    await cut.page.goto(`${zombies}/app/me`);
    await see(cut.page, "2 codes are not recorded yet");
    for (const [name, text] of Object.entries({ ...seen, rules: "The library", me: "Ada tagged Cy" })) {
      await cut.page.goto(`${zombies}/app/${name}`);
      await see(cut.page, text);
      await see(cut.page, "You are offline. This is from today at");
    }
    await cut.stop();
    expect(await s.see(ben)).toMatchObject({ state: "human" });
    const back = await start();
    await back.page.goto(`${zombies}/app/me`);
    await expect.poll(async () => (await s.see(ben)).state, TIMEOUT).toBe("zombie");
    expect(await s.see(ada)).toMatchObject({ kills: 2 });
    await back.page.goto(`${zombies}/app/tag`);
    await see(back.page, "No player has this tag code.");
    expect(await back.page.$$(".queued")).toHaveLength(1);
    // After the logout nothing of the game is left on the phone.
    await back.page.goto(`${zombies}/app/profile`);
    await press(back.page, "Log out");
    await see(back.page, "Join the game");
    await kept(back.page).toEqual([]);
    await back.stop();
  });

  it("shows the time left through pauses and nights, even if the phone's clock is wrong", async () => {
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
    /** The countdown in seconds, once the page shows `text`. Expects it to be right within two seconds. */
    const timer = async (text: string): Promise<number> => {
      await page.goto(`${base}/app/me`);
      await see(page, text);
      await expect.poll(error, TIMEOUT).toBeLessThanOrEqual(2);
      return shownSeconds();
    };
    const stopped = async (text: string): Promise<void> => {
      const before = await timer(text);
      await sleep(1_300);
      expect(await shownSeconds()).toBe(before);
    };
    await timer("until you starve");
    await done(gm, "pause_game");
    await stopped("The clock is stopped");
    await done(gm, "resume_game");
    await timer("until you starve");
    const options = { weekday: "long", timeZone: "UTC" } as const;
    const later = new Date(Date.now() + 3 * DAY).toLocaleDateString("en", options).toLowerCase();
    await done(gm, "settings", { play_hours: { [later]: [["08:00", "22:00"]] } });
    await stopped("Play resumes");
    await done(gm, "settings", { play_hours: null });
    await timer("until you starve");
    await page.goto(`${base}/app/tag`);
    await enterTag(page, spaced(ben.code).toLowerCase());
    await see(page, "You tagged Ben");
    await press(page, "Enter another");
  });

  it("reads a code from the camera in script, and shows the tag on the victim's open page", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const victim = await login(ben);
    // It asks every second and a half for what is new, rather than every fifteen seconds.
    await victim.evaluateOnNewDocument(
      "{ const every = setInterval; setInterval = (work, ms) => every(work, ms / 10); }",
    );
    await victim.reload();
    await see(victim, "Your tag code");
    film(ben.code ?? "");
    const page = await loginWithCamera(ada, "/app/tag");
    await page.evaluateOnNewDocument("delete globalThis.BarcodeDetector");
    await page.reload();
    await press(page, "Scan the code");
    const typed = `document.querySelector("input[name=tag_code]").value === "${ben.code}"`;
    await page.waitForFunction(typed, TIMEOUT);
    await press(page, "Report the tag");
    await see(page, "You tagged Ben");
    await victim.waitForSelector("dialog.turning[open]", TIMEOUT);
    await see(victim, "Ada tagged you");
    await victim.waitForSelector("main [role=timer]", TIMEOUT);
  });

  it("redeems a slip by the address of its QR code, offline too, once, and shows what it gave", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const badge = { name: "Scavenger", symbol: "*" };
    const batch = await done(gm, "create_codes", {
      ...{ label: "Clock tower", n: 2, effect: { points: 2, badge, message: "Look up." } },
      ...{ audience: "all", uses: 9, uses_per_player: 9 },
    });
    const [first, second] = batch.codes.map(({ code }: { code: string }) => code);
    // The camera of the phone opens the address before the player has logged in.
    const page = await openPage(`/app/tag#code=${first}`);
    await enter(page, ben);
    await page.waitForFunction(
      `document.querySelector("input[name=tag_code]")?.value === "${first}"`,
      TIMEOUT,
    );
    expect(page.url()).toBe(`${base}/app/tag`);
    await installed(page);
    await setOffline(page, true);
    await press(page, "Redeem the code");
    await see(page, "Waiting for a network");
    const entered = Date.now();
    await setOffline(page, false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expect.poll(async () => (await s.see(ben)).points, TIMEOUT).toBe(2);
    const { interactions } = (await s.call("GET /interactions/{url_id}", { as: ben })).body;
    expect(Date.parse(interactions[0].at)).toBeLessThanOrEqual(entered);
    await page.goto(`${base}/app/tag`);
    await see(page, "Found a supply code?");
    await page.waitForFunction("document.querySelector('.queued') === null", TIMEOUT);
    const redeem = async (code: string): Promise<void> => {
      await fill(page, { tag_code: code });
      await press(page, "Redeem the code");
    };
    await redeem(first);
    await see(page, "You have redeemed this before");
    await press(page, "Enter another");
    await redeem(second);
    for (const text of ["New badge", "+2 points", "Look up.", "You have 4 points."]) await see(page, text);
    await done(gm, "revoke_codes", { batch_id: batch.batch_id });
    const other = await login(ada, `/app/players/${(await s.see(ben)).player_ref}`);
    await see(other, "* Scavenger");
    await other.goto(`${base}/app/board`);
    await press(other, "Points");
    await see(other, "4 points");
    await other.goto(`${base}/app/tag`);
    await fill(other, { tag_code: first });
    await press(other, "Redeem the code");
    await see(other, "You cannot redeem this code now");
    for (const [path, text] of [
      ["me", "Ben redeemed a supply code"],
      ["profile", "Points and badges"],
    ]) {
      await page.goto(`${base}/app/${path}`);
      await see(page, text ?? "");
    }
  });

  it("uploads the part of a photograph that a player has chosen, upright and small", async () => {
    const ada = await s.join("Ada");
    const page = await login(ada, "/app/profile");
    // As a phone stores it: lying on its side. Upright, the left half is blue and the right half is red.
    const halves = `<rect width="900" height="900" fill="red"/><rect y="900" width="900" height="900" fill="blue"/>`;
    const lying = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="1800">${halves}</svg>`;
    await sharp(Buffer.from(lying)).withMetadata({ orientation: 6 }).jpeg().toFile(temp("photograph.jpg"));
    /** The colours of the left and the right half of the part that is used after a gesture. */
    const crop = async (gesture: () => Promise<unknown>): Promise<string[]> => {
      const { picture_url: before } = await s.see(ada);
      const pressed = page.locator("label.button").setTimeout(WAIT_MS).click();
      const [chooser] = await Promise.all([page.waitForFileChooser(), pressed]);
      await chooser.accept([temp("photograph.jpg")]);
      await page.waitForSelector(".cropper", TIMEOUT);
      await gesture();
      await press(page, "Use this part");
      await expect.poll(async () => (await s.see(ada)).picture_url, TIMEOUT).not.toBe(before);
      const { picture_url } = await s.see(ada);
      const picture = sharp(await (await fetch(`${base}${picture_url}`)).arrayBuffer());
      const { width = 0, height } = await picture.metadata();
      expect(width).toBe(height);
      expect(width).toBeLessThanOrEqual(512);
      const halves = await picture.resize(2, 1, { fit: "fill" }).removeAlpha().raw().toBuffer();
      return [0, 3].map((at) => ((halves[at] ?? 0) > 128 ? "red" : "blue"));
    };
    expect(await crop(async () => {})).toEqual(["blue", "red"]);
    const byKeyboard = async () => {
      await page.focus(".cropper");
      for (let times = 0; times < 9; times += 1) await page.keyboard.press("ArrowRight");
    };
    expect(await crop(byKeyboard)).toEqual(["red", "red"]);
    // The slider makes room to drag the photograph.
    const byMouse = async () => {
      await page.focus("input[name=zoom]");
      await page.keyboard.press("End");
      const { x = 0, y = 0 } = (await (await page.$(".cropper canvas"))?.boundingBox()) ?? {};
      for (let times = 0; times < 4; times += 1) {
        await page.mouse.move(x + 40, y + 100);
        await page.mouse.down();
        await page.mouse.move(x + 240, y + 105, { steps: 4 });
        await page.mouse.up();
      }
    };
    expect(await crop(byMouse)).toEqual(["blue", "blue"]);
  });

  it("has the photograph that was chosen last, whichever is decoded or sent first", async () => {
    const ada = await s.join("Ada");
    const page = await login(ada, "/app/profile");
    // The first photograph is decoded, and the first picture is answered, when the test says so.
    await page.evaluate(`{
      const holdFirst = (work, isMeant, held) => {
        const until = new Promise((release) => { globalThis[held] = release; });
        let isFirst = true;
        return async (...given) => {
          const mustWait = isFirst && isMeant(given[0]);
          isFirst &&= !mustWait;
          const done = await work(...given);
          if (mustWait) await until;
          return done;
        };
      };
      createImageBitmap = holdFirst(createImageBitmap, () => true, "decodeFirst");
      fetch = holdFirst(fetch, (url) => String(url).includes("set_pfp"), "answerFirst");
    }`);
    const choose = async (colour: string): Promise<void> => {
      const background = colour;
      await sharp({ create: { width: 600, height: 600, channels: 3, background } }).toFile(
        temp(`${colour}.png`),
      );
      const input = await page.waitForSelector("input[type=file]", TIMEOUT);
      await Object(input).uploadFile(temp(`${colour}.png`));
    };
    const use = async (): Promise<void> => {
      await press(page, "Use this part");
      await page.waitForFunction("document.querySelector('.cropper') === null", TIMEOUT);
    };
    const pictureOf = async (): Promise<string> => {
      const { picture_url } = await s.see(ada);
      if (picture_url === null) return "none";
      const { dominant } = await sharp(await (await fetch(`${base}${picture_url}`)).arrayBuffer()).stats();
      return dominant.r > 200 ? "red" : dominant.b > 200 ? "blue" : "green";
    };
    for (const colour of ["red", "blue"]) await choose(colour);
    await page.waitForSelector(".cropper", TIMEOUT);
    await page.evaluate("decodeFirst(); new Promise((drawn) => setTimeout(drawn, 300))");
    await use();
    await expect.poll(pictureOf, TIMEOUT).toBe("blue");
    await choose("green");
    await page.waitForSelector(".cropper", TIMEOUT);
    await use();
    await page.evaluate("answerFirst()");
    await expect.poll(pictureOf, TIMEOUT).toBe("green");
  });

  it("refreshes the open page at a push, and opens the push's page when its notification is tapped", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const page = await loginWithCamera(ben);
    await installed(page);
    const granted = { permission: { name: "notifications" }, state: "granted" } as const;
    await page.browserContext().setPermission(base, granted);
    await see(page, "Your tag code");
    await s.hunt(ada, ben);
    const text = { title: "Ada tagged you", body: "You are a zombie." };
    await deliverPush(page, { ...text, navigate: "/app/inbox", tag: "1" });
    // Long before the page polls again.
    await page.waitForSelector("[role=timer]", { timeout: 5_000 });
    const targets = page.browserContext().targets();
    const worker = await targets.find((one) => one.type() === "service_worker")?.worker();
    await worker?.evaluate(`registration.getNotifications().then(([notification]) =>
      dispatchEvent(new NotificationEvent("notificationclick", { notification })))`);
    await see(page, "You were tagged");
    expect(page.url()).toBe(`${base}/app/inbox`);
    await page.goto(`${base}/app/me`);
    await press(page, "Dispute this tag");
    await page.waitForSelector("dialog[open] input[type=radio]", TIMEOUT);
    // On a phone, too, each reason is beside its button.
    const below = `[...document.querySelectorAll("dialog[open] label.row")].filter((label) => {
      const [button, text] = [...label.children].map((one) => one.getBoundingClientRect());
      return text === undefined || text.left < button.right;
    }).length`;
    expect(await page.evaluate(below)).toBe(0);
    await page.locator("dialog[open] button[type=submit]").click();
    await see(page, "Disputed: a game master decides.");
    const { disputes } = (await s.call("GET /admin/disputes/{url_id}", { as: gm })).body;
    expect(disputes).toMatchObject([{ statements: [{ side: "prey", statement: "I was not tagged." }] }]);
  });

  it("lets a newcomer register at /docs, and go on there as that player", async () => {
    const page = await openPage("/health");
    await page.setViewport({ width: 1_280, height: 900 });
    const click = (text: string) =>
      page.locator(`::-p-xpath(//button[contains(., "${text}")])`).setTimeout(WAIT_MS).click();
    /** Opens an operation, sends its example, and returns the response that the page gets. */
    const tryIt = async (tag: string, path: string) => {
      // Another page comes between, because a new fragment alone does not load the page again.
      await page.goto(`${base}/health`);
      await page.goto(`${base}/docs#tag/${tag}/POST${path}`, { waitUntil: "domcontentloaded" });
      await click(`Test Request(post ${path})`);
      await page.waitForSelector(".cm-content[contenteditable=true]", TIMEOUT);
      const url = `${base}${path.replace("{url_id}", "me")}`;
      const isAnswer = (one: HTTPResponse) => one.request().method() === "POST" && one.url() === url;
      const [response] = await Promise.all([
        page.waitForResponse(isAnswer, TIMEOUT),
        click("Send post request"),
      ]);
      return { status: response.status(), body: await response.json() };
    };
    const registered = { status: 201, body: { alias: "Eve", state: "human" } };
    expect(await tryIt("accounts", "/new")).toMatchObject(registered);
    const rejected = { status: 409, body: { code: "wrong_state" } };
    expect(await tryIt("zombies", "/zombie/hunt/{url_id}")).toMatchObject(rejected);
  });

  it("can be used with the keyboard alone", async () => {
    const [, , ben] = await s.game("Ada", "Ben");
    const page = await openPage("/app/login");
    await page.waitForSelector("input[name=alias]");
    for (const text of [ben.alias, ben.password]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
    await see(page, "Your tag code");
    await page.focus(".tag-code button");
    // Past the button for those who cannot hold one.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]", TIMEOUT);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { hidden: true, ...TIMEOUT });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("I was tagged");
    // A dialog that was closed can be opened again at once.
    for (let n = 0; n < 5; n += 1) {
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog[open] input:focus", TIMEOUT);
      await page.keyboard.press("Escape");
    }
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open] input:focus", TIMEOUT);
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=timer]", TIMEOUT);
  });
});
