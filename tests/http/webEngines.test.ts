/** The same journeys through the pages in every browser's engine, with the real service behind them. */
import { createServer, type RequestListener } from "node:http";
import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import { describeInEngines, describeInOneEngine, type Tab } from "../support/engines.ts";
import { openFront } from "../support/faultyFront.ts";
import { listen } from "../support/listen.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";
import { ARRIVED, BASE, follow, TIMEOUT } from "../support/webPages.ts";

const where = (tab: Tab) => tab.evaluate("location.pathname");

const SCRIPT = `console.error("written", "while loading");
fetch("/elsewhere").catch(() => {});
setTimeout(() => Promise.reject(new Error("rejected later")));
throw new Error("thrown while loading");`;
const FAULTY = `<!doctype html><html><head><script src="/faulty.js"></script></head><body>faulty</body></html>`;
const POLICY = "default-src 'none'; script-src 'self'";

const sendFaulty: RequestListener = ({ url }, response) => {
  const [type, text] = url === "/faulty.js" ? ["text/javascript", SCRIPT] : ["text/html", FAULTY];
  response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(text);
};

describeInEngines("a page with faults", (open) => {
  it("fails its test", async () => {
    const server = createServer(sendFaulty);
    onTestFinished(() => void server.close());
    const tab = await open(`http://127.0.0.1:${await listen(server)}/`);
    tab.expectFaults(/thrown while loading/);
    tab.expectFaults(/rejected later/);
    tab.expectFaults(/written while loading/);
    tab.expectFaults(/Content.Security.Policy/);
    await tab.see("faulty");
  });
});

describeInEngines("a player", (open, engine) => {
  const s = testEnvironment();
  const temp = useTempDir();

  const stateOf = (player: TestPlayer) => async () => (await s.see(player)).state;

  it("joins by typing, is still there after a reload, logs out, and logs in again", async () => {
    await s.admin();
    const tab = await open(`${BASE}/app/join`);
    await tab.type("input[name=alias]", `Nadia ${engine}`);
    await tab.type("input[name=password]", "correct horse battery");
    await tab.press("Join");
    await tab.see("Your tag code");
    await tab.reload();
    await tab.see("Your tag code");
    expect(await where(tab)).toBe("/app/me");
    await tab.goto(`${BASE}/app/profile`);
    await tab.press("Log out");
    await tab.see("Join the game");
    await tab.goto(`${BASE}/app/login`);
    await tab.logIn({ alias: `Nadia ${engine}`, password: "correct horse battery" });
    await tab.see("Your tag code");
  });

  it("tags over HTTPS by a code that is typed, also without a network, and the tag that waits is sent once there is one", async () => {
    const [, ada, ben, cy] = await s.game("Ada", "Ben", "Cy");
    const front = await openFront({ tls: true });
    const tab = await open(`${front.base}/app/tag`, ada);
    expect(await tab.evaluate("document.cookie")).toBe("");
    await tab.type("input[name=tag_code]", cy.code ?? "");
    await tab.press("Report the tag");
    await tab.see("You tagged Cy");
    await tab.evaluate("navigator.serviceWorker.ready.then(() => true)");
    await tab.reload();
    await tab.see("Share the meal");
    front.fault = () => "cut";
    await tab.reload();
    await tab.see("You are offline");
    await tab.type("input[name=tag_code]", ben.code ?? "");
    await tab.press("Report the tag");
    await tab.see("Waiting for a network");
    await tab.goto(`${front.base}/app/me`);
    await tab.see("A code is not recorded yet");
    expect(await stateOf(ben)()).toBe("human");
    front.fault = () => undefined;
    await tab.reload();
    await expect.poll(stateOf(ben), TIMEOUT).toBe("zombie");
    expect(await s.see(ada)).toMatchObject({ kills: 2 });
  });

  // In Chromium, webApp.test.ts uploads one.
  it.skipIf(engine === "Chromium")("sets a part of a photograph as the picture", async () => {
    const ada = await s.join(`Ada ${engine}`);
    const tab = await open(`${BASE}/app/profile`, ada);
    await sharp({ create: { width: 3_000, height: 2_000, channels: 3, background: "teal" } })
      .jpeg()
      .toFile(temp("photograph.jpg"));
    await tab.find("main input[type=file]");
    await tab.choose("main input[type=file]", temp("photograph.jpg"));
    await tab.press("Use this part");
    await expect.poll(async () => (await s.see(ada)).picture_url, TIMEOUT).toContain("/pictures/");
    const isShown = `[...document.querySelectorAll("main img")].some(({ src, naturalWidth }) =>
      src.includes("/pictures/") && naturalWidth > 0)`;
    await expect.poll(() => tab.evaluate(isShown), TIMEOUT).toBe(true);
  });

  /** How far a page can be scrolled sideways, once it is there. */
  const sideways = async (tab: Tab): Promise<unknown> => {
    await tab.find(ARRIVED);
    const isLoading = "document.querySelector('.skeleton') !== null";
    await expect.poll(() => tab.evaluate(isLoading), TIMEOUT).toBe(false);
    // Firefox subtracts its scroll bar.
    return tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  };

  // In Chromium, webEveryPage.test.ts opens them.
  it.skipIf(engine === "Chromium")(
    "opens every page, also those of game masters, without an error or sideways scrolling on a phone",
    async () => {
      const aliases = ["W".repeat(30), "O'Neil 李小龙"] as const;
      const [gm, ada, long] = await s.game("Ada", ...aliases);
      await s.hunt(ada, long, { note: "Behind the library, next to the bicycle racks." });
      const ofPlayer = "me tag feed board inbox checkpoint profile outbreak players join login recover".split(
        " ",
      );
      const ofGm = "now find?q=o desk disputes game checkpoint send players log print sql ../screen".split(
        " ",
      );
      const { player_ref } = await s.see(ada);
      for (const [player, paths] of [
        [ada, ["/", ...[...ofPlayer, `players/${player_ref}`].map((name) => `/app/${name}`)]],
        [gm, ofGm.map((name) => `/app/gm/${name}`)],
      ] as const) {
        const tab = await open(`${BASE}/app/me`, player);
        expect(await tab.evaluate("innerWidth")).toBe(360);
        for (const path of paths) {
          await follow(tab, path);
          expect(await sideways(tab), path).toBe(0);
        }
      }
    },
  );

  it.runIf(engine === "WebKit")(
    "is told what works where there are no notifications and no scanner",
    async () => {
      const [, ada] = await s.game("Ada");
      const tab = await open(`${BASE}/app/profile`, ada);
      expect(await tab.evaluate("[typeof PushManager, typeof BarcodeDetector].join()")).toBe(
        "undefined,undefined",
      );
      await tab.see("This browser cannot show notifications. Your inbox has everything.");
      expect(await tab.text()).not.toContain("Turn on notifications");
      await tab.goto(`${BASE}/app/tag`);
      await tab.press("Scan the code");
      await tab.see("camera");
    },
  );
});

describeInOneEngine("a player", (open) => {
  const s = testEnvironment();

  it("is told that the browser did not keep the session, and what to do, when cookies are lost on the way", async () => {
    const [, ada] = await s.game("Ada");
    const front = await openFront({ change: ({ "set-cookie": _, ...others }) => others });
    const tab = await open(`${front.base}/app/login`);
    await tab.logIn(ada);
    const why = "Your password is right, but this browser did not keep you logged in. Allow cookies";
    await tab.see(why);
    expect(await where(tab)).toBe("/app/login");
    await tab.goto(`${front.base}/app/join`);
    await tab.type("input[name=alias]", `Nora`);
    await tab.type("input[name=password]", "correct horse battery");
    await tab.press("Join");
    await tab.see("You have joined, but this browser did not keep you logged in. Allow cookies");
  });
});
