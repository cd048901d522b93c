/** The web app in Firefox: notifications, which Firefox decrypts and shows, and scripts that are turned away. */
import type { Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { subscriptionsOf } from "../../lib/store/notifications/subscriptions.ts";
import { type BrowserPush, startBrowserPush } from "../support/browserPush.ts";
import { startBusyGateway } from "../support/busyGateway.ts";
import { FIREFOX, type Firefox, startFirefox } from "../support/firefox.ts";
import { expectOnly } from "../support/pageFaults.ts";
import { running } from "../support/running.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { BASE, press, see, TIMEOUT, WAIT_MS, webPages } from "../support/webPages.ts";

// In CI these tests are required, so they fail if Firefox is missing.
const s = testEnvironment();
const { confirm, fill, login } = webPages();
let push: BrowserPush;
let firefox: Firefox;
beforeAll(async () => {
  const { port, ...certificate } = running().push;
  push = await startBrowserPush(certificate, port);
  firefox = await startFirefox(push.socketUrl);
});
afterAll(async () => {
  await firefox?.stop();
  push?.stop();
});

afterEach(async ({ task }) => {
  const faults = firefox.faults.splice(0);
  // What a failed attempt has turned on would be in the way of its repetition, and of the next tests.
  if (task.result?.state === "fail" || faults.length > 0) {
    await firefox.stop();
    firefox = await startFirefox(push.socketUrl);
  }
  expectOnly([], faults);
});

/** Opens a page in Firefox by the form for the login. */
const logIn = async (url: string, { alias, password }: TestPlayer): Promise<Page> => {
  const page = await firefox.open(url);
  await page.locator("input[name=alias]").setTimeout(WAIT_MS).fill(alias);
  await page.locator("input[name=password]").fill(password);
  await press(page, "Log in");
  return page;
};
/** Opens the profile, and turns notifications on. */
const turnOn = async (player: TestPlayer): Promise<Page> => {
  const page = await logIn(`${BASE}/app/login?to=/app/profile`, player);
  await press(page, "Turn on notifications");
  await see(page, "This device gets notifications.");
  return page;
};
/** The notifications that are shown. */
const shownOn = (page: Page) => () =>
  page.evaluate(`navigator.serviceWorker.getRegistration("/app/")
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body }) => ({ title, body })))`);

const inFirefox = it.skipIf(FIREFOX === undefined && process.env.CI === undefined);

inFirefox(
  "in Firefox, which remembers failed imports, pages wait for scripts that are turned away",
  async () => {
    const gateway = await startBusyGateway();
    gateway.refusals = 2;
    const gm = await s.admin();
    const page = await logIn(`${gateway.base}/app/login?to=/app/gm/now`, gm);
    await page.waitForSelector(".gm main h1", TIMEOUT);
  },
);

inFirefox(
  "in Firefox a player logs in and turns notifications on; the open page turns at the hunter's tap, and each notification is shown once",
  async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const page = await turnOn(ben);
    // Without the poll, only a push can tell the page.
    await page.evaluateOnNewDocument(
      "{ const every = setInterval; setInterval = (work, ms) => (ms < 15_000 ? every(work, ms) : 0); }",
    );
    await page.goto(`${BASE}/app/me`);
    await see(page, "Your tag code");
    const hunter = await login(ada, "/app/tag");
    await fill(hunter, { tag_code: ben.code ?? "" });
    expect(await page.$("dialog.turning")).toBeNull();
    await press(hunter, "Report the tag");
    await see(hunter, "You tagged Ben");
    await page.waitForSelector("dialog.turning[open]", TIMEOUT);
    await see(page, "Ada tagged you");
    await see(page, "Show my countdown");
    const shown = shownOn(page);
    const tagged = { title: expect.stringContaining("tagged"), body: expect.any(String) };
    await expect.poll(shown, TIMEOUT).toEqual([tagged]);
    const sent = "Ünruhe 🧟 <b>»Sperrstunde«";
    const news = { title: `Game masters: ${sent}`, body: "Am Fluß\num 9 — sei da! 🧟‍♀️ 屍" };
    const body = { title: sent, content: news.body, player_groups: "All" };
    await s.must("POST /notifications/send/{url_id}", { as: gm, body });
    await expect.poll(shown, TIMEOUT).toEqual(expect.arrayContaining([tagged, news]));
    // The service worker runs again; the tag of the notification replaces the one that is shown.
    expect(await push.repeatLast()).toBe(100);
    await page.goto(`${BASE}/app/inbox`);
    await see(page, "Sperrstunde");
    expect(await shown()).toHaveLength(2);
    await page.goto(`${BASE}/app/profile`);
    await press(page, "Turn off on this device");
    await see(page, "Turn on notifications");
  },
);

inFirefox(
  "in Firefox a game master has the checklist send a test message, which this device shows",
  async () => {
    const gm = await s.admin();
    await s.join("Ada");
    const page = await turnOn(gm);
    await page.goto(`${BASE}/app/gm/now`);
    await press(page, "Send me a test message");
    await confirm(page, "Send");
    await page.waitForSelector("[data-item=test][data-done=done]", TIMEOUT);
    const shown = shownOn(page);
    await expect
      .poll(shown, TIMEOUT)
      .toEqual([{ title: "Game masters: Test message", body: "Notifications reach this device." }]);
    const { reachable } = (
      await s.must("GET /admin/player_count/{url_id}", { as: gm, query: { audience: "label:test-message" } })
    ).body;
    expect(reachable).toBe(1);
    // Its worker would subscribe again, as whoever logs in next at another port of this host.
    await page.evaluate(
      `navigator.serviceWorker.getRegistration("/app/").then((registration) => registration.unregister())`,
    );
  },
);

inFirefox(
  "in Firefox the service worker subscribes again when the browser has dropped the subscription",
  async () => {
    const [, , ben] = await s.game("Ada", "Ben");
    await turnOn(ben);
    const endpoints = async () => (await subscriptionsOf(s.store.db, ben.id)).map(({ endpoint }) => endpoint);
    expect(await endpoints()).toHaveLength(1);
    push.disconnect();
    await expect.poll(endpoints, TIMEOUT).toHaveLength(2);
  },
);
