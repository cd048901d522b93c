/** First visits in Chromium: with the ten concurrent executions of a new AWS account, and how much they ask for at once. */
import type { Page } from "puppeteer-core";
import { expect, it, onTestFinished } from "vitest";
import { sharedChromium } from "../support/browsers.ts";
import { startBusyGateway } from "../support/busyGateway.ts";
import { npmStart } from "../support/npmStart.ts";
import { honest } from "../support/pictures.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";
import { describeInChromium, press, see, TIMEOUT, WAIT_MS } from "../support/webPages.ts";

/** Collects what a visitor must not see: an error of the app, and the gateway's message in place of the page. */
const WATCH = `{
  globalThis.seen = [];
  const look = () => {
    for (const note of document.querySelectorAll(".error-note, body > [role=alert]")) seen.push(note.textContent);
    if (document.body?.textContent.includes("Service Unavailable")) seen.push("Service Unavailable");
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
  addEventListener("DOMContentLoaded", look);
}`;

/** Makes the waits of the service worker short. */
const HURRY = "{ const wait = setTimeout; setTimeout = (work, ms) => wait(work, ms / 20); }\n";

const INSTALLED = "navigator.serviceWorker.getRegistration('/app/').then((it) => it?.active?.state)";

describeInChromium("first visits, in Chromium,", () => {
  /** A page with a fresh profile. */
  const newPage = async (faults: string[]): Promise<Page> => {
    const context = await (await sharedChromium()).createBrowserContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.setViewport({ width: 360, height: 740 });
    page.on("pageerror", (error) => faults.push(String(error)));
    await page.evaluateOnNewDocument(WATCH);
    return page;
  };

  const submit = async (page: Page, fields: Record<string, string>, button: string): Promise<void> => {
    for (const [name, value] of Object.entries(fields))
      await page.locator(`input[name=${name}]`).setTimeout(WAIT_MS).fill(value);
    await press(page, button);
  };

  const join = (page: Page, alias: string): Promise<void> =>
    submit(page, { alias, password: "a longer password" }, "Join");

  /** Waits until a page shows what it is for. */
  const useful = async (page: Page, selector: string): Promise<void> => {
    await page.waitForSelector(selector, TIMEOUT);
    await page.waitForFunction("document.querySelector('.skeleton') === null", TIMEOUT);
  };

  const s = testEnvironment();
  const temp = useTempDir();

  it("three at once get in with ten executions and cold starts, and nothing that failed is visible", async () => {
    const limits = { LAMBDA_CONCURRENCY: "10", COLD_START_MS: "800" };
    const service = await npmStart({ GAME_FILE: temp("ten.db"), LOG_LEVEL: "INFO", ...limits });
    onTestFinished(() => void service.stop());
    const base = service.base.replace("127.0.0.1", "localhost");
    const faults: string[] = [];
    const visitors = await Promise.all(Array.from({ length: 3 }, () => newPage(faults)));
    const enter = async (page: Page, n: number): Promise<void> => {
      await page.goto(`${base}/`, { waitUntil: "domcontentloaded" });
      await useful(page, ".landing-ways a");
      await expect.poll(() => page.evaluate(INSTALLED), TIMEOUT).toBe("activated");
      await press(page, "Join the game");
      await join(page, `Visitor ${n}`);
      await see(page, "Your tag code");
    };
    await Promise.all(visitors.map(enter));
    for (const page of visitors) expect(await page.evaluate("seen")).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("a stranger is the game master of a new service, and a player of it, from the address that it prints", async () => {
    const GAME_FILE = temp("first.db");
    const start = async () => {
      const service = await npmStart({ GAME_FILE });
      await expect.poll(service.output, TIMEOUT).toContain("Ctrl-C stops the service.");
      return { ...service, address: service.output().match(/http:\S+\/app\/setup#[\w-]{22}$/m)?.[0] ?? null };
    };
    // A start without a game master prints a new address, and the last one works.
    const before = await start();
    expect(await before.stop()).toBe(0);
    const { base, address, stop, output } = await start();
    expect(output()).toMatch(/^Starting the database \.\.\.\n/);
    expect(address).toMatch(base);
    expect(address?.split("#")[1]).not.toBe(before.address?.split("#")[1]);
    const faults: string[] = [];
    const [gm, late] = [await newPage(faults), await newPage(faults)];
    for (const page of [gm, late]) await page.goto(address ?? "");
    // An address that no longer works says so when it is opened.
    const stale = await newPage(faults);
    await stale.goto(`${base}/app/setup#${before.address?.split("#")[1]}`);
    await see(stale, "This address does not work");
    const taking = { password: "masters of the game" };
    await submit(gm, { alias: "Gil", ...taking }, "Become the game master");
    await gm.waitForFunction("location.pathname === '/app/gm/now'", TIMEOUT);
    await submit(late, { alias: "Mal", ...taking }, "Become the game master");
    await see(late, "This address has been used");
    await stale.goto("about:blank");
    await stale.goto(address ?? "");
    await see(stale, "This address has been used");
    // The checklist leads to the link, and a player joins with it: four clicks since the address was opened.
    const stateOf = (name: string) =>
      gm.$eval(`[data-item=${name}]`, (item) => item.getAttribute("data-done"));
    await see(gm, "Before the start: 8 things to do");
    expect(await gm.evaluate("document.querySelector('main').textContent")).not.toMatch(
      /is on|Nothing needs/,
    );
    // Each leads to where it is done.
    for (const [name, form] of [
      ["texts", "textarea[name=rules]"],
      ["zone", "input[name=time_zone]"],
      ["dates", "input[name=starts_at]"],
      ["hours", "select[name=hours]"],
      ["players", "select[name=registration]"],
      ["helpers", "table.players tbody a"],
      ["originals", "input[name=n]"],
      ["test", "fieldset input[type=checkbox]"],
    ]) {
      // The bar at the bottom may cover it.
      await gm.$eval(`[data-item=${name}] > a`, (link) => link.click());
      await gm.waitForSelector(`main ${form}`, { ...TIMEOUT, visible: true });
      await gm.goBack();
      await gm.waitForSelector(`[data-item=${name}]`, TIMEOUT);
    }
    await gm.$eval("[data-item=players] summary", (summary) => summary.click());
    await gm.locator("input[name=address]").fill("hvz.example");
    await see(gm, "https://hvz.example/app/join");
    await press(gm, "Skip");
    expect([await stateOf("texts"), await stateOf("players")]).toEqual(["skipped", "open"]);
    const player = await newPage(faults);
    await player.goto(`${base}/app/join`);
    await join(player, "Ada");
    await see(player, "Your tag code");
    await gm.reload();
    await gm.waitForSelector("[data-item=players][data-done=done]", TIMEOUT);
    expect(await stateOf("texts")).toBe("skipped");
    const [, secret = ""] = address?.split("#") ?? [];
    expect(output().split(secret)).toHaveLength(2);
    expect(await stop()).toBe(0);
    const after = await start();
    expect(after.address).toBeNull();
    expect(await after.stop()).toBe(0);
    expect(faults).toEqual([]);
  });

  const login = async (page: Page, url: string, { alias, password }: TestPlayer): Promise<void> => {
    await page.goto(url, { waitUntil: "domcontentloaded" });
    await submit(page, { alias, password }, "Log in");
  };

  it("need at most four requests at once, for a player and for a game master", async () => {
    const gateway = await startBusyGateway();
    const faults: string[] = [];
    const gm = await s.admin();
    const measured: Record<string, { most: number; mostOfInstallations: number; count: number }> = {};
    const measure = (name: string): void => {
      const { most, mostOfInstallations, count } = gateway;
      measured[name] = { most, mostOfInstallations, count };
      gateway.reset();
    };
    const page = await newPage(faults);
    await page.goto(`${gateway.base}/`, { waitUntil: "domcontentloaded" });
    await useful(page, ".landing-ways a");
    await page.waitForFunction("[...document.fonts].some(({ status }) => status === 'loaded')", TIMEOUT);
    measure("first page");
    await expect.poll(() => page.evaluate(INSTALLED), TIMEOUT).toBe("activated");
    measure("installation");
    await press(page, "Join the game");
    await join(page, "Nadia");
    await see(page, "Your tag code");
    await useful(page, "main h1");
    measure("joining");
    await page.close();
    const other = await newPage(faults);
    await login(other, `${gateway.base}/app/login?to=/app/gm/now`, gm);
    await useful(other, ".gm main h1");
    measure("game master");
    for (const [name, { most, mostOfInstallations }] of Object.entries(measured)) {
      expect(most, name).toBeLessThanOrEqual(4);
      expect(mostOfInstallations, name).toBeLessThanOrEqual(2);
    }
    expect(measured.installation?.mostOfInstallations).toBe(2);
    // The page, its script, its style sheet, the display face and the state of the game.
    expect(measured["first page"]?.count).toBe(5);
    expect(faults).toEqual([]);
  });

  it("wait for whatever the gateway turns away, show that they wait, and send nothing twice", async () => {
    const gateway = await startBusyGateway();
    gateway.refusals = 2;
    gateway.workerScript = HURRY;
    const faults: string[] = [];
    const [gm, ada] = await s.game("Ada");
    await s.must("POST /set_pfp/{url_id}", {
      as: ada,
      raw: { body: await honest.png(), type: "application/octet-stream" },
    });
    const page = await newPage(faults);
    await page.goto(`${gateway.base}/app/join`, { waitUntil: "domcontentloaded" });
    await join(page, "Nadia");
    await see(page, "The service is busy.");
    // What was entered stays.
    expect(await page.$eval("input[name=alias]", (input) => input.value)).toBe("Nadia");
    await see(page, "Your tag code");
    expect(gateway.served.filter((what) => what === "POST /new")).toHaveLength(1);
    await expect.poll(() => page.evaluate(INSTALLED), TIMEOUT).toBe("activated");
    await page.goto(`${gateway.base}/app/players`);
    await page.waitForFunction("[...document.images].some((image) => image.naturalWidth > 0)", TIMEOUT);
    const other = await newPage(faults);
    await login(other, `${gateway.base}/app/login?to=/app/gm/now`, gm);
    await useful(other, ".gm main h1");
    await expect.poll(() => other.evaluate(INSTALLED), TIMEOUT).toBe("activated");
    for (const shown of [page, other]) expect(await shown.evaluate("seen")).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("leave no half of an installation behind, and fetch only the rest of it the next time", async () => {
    const gateway = await startBusyGateway();
    gateway.broken = /assets\/outbreak/;
    // The worker asks for each file again for about half a minute before it gives up.
    gateway.workerScript = HURRY;
    const page = await newPage([]);
    await page.goto(`${gateway.base}/app/join`);
    const worker = await (await fetch(`${gateway.base}/app/sw.js`)).text();
    /** The files of the app, and the page. */
    const files = [...new Set(worker.match(/\/app\/assets\/[\w.-]+\.\w+/g))];
    const all = files.length + 1;
    const missing = files.filter((path) => gateway.broken.test(path)).length;
    expect(missing).toBeGreaterThan(0);
    const cached =
      "caches.keys().then(async ([name]) => name ? (await (await caches.open(name)).keys()).length : 0)";
    await expect.poll(() => page.evaluate(cached), TIMEOUT).toBe(all - missing);
    const registered = "navigator.serviceWorker.getRegistrations().then(({ length }) => length)";
    await expect.poll(() => page.evaluate(registered), TIMEOUT).toBe(0);
    gateway.broken = /^$/;
    gateway.reset();
    await page.reload();
    await expect.poll(() => page.evaluate(INSTALLED), TIMEOUT).toBe("activated");
    const fetched = gateway.served.filter((what) => what.includes("assets"));
    expect(fetched).toHaveLength(missing);
    for (const what of fetched) expect(what).toContain("assets/outbreak");
    expect(await page.evaluate(cached)).toBe(all);
  });
});
