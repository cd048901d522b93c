/** How a deployment affects open pages of the web app: in a real Chromium, with a proxy that deploys. */
import { createServer, type Server } from "node:http";
import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { sharedChromium } from "../support/browsers.ts";
import { listen } from "../support/listen.ts";
import { running } from "../support/running.ts";
import { describeInChromium, TIMEOUT, WAIT_MS } from "../support/webPages.ts";

/** Makes the page's clocks faster: a page waits for a minute without input, and checks for a build every 15 minutes. */
const FASTER = `{
  const [now, every] = [performance.now.bind(performance), setInterval];
  performance.now = () => now() * 300;
  setInterval = (work, ms) => every(work, ms / 300);
}`;

const VERSION = /^\/app\/assets\/version-\d\.js$/;

describeInChromium("a deployment, for a page that is open,", () => {
  const FIRST = {
    /** The number of the deployment. */
    version: 1,
    /** The files that the service no longer has. */
    gone: /^$/,
    /** Whether the page is of another build than its service worker. */
    isMixed: false,
    isDown: false,
  };
  const now = { ...FIRST };
  /** The assets that were asked for. */
  let assets: string[] = [];
  let proxy: Server;
  let base = "";

  /** Each version has an asset of its own, which its page names. */
  const pageOf = (html: string): string =>
    html.replace(
      "<title>",
      `<link rel="modulepreload" href="/app/assets/version-${now.isMixed ? 9 : now.version}.js"><title>`,
    );
  const workerOf = (script: string): string =>
    script
      .replaceAll(/"([0-9a-f]{16})"/g, `"$1-${now.version}"`)
      .replace('"/app/assets/', `"/app/assets/version-${now.version}.js","/app/assets/`);

  beforeAll(async () => {
    proxy = createServer(async ({ url = "/", method = "GET", socket }, outgoing) => {
      if (url.startsWith("/app/assets/")) assets.push(url);
      if (now.isDown) socket.destroy();
      else if (now.gone.test(url)) outgoing.writeHead(404).end();
      else if (VERSION.test(url)) outgoing.writeHead(200, { "content-type": "text/javascript" }).end();
      else {
        const answer = await fetch(`${running().base}${url}`, { method });
        const headers = new Headers(answer.headers);
        for (const name of ["content-encoding", "content-length", "etag"]) headers.delete(name);
        outgoing.writeHead(answer.status, Object.fromEntries(headers));
        if (headers.get("content-type")?.startsWith("text/html")) outgoing.end(pageOf(await answer.text()));
        else if (url === "/app/sw.js") outgoing.end(workerOf(await answer.text()));
        else outgoing.end(await answer.bytes());
      }
    });
    base = `http://localhost:${await listen(proxy)}`;
  });
  afterAll(() => {
    proxy?.closeAllConnections();
    proxy?.close();
  });
  beforeEach(() => {
    Object.assign(now, FIRST);
    assets = [];
  });

  const shownVersion = (page: Page): Promise<unknown> =>
    // Scripts cannot be evaluated while the page is being loaded.
    page
      .evaluate(`document.querySelector("[href*=version]")?.href.match(/\\d(?=\\.js)/)[0]`)
      .catch(() => undefined);

  const waitFor = (page: Page, version: string) =>
    expect.poll(() => shownVersion(page), TIMEOUT).toBe(version);
  /** Waits for real milliseconds; the page's clock runs three hundred times as fast. */
  const pass = (page: Page, ms: number) =>
    page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${ms}))`);

  const open = async (path: string): Promise<Page> => {
    const context = await (await sharedChromium()).createBrowserContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.evaluateOnNewDocument(FASTER);
    await page.goto(`${base}${path}`);
    const active = "navigator.serviceWorker.getRegistration('/app/').then((it) => it?.active?.state)";
    await expect.poll(() => page.evaluate(active), TIMEOUT).toBe("activated");
    return page;
  };

  const caches = (page: Page): Promise<unknown> => page.evaluate("caches.keys()");

  it("reloads the page by itself, but not while somebody enters something", async () => {
    const page = await open("/app/join");
    await page.locator("input[name=alias]").setTimeout(WAIT_MS).fill("Nadia");
    now.version = 2;
    // The new build is installed, and the cache of the one before stays for pages that have not been reloaded.
    await expect.poll(() => caches(page), TIMEOUT).toHaveLength(2);
    // Twenty minutes of the page's clock.
    await pass(page, 4_000);
    expect(await shownVersion(page)).toBe("1");
    expect(await page.$eval("input[name=alias]", (input) => input.value)).toBe("Nadia");
    // With keys: `fill` would empty the field without an event, and the page would keep the text as a draft.
    await page.click("input[name=alias]", { count: 3 });
    await page.keyboard.press("Backspace");
    await waitFor(page, "2");
    now.version = 3;
    await waitFor(page, "3");
    // Without a network the page is the new one too.
    now.isDown = true;
    await page.reload();
    expect(await shownVersion(page)).toBe("3");
    expect(await caches(page)).toHaveLength(2);
  });

  it("fetches only the files that are new", async () => {
    const page = await open("/app/join");
    assets = [];
    now.version = 2;
    await page.evaluate("navigator.serviceWorker.getRegistration('/app/').then((it) => it.update())");
    await waitFor(page, "2");
    expect(new Set(assets)).toEqual(new Set(["/app/assets/version-2.js"]));
  });

  it("reloads the first page too, which no service worker controls", async () => {
    const page = await open("/");
    now.version = 2;
    await waitFor(page, "2");
    expect(page.url()).toBe(`${base}/`);
  });

  it("is installed only with the page of its own build, and later otherwise", async () => {
    const page = await open("/app/join");
    const update = "navigator.serviceWorker.getRegistration('/app/').then((it) => it.update())";
    now.version = 2;
    now.isMixed = true;
    await page.evaluate(update);
    // The page tries again every few seconds, and what an attempt has fetched goes when it fails.
    await expect.poll(() => assets, TIMEOUT).toContain("/app/assets/version-2.js");
    await expect.poll(() => caches(page), TIMEOUT).toHaveLength(1);
    expect(await shownVersion(page)).toBe("1");
    now.isMixed = false;
    await waitFor(page, "2");
  });

  it("that removed a script reloads the page that needs it, once", async () => {
    const page = await open("/app/join");
    now.gone = /gm-screen/;
    now.version = 2;
    const visit = `{
      const link = document.createElement("a");
      link.href = "/app/screen";
      document.body.append(link);
      link.click();
    }`;
    await page.evaluate(visit);
    await waitFor(page, "2");
    expect(page.url()).toBe(`${base}/app/screen`);
    const loaded = await page.evaluate("performance.timeOrigin");
    await pass(page, 2_000);
    expect(await page.evaluate("performance.timeOrigin")).toBe(loaded);
  });
});
