/** What a deployment does to pages of the web app that are open: in a real Chromium, with a proxy that deploys. */
import { createServer, request, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import type { BrowserContext, Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHROMIUM, type Chromium, startChromium } from "../../scripts/cli/chromium.ts";
import { listen } from "../support/listen.ts";
import { running } from "../support/running.ts";
import { WAIT_MS } from "../support/webPages.ts";

const isMissing = CHROMIUM === undefined;
if (isMissing)
  process.stderr.write("\nNO BROWSER: updates of the web app are not tested. Install chromium.\n\n");

/** The page's clocks are faster, because it waits for a minute without a touch, and asks every 15 minutes. */
const FASTER = `{
  const [now, every] = [performance.now.bind(performance), setInterval];
  performance.now = () => now() * 300;
  setInterval = (work, ms) => every(work, ms / 300);
}`;

const VERSION = /^\/app\/assets\/version-\d\.js$/;

// In CI these tests are required, so they fail if Chromium is missing.
describe.skipIf(isMissing && process.env.CI === undefined)("a deployment, for a page that is open,", () => {
  /** The number of the deployment. */
  let version = 1;
  /** The files that the service no longer has. */
  let gone = /^$/;
  /** Whether the page is of another build than its service worker. */
  let isMixed = false;
  let isDown = false;
  let proxy: Server;
  let base = "";
  let chromium: Chromium;
  const contexts: BrowserContext[] = [];

  /** Each version has an asset of its own, which its page names. */
  const pageOf = (html: string): string =>
    html.replace(
      "<title>",
      `<link rel="modulepreload" href="/app/assets/version-${isMixed ? 9 : version}.js"><title>`,
    );
  const workerOf = (script: string): string =>
    script
      .replaceAll(/"([0-9a-f]{16})"/g, `"$1-${version}"`)
      .replace('"/app/assets/', `"/app/assets/version-${version}.js","/app/assets/`);

  beforeAll(async () => {
    const { port } = new URL(running().base);
    proxy = createServer((incoming, outgoing) => {
      const { url = "/", method, headers } = incoming;
      if (isDown) {
        incoming.socket.destroy();
        return;
      }
      if (gone.test(url)) {
        outgoing.writeHead(404).end();
        return;
      }
      if (VERSION.test(url)) {
        outgoing.writeHead(200, { "content-type": "text/javascript" }).end();
        return;
      }
      const { "accept-encoding": _, "if-none-match": __, ...rest } = headers;
      const forwarded = request(
        { host: "127.0.0.1", port, path: url, method, headers: rest },
        async (answer) => {
          const bytes = await buffer(answer);
          const { "content-length": ___, etag: ____, ...answered } = answer.headers;
          outgoing.writeHead(answer.statusCode ?? 500, answered);
          if (answered["content-type"]?.startsWith("text/html")) outgoing.end(pageOf(bytes.toString()));
          else outgoing.end(url === "/app/sw.js" ? workerOf(bytes.toString()) : bytes);
        },
      );
      incoming.pipe(forwarded);
    });
    base = `http://localhost:${await listen(proxy)}`;
    chromium = await startChromium([]);
  });
  afterAll(async () => {
    await chromium?.stop();
    proxy?.closeAllConnections();
    proxy?.close();
  });
  beforeEach(() => {
    version = 1;
    gone = /^$/;
    isMixed = false;
    isDown = false;
  });
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));

  const shownVersion = (page: Page): Promise<unknown> =>
    // While the page is being loaded it cannot be asked.
    page
      .evaluate(`document.querySelector("[href*=version]")?.href.match(/\\d(?=\\.js)/)[0]`)
      .catch(() => undefined);

  const open = async (path: string): Promise<Page> => {
    const context = await chromium.browser.createBrowserContext();
    contexts.push(context);
    const page = await context.newPage();
    await page.evaluateOnNewDocument(FASTER);
    await page.goto(`${base}${path}`);
    const active = "navigator.serviceWorker.getRegistration('/app/').then((it) => it?.active?.state)";
    await expect.poll(() => page.evaluate(active), { timeout: WAIT_MS }).toBe("activated");
    return page;
  };

  const caches = (page: Page): Promise<unknown> => page.evaluate("caches.keys()");

  it("reloads the page by itself, but not while somebody enters something", async () => {
    const page = await open("/app/join");
    await page.locator("input[name=alias]").setTimeout(WAIT_MS).fill("Nadia");
    version = 2;
    // The new build is installed, and the cache of the one before stays for pages that have not been reloaded.
    await expect.poll(() => caches(page), { timeout: WAIT_MS }).toHaveLength(2);
    // Twenty minutes of the page's clock.
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 4_000))");
    expect(await shownVersion(page)).toBe("1");
    expect(await page.$eval("input[name=alias]", (input) => input.value)).toBe("Nadia");
    await page.locator("input[name=alias]").fill("");
    await expect.poll(() => shownVersion(page), { timeout: WAIT_MS }).toBe("2");
    version = 3;
    await expect.poll(() => shownVersion(page), { timeout: WAIT_MS }).toBe("3");
    // Without a network the page is the new one too.
    isDown = true;
    await page.reload();
    expect(await shownVersion(page)).toBe("3");
    expect(await caches(page)).toHaveLength(2);
  });

  it("reloads the first page too, which no service worker controls", async () => {
    const page = await open("/");
    version = 2;
    await expect.poll(() => shownVersion(page), { timeout: WAIT_MS }).toBe("2");
    expect(page.url()).toBe(`${base}/`);
  });

  it("is installed only with the page of its own build, and later otherwise", async () => {
    const page = await open("/app/join");
    const update = "navigator.serviceWorker.getRegistration('/app/').then((it) => it.update())";
    version = 2;
    isMixed = true;
    await page.evaluate(update);
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 2_000))");
    expect(await shownVersion(page)).toBe("1");
    expect(await caches(page)).toHaveLength(1);
    isMixed = false;
    await expect.poll(() => shownVersion(page), { timeout: WAIT_MS }).toBe("2");
  });

  it("which took a script away: the page is loaded again, once", async () => {
    const page = await open("/app/join");
    gone = /gm-screen/;
    version = 2;
    const visit = `{
      const link = document.createElement("a");
      link.href = "/app/screen";
      document.body.append(link);
      link.click();
    }`;
    await page.evaluate(visit);
    await expect.poll(() => shownVersion(page), { timeout: WAIT_MS }).toBe("2");
    expect(page.url()).toBe(`${base}/app/screen`);
    const loaded = await page.evaluate("performance.timeOrigin");
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 2_000))");
    expect(await page.evaluate("performance.timeOrigin")).toBe(loaded);
  });
});
