/** The pages of the web app that show the game as a whole: outbreak, players, boards and the first page. */
import type { HTTPRequest, Page } from "puppeteer-core";
import { describe, expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { CHROMIUM } from "../../scripts/cli/chromium.ts";
import { treeOf } from "../support/outbreak.ts";
import { testEnvironment } from "../support/service.ts";
import { WAIT_MS, webPages } from "../support/webPages.ts";

/** Responds to the request of the tree in the service's place. */
const stubTree = async (page: Page, size: number): Promise<void> => {
  const body = JSON.stringify(treeOf(size));
  await page.setRequestInterception(true);
  page.on("request", (request: HTTPRequest) => {
    const isTree = request.url().includes("/interactions/tree/");
    void (isTree ? request.respond({ contentType: "application/json", body }) : request.continue());
  });
};

const SCREEN = "document.querySelector('.scene')";

describe.skipIf(CHROMIUM === undefined && process.env.CI === undefined)("the outbreak, in Chromium", () => {
  const s = testEnvironment();
  const { base, openPage, see, fill, press, login, expectFit } = webPages();

  it("shows a line, finds a player, and says the same in lists and by keyboard", async () => {
    const [, zed, ada, ben, cy] = await s.game("Zed", "Ada", "Ben", "Cy");
    await s.hunt(zed, ada);
    await s.hunt(ada, ben);
    await s.call("POST /player/report_tagged/{url_id}", { as: cy, body: {} });
    const page = await login(ben, "/app/outbreak");
    await see(page, "4 infections");
    await page.waitForFunction('document.querySelectorAll(".spot[data-lit]").length === 3', {
      timeout: WAIT_MS,
    });
    expect(await page.$$eval(".spot[data-own], .spot[data-kind=loose]", (spots) => spots.length)).toBe(2);
    // The lists, without a mouse: what is not open is not there.
    expect(await page.$$eval(".branches a", (links) => links.map((link) => link.textContent))).toEqual([
      "Zed",
      "Cy",
    ]);
    await page.focus('[aria-label="Infected by Zed"]');
    await page.keyboard.press("Enter");
    await page.focus('[aria-label="Infected by Ada"]');
    await page.keyboard.press("Space");
    expect(await page.$$eval(".branches a", (links) => links.length)).toBe(4);
    await page.focus("input[name=find]");
    await page.keyboard.type("ada");
    await page.keyboard.press("Enter");
    await see(page, "Tagged by Zed");
    // A report that waits for its tag, and what a game master has done, are told apart.
    await fill(page, { find: "cy" });
    await page.keyboard.press("Enter");
    await see(page, "Cy was tagged. Nobody has entered the code yet.");
    await fill(page, { find: "zed" });
    await page.keyboard.press("Enter");
    await see(page, "Zed rose as a zombie.");
    const place = (): Promise<string> =>
      page.evaluate(`${SCREEN}.firstChild.getAttribute("transform")`) as Promise<string>;
    await page.focus(".stage-frame");
    for (const key of ["+", "ArrowLeft", "0"] as const) {
      const before = await place();
      await page.keyboard.press(key);
      await page.waitForFunction(
        `${SCREEN}.firstChild.getAttribute("transform") !== ${JSON.stringify(before)}`,
      );
    }
    await page.keyboard.press("Escape");
    expect(await page.$(".chosen")).toBeNull();
  });

  it("replays the outbreak, in steps for those who want no motion", async () => {
    const [, zed, ada] = await s.game("Zed", "Ada");
    await s.hunt(zed, ada);
    const page = await login(ada, "/app/outbreak");
    await page.waitForSelector(".spot", { timeout: WAIT_MS });
    const slider = 'document.querySelector("[type=range]")';
    await page.focus("[type=range]");
    await page.keyboard.press("Home");
    await page.waitForFunction(`document.querySelectorAll(".spot[data-out]").length === 1`);
    await page.focus(".replay-play");
    await page.keyboard.press("Enter");
    await page.waitForFunction(`${slider}.valueAsNumber > 20`, { timeout: WAIT_MS });
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
    const values: number[] = (await page.evaluate(`new Promise((resolve) => {
      const seen = new Set();
      const look = () => seen.add(${slider}.valueAsNumber) && (seen.size < 3 ? requestAnimationFrame(look) : resolve([...seen]));
      look();
    })`)) as number[];
    expect(
      values
        .slice(1)
        .map((value) => Math.abs(value - (1_000 / 15) * Math.round(value / (1_000 / 15))) <= 0.5),
    ).not.toContain(false);
  });

  it("draws 3,000 infections on a canvas", async () => {
    const page = await login(await s.join("Ada"), "/app/board");
    await stubTree(page, 3_000);
    await page.goto(`${base}/app/outbreak`);
    await see(page, "3,000 infections");
    await page.waitForSelector("canvas.scene", { timeout: WAIT_MS });
    // No blank picture: the middle has colours.
    const colours = `new Set(${SCREEN}.getContext("2d").getImageData(100, 100, 160, 160).data).size`;
    await page.waitForFunction(`${colours} > 50`, { timeout: WAIT_MS });
    await fill(page, { find: "player 2999" });
    await page.keyboard.press("Enter");
    await see(page, "Tagged by Player");
  });

  it("shows everybody how the game stands, and rules without their markup, where that is public", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada", "Ben");
    const rules =
      "# Rules\n\nBe **fair** <img src=x onerror=alert(1)> [here](https://hvz.example) [no](javascript:1)";
    const starts_at = rfc3339(Date.now() - 3 * HOUR);
    const schedule = { starts_at, ends_at: rfc3339(Date.now() + 26 * HOUR) };
    await s.must("POST /admin/settings/{url_id}", {
      as: gm,
      body: { rules, public_board: true, ...schedule },
    });
    await s.hunt(zed, ada);
    const page = await openPage("/");
    await see(page, "Zed tagged Ada");
    await see(page, "Play stops");
    expect(await page.$eval(".chart svg", (chart) => chart.getAttribute("aria-label"))).toContain(
      "1 human, 2 zombies",
    );
    expect(await page.$eval(".markdown", (text) => text.innerHTML)).toBe(
      "<h3>Rules</h3><p>Be <strong>fair</strong> &lt;img src=x onerror=alert(1)&gt; " +
        '<a href="https://hvz.example" rel="noreferrer noopener">here</a> [no](javascript:1)</p>',
    );
  });

  const PAGES = ["/", "/app/outbreak", "/app/players", "/app/players/me", "/app/board"];

  it("passes axe, fits every width, and shows markup as text", async () => {
    const [, zed, ada] = await s.game("W".repeat(30), "O'Neil", "李小龙");
    await s.hunt(zed, ada);
    const page = await login(ada);
    const { player_ref } = await s.see(ada);
    const paths = PAGES.map((one) => one.replace("/me", `/${player_ref}`));
    await expectFit(page, paths, async (path) => {
      if (path === "/app/outbreak") await press(page, "My line");
    });
  });

  it("lists, finds and shows players, and the boards around oneself", async () => {
    const [, zed, ada, ben] = await s.game("Zed", "Ada", "O'Neil");
    await s.hunt(zed, ada);
    const page = await login(ada, "/app/players");
    await see(page, "Zed");
    await fill(page, { find: "o'ne" });
    await page.waitForFunction(`document.querySelectorAll("main .list li").length === 1`);
    await press(page, ben.alias);
    await see(page, "Nothing has happened to this player yet.");
    await page.goto(`${base}/app/board`);
    await press(page, "Survivors");
    await see(page, ben.alias);
    await press(page, "Around me");
    await see(page, "You are not on this board.");
    await press(page, "Kills");
    await page.waitForSelector("[data-own=true]", { timeout: WAIT_MS });
    await press(page, "Zed");
    await press(page, "Show in the outbreak");
    await see(page, "original zombie");
  });
});
