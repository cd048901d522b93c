/** Pages of the web app in a real Chromium, with the service behind them. */
import type { BrowserContext, Page } from "puppeteer-core";
import { afterEach, describe, expect } from "vitest";
import { CHROMIUM } from "../../scripts/cli/chromium.ts";
import { sharedChromium } from "./browsers.ts";
import { expectOnly, tellFaults } from "./pageFaults.ts";
import { running } from "./running.ts";
import type { TestPlayer } from "./service.ts";

/** The address of the service at which browsers open it. */
export const BASE = running().base.replace("127.0.0.1", "localhost");

export const WAIT_MS = 30_000;
export const TIMEOUT = { timeout: WAIT_MS, polling: 50 };

if (CHROMIUM === undefined)
  process.stderr.write("\nNO BROWSER: the web app is not tested. Install chromium.\n\n");

/** Tests of pages. In CI they are required, so they fail if Chromium is missing. */
export const describeInChromium = describe.skipIf(CHROMIUM === undefined && process.env.CI === undefined);

/** Cuts the network of a page and of its service worker. */
export const setOffline = async (page: Page, offline: boolean): Promise<void> => {
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

/** Has the browser deliver a push to the page's service worker, as its push service would. */
export const deliverPush = async (page: Page, notification: object): Promise<void> => {
  const cdp = await page.createCDPSession();
  const registrationId = new Promise<string>((resolve) => {
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL === `${BASE}/app/`);
      if (own !== undefined) resolve(own.registrationId);
    });
  });
  await cdp.send("ServiceWorker.enable");
  const data = JSON.stringify({ notification });
  await cdp.send("ServiceWorker.deliverPushMessage", {
    ...{ origin: BASE, registrationId: await registrationId, data },
  });
};

/** Waits for a text, and otherwise names what the page shows instead. */
export const see = async (page: Page, text: string): Promise<void> => {
  const wanted = `document.body.textContent.includes(${JSON.stringify(text)})`;
  await page.waitForFunction(wanted, TIMEOUT).catch(async () => {
    expect(await page.evaluate("document.body.textContent")).toContain(text);
  });
};

/** The XPath of a button or a link in `main` by its text. */
export const TARGET = (text: string): string =>
  `//main//*[self::button[not(@disabled)] or self::a][contains(., "${text}")]`;

/** Notes whether the next click reaches what an XPath finds. */
const watchClick = (xpath: string): string => `
  window.hasPressed = false;
  addEventListener("click", ({ target }) => {
    const found = document.evaluate(${JSON.stringify(xpath)}, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    for (let i = 0; i < found.snapshotLength; i += 1)
      if (found.snapshotItem(i).contains(target)) window.hasPressed = true;
  }, { capture: true, once: true });
`;

/** Presses what an XPath finds, in the middle of the screen, where nothing covers it. */
const pressTarget = async (page: Page, xpath: string): Promise<void> => {
  const target = page.locator(`::-p-xpath(${xpath})`).setTimeout(WAIT_MS);
  const button = await target.waitHandle();
  // The bar at the bottom of a page or of a dialog covers an element that is only just in view.
  const center = (element: { scrollIntoView: (options: object) => void }): void =>
    element.scrollIntoView({ block: "center", behavior: "instant" });
  try {
    await button.evaluate(center);
    await page.evaluate(watchClick(xpath));
    // Clicks when the element no longer moves, for example because something above it has loaded.
    await target.click();
  } catch (error) {
    // The page has drawn the button again meanwhile.
    if (!/detached/.test(String(error))) throw error;
    await pressTarget(page, xpath);
    return;
  }
  // It has moved between the look for its place and the click. A page that a click has left has no answer.
  const hasPressed = await page.evaluate("window.hasPressed").catch(() => undefined);
  if (hasPressed === false) await pressTarget(page, xpath);
};

export const press = (page: Page, text: string): Promise<void> => pressTarget(page, TARGET(text));

/** Another page of the app has replaced the one that a link has left. */
export const ARRIVED = "main h1:not([data-left])";

/** Follows a link to another page of the app, which is quicker than to load the app anew. */
export const follow = (tab: { evaluate: (script: string) => Promise<unknown> }, path: string) =>
  tab.evaluate(`(() => {
    for (const heading of document.querySelectorAll("main h1")) heading.dataset.left = "";
    const link = document.createElement("a");
    link.href = ${JSON.stringify(path)};
    document.body.append(link);
    link.click();
    link.remove();
  })()`);

/** Pages of one kind, such as those of two players, keep their heading when one follows the other. */
const kindOf = (path: string): string => path.split("/", 4).join("/");

/** Opens another address of the app, and waits until it shows all that it reads at first. */
export const visit = async (page: Page, url: string): Promise<void> => {
  const [before, { origin, pathname, search, hash }] = [new URL(page.url()), new URL(url)];
  const isAnother = before.origin === origin && kindOf(before.pathname) !== kindOf(pathname);
  if (isAnother) await follow(page, `${pathname}${search}${hash}`);
  else await page.goto(url);
  await page.waitForSelector(ARRIVED, TIMEOUT);
  await page.waitForFunction("document.querySelector('.skeleton') === null", TIMEOUT);
};

/** Logs a player in as the form does, so that the next page of this origin is theirs. Tests of the form use the form. */
export const enter = async (
  tab: { goto: (url: string) => Promise<unknown>; evaluate: (script: string) => Promise<unknown> },
  { alias, password }: Pick<TestPlayer, "alias" | "password">,
  url: string,
): Promise<void> => {
  // A small file of the app that a browser shows as a page.
  await tab.goto(new URL("/app/icon.svg", url).href);
  const body = JSON.stringify({ alias, password, cookie: true });
  const status = await tab.evaluate(`fetch("/login", {
    method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(body)},
  }).then(({ status }) => {
    // Whoever has none is taken for a visitor.
    localStorage.setItem("snapshot", "{}");
    return status;
  })`);
  expect(status).toBe(200);
};

/** Pages in a Chromium that test files share. After each test its pages are closed, none of which may have had a fault. */
export const webPages = (chromium = sharedChromium) => {
  const contexts: BrowserContext[] = [];
  /** Faults of pages: a request to elsewhere, an uncaught exception, an error on the console, or a 5xx. */
  const faults: string[] = [];

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expectOnly([], faults.splice(0));
  });

  /** Opens a page on a phone of its own, with a fresh profile. */
  const openPage = async (path: string, player?: TestPlayer): Promise<Page> => {
    const context = await (await chromium()).createBrowserContext();
    contexts.push(context);
    const page = await context.newPage();
    await page.setViewport({ width: 360, height: 740, hasTouch: true });
    tellFaults(page, (text) => faults.push(text));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== BASE) faults.push(request.url());
    });
    page.on("response", (response) => {
      if (response.status() >= 500) faults.push(`${response.status()} ${response.url()}`);
    });
    if (player !== undefined) await enter(page, player, BASE);
    await page.goto(`${BASE}${path}`);
    return page;
  };

  const fill = async (page: Page, fields: Record<string, string>): Promise<void> => {
    for (const [name, value] of Object.entries(fields)) {
      const input = `input[name=${name}]`;
      // If the page is drawn between clearing and typing, the old value stays in front of the new one.
      do await page.locator(input).setTimeout(WAIT_MS).fill(value);
      while ((await page.$eval(input, (element) => Object(element).value)).length > value.length);
    }
  };

  const pressIn =
    (element: string) =>
    (page: Page, text: string): Promise<void> =>
      pressTarget(page, `${element}//button[normalize-space()="${text}"]`);
  /** Presses a button of the open dialog. */
  const confirm = pressIn("//dialog[@open]");
  /** Presses a button of the message that pops up. */
  const answer = pressIn('//*[@class="toast"]');

  /** Finds a player, and opens their page. */
  const openPlayer = async (page: Page, q: string, alias: string): Promise<void> => {
    await page.goto(`${BASE}/app/gm/find`);
    await fill(page, { q });
    await press(page, alias);
    await see(page, "History");
  };

  const login = async (player: TestPlayer, path = "/app/me"): Promise<Page> => {
    const page = await openPage(path, player);
    await page.waitForSelector("nav", TIMEOUT);
    return page;
  };

  return { base: BASE, openPage, see, fill, press, confirm, answer, openPlayer, login };
};
