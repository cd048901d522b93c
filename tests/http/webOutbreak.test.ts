/** The pages of the web app that show the game as a whole: outbreak, players, boards and the first page. */
import { expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { treeOf } from "../support/outbreak.ts";
import { testEnvironment } from "../support/service.ts";
import { describeInChromium, TIMEOUT, webPages } from "../support/webPages.ts";

const SCREEN = "document.querySelector('.scene')";

describeInChromium("the outbreak, in Chromium", () => {
  const s = testEnvironment();
  const { base, openPage, see, fill, press, login } = webPages();

  it("shows the player's line of infection, lists branches, finds players, and can be used with the keyboard", async () => {
    const [, zed, ada, ben, cy] = await s.game("Zed", "Ada", "Ben", "Cy");
    await s.hunt(zed, ada);
    await s.hunt(ada, ben);
    await s.call("POST /player/report_tagged/{url_id}", { as: cy, body: {} });
    const page = await login(ben, "/app/outbreak");
    await see(page, "4 infections");
    const isLit = 'document.querySelectorAll(".spot[data-lit]").length === 3';
    await page.waitForFunction(isLit, TIMEOUT);
    expect(await page.$$(".spot[data-own], .spot[data-kind=loose]")).toHaveLength(2);
    // By keyboard: closed branches of the lists are not in the page.
    const listed = await page.$$eval(".branches a", (links) => links.map((link) => link.textContent));
    expect(listed).toEqual(["Zed", "Cy"]);
    await page.focus('[aria-label="Tagged by Zed"]');
    await page.keyboard.press("Enter");
    await page.focus('[aria-label="Tagged by Ada"]');
    await page.keyboard.press("Space");
    expect(await page.$$(".branches a")).toHaveLength(4);
    // A report that waits for its tag, and what a game master has done, are told apart.
    for (const [find, text] of [
      ["ada", "Tagged by Zed"],
      ["cy", "Cy was tagged. Nobody has entered the code yet."],
      ["zed", "Zed rose as a zombie."],
    ] as const) {
      await fill(page, { find });
      await page.keyboard.press("Enter");
      await see(page, text);
    }
    // What is told late of one is not told of another.
    await page.evaluate(`(() => {
      const send = fetch;
      window.held = [];
      window.fetch = async (url, options) => {
        const response = await send(url, options);
        if (url.includes("/interactions/")) await new Promise((resolve) => { held.push(resolve); });
        return response;
      };
    })()`);
    for (const [at, find] of ["cy", "zed"].entries()) {
      await fill(page, { find });
      await page.keyboard.press("Enter");
      await page.waitForFunction(`held.length === ${at + 1}`, TIMEOUT);
    }
    await page.evaluate("held[1]()");
    await see(page, "Zed rose as a zombie.");
    await page.evaluate("held[0]()");
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
    await see(page, "Zed rose as a zombie.");
    const place = `${SCREEN}.firstChild.getAttribute("transform")`;
    await page.focus(".stage-frame");
    for (const key of ["+", "ArrowLeft", "0"] as const) {
      const before = JSON.stringify(await page.evaluate(place));
      await page.keyboard.press(key);
      await page.waitForFunction(`${place} !== ${before}`);
    }
    await page.keyboard.press("Escape");
    expect(await page.$(".chosen")).toBeNull();
  });

  it("replays the outbreak, in steps if the player prefers reduced motion", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    await s.hunt(zed, ada);
    const page = await login(ada, "/app/outbreak");
    await page.waitForSelector(".spot", TIMEOUT);
    const slider = 'document.querySelector("[type=range]")';
    await page.focus("[type=range]");
    await page.keyboard.press("Home");
    await page.waitForFunction(`document.querySelectorAll(".spot[data-out]").length === 1`);
    await page.focus(".replay-play");
    await page.keyboard.press("Enter");
    await page.waitForFunction(`${slider}.valueAsNumber > 20`, TIMEOUT);
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    const values = (await page.evaluate(`new Promise((resolve) => {
      const seen = new Set();
      const look = () => seen.add(${slider}.valueAsNumber) && (seen.size < 3 ? requestAnimationFrame(look) : resolve([...seen]));
      look();
    })`)) as number[];
    const step = 1_000 / 15;
    for (const value of values.slice(1))
      expect(Math.abs(value - step * Math.round(value / step))).toBeLessThan(0.6);
  });

  it("draws 3,000 infections on a canvas", async () => {
    const page = await login(await s.join("Ada"), "/app/board");
    const body = JSON.stringify(treeOf(3_000));
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      const isTree = request.url().includes("/interactions/tree/");
      const answer = { contentType: "application/json", headers: { "x-request-id": "tree" }, body };
      void (isTree ? request.respond(answer) : request.continue());
    });
    await page.goto(`${base}/app/outbreak`);
    await see(page, "3,000 infections");
    await page.waitForSelector("canvas.scene", TIMEOUT);
    // No blank picture: the middle has colours.
    const colours = `new Set(${SCREEN}.getContext("2d").getImageData(100, 100, 160, 160).data).size`;
    await page.waitForFunction(`${colours} > 50`, TIMEOUT);
    await fill(page, { find: "player 2999" });
    await page.keyboard.press("Enter");
    await see(page, "Tagged by Player");
  });

  it("on the public first page has the counts and the latest tag, and the page of rules has HTML as text", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada", "Ben");
    const rules =
      "# Rules\n\nBe **fair** <img src=x onerror=alert(1)> [here](https://hvz.example) [no](javascript:1)";
    const [starts_at, ends_at] = [-3, 26].map((hours) => rfc3339(Date.now() + hours * HOUR));
    const body = { rules, public_board: true, starts_at, ends_at };
    await s.hunt(zed, ada);
    await s.must("POST /admin/settings/{url_id}", { as: gm, body });
    // The service may show the public page of the game before for some seconds, and the page asks for it every half minute.
    const board = async () => JSON.stringify((await s.call("GET /public")).body.board);
    await expect.poll(board, TIMEOUT).toContain(ada.alias);
    const page = await openPage("/");
    await see(page, "Zed tagged Ada");
    await see(page, "Play stops");
    const chart = await page.$eval(".chart svg", (svg) => svg.getAttribute("aria-label"));
    expect(chart).toContain("1 human, 2 zombies");
    await press(page, "Rules, safe places and contact");
    await see(page, "Be fair");
    expect(await page.$eval(".markdown", (text) => text.innerHTML)).toBe(
      "<h3>Rules</h3><p>Be <strong>fair</strong> &lt;img src=x onerror=alert(1)&gt; " +
        '<a href="https://hvz.example" rel="noreferrer noopener">here</a> [no](javascript:1)</p>',
    );
  });

  it("leads from lists of players and boards to a player, and to their place in the outbreak", async () => {
    const [, zed, ada, ben] = await s.game("Zed", "Ada", "O'Neil");
    await s.hunt(zed, ada);
    const page = await login(ada, "/app/players");
    await see(page, "Zed");
    await fill(page, { find: "o'ne" });
    await page.waitForFunction(`document.querySelectorAll("main .list li").length === 1`);
    await press(page, ben.alias);
    await see(page, "Nothing has happened to this player yet.");
    await page.goto(`${base}/app/board`);
    await see(page, "Zed");
    // Without an answer nobody of one board is shown on another.
    await page.evaluate(`(() => {
      const send = fetch;
      window.fetch = async (url, options) => {
        if (!url.includes("board=survivors")) return send(url, options);
        window.fetch = send;
        throw new TypeError("Failed to fetch");
      };
    })()`);
    await press(page, "Survivors");
    await see(page, "The service cannot be reached.");
    expect(await page.$(".board-row")).toBeNull();
    await press(page, "Try again");
    await see(page, ben.alias);
    await press(page, "Around me");
    await see(page, "You are not on this board.");
    await press(page, "Tags");
    await page.waitForSelector("[data-own=true]", TIMEOUT);
    await press(page, "Zed");
    await press(page, "Show in the outbreak");
    await see(page, "original zombie");
  });
});
