/** Every page with text of twice the size, on small phones, with words as long as German ones, in a real Chromium. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { expect, it } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { testEnvironment } from "../support/service.ts";
import { TEXT_FAULTS } from "../support/textFaults.ts";
import { describeInChromium, TIMEOUT, webPages } from "../support/webPages.ts";

/** A folder for pictures of all pages, if somebody wants to look at them. */
const PICTURES = process.env.LARGE_TEXT_PICTURES;

const source = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../web/src", name), "utf8");
const pathsIn = (name: string, pattern: RegExp): string[] =>
  [...source(name).matchAll(pattern)].map(([, path = ""]) => path);

/** Every page of the routers. */
const PATHS = [
  ...pathsIn("app.tsx", /<Route path="([^"]+)"/g).filter((path) => !path.includes(":page")),
  ...pathsIn("staff/gm.tsx", /^ {4}path: "([^"]+)"/gm),
  "/app/gm/players/:ref",
];

const NAMES = {
  zombie: "Donaudampfschifffahrtskapitän",
  human: "Bezirksschornsteinfegermeister",
  game: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
  place: "Straßenbahnhaltestellenunterführung",
  label: "geschwindigkeitsbegrenzungen",
  sentence:
    "Die Kraftfahrzeughaftpflichtversicherungsgesellschaft übernimmt Unfallfolgekostenerstattungsanträge.",
};

describeInChromium("with text of twice the size", () => {
  const s = testEnvironment();
  const { base, login, openPage } = webPages();

  const enlarge = async (page: Page): Promise<void> => {
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  };

  const takePicture = async (page: Page, path: string, width: number): Promise<void> => {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    for (const value of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      const name = `${path.replaceAll(/\W+/g, "-")}-${width}-${value}.png`;
      await page.screenshot({ path: join(PICTURES, name), fullPage: true });
    }
  };

  it("no text of any page is cut off, overlaps another or makes the page wider", {
    timeout: 300_000,
  }, async () => {
    const [gm, zed, ada, ben] = await s.game(NAMES.zombie, NAMES.human, "Ben");
    const admin = (word: string, body: object) => s.must(`POST /admin/${word}/{url_id}`, { as: gm, body });
    const closes_at = rfc3339(Date.now() + HOUR);
    await admin("settings", {
      ...{ name: NAMES.game, description: NAMES.sentence, rules: `# ${NAMES.game}\n\n- ${NAMES.sentence}` },
      ...{ contact: NAMES.sentence, public_board: true, starts_at: rfc3339(Date.now() - 3 * DAY) },
      ...{
        ends_at: rfc3339(Date.now() + 3 * DAY),
        join_codes: [{ code: "GESCHWINDIGKEIT", uses: null, ends_at: null }],
      },
    });
    await s.hunt(zed, ben);
    await admin("set_checkpoint", {
      name: NAMES.place,
      description: NAMES.sentence,
      applies_to: "all",
      closes_at,
    });
    await admin("edit_player", {
      player_id: ada.id,
      last_name: NAMES.place,
      first_name: NAMES.place,
      note: NAMES.sentence,
    });
    await admin("label", { aliases: [NAMES.human], add: [NAMES.label] });
    const { body: sent } = await s.must("POST /notifications/send/{url_id}", {
      as: gm,
      body: { title: NAMES.game, content: NAMES.sentence, audience: "all", player_groups: "All" },
    });
    expect(sent.notification).toBeDefined();
    const { interactions } = (await s.must("GET /interactions/{url_id}", { as: ben })).body;
    const { interaction_id } = interactions.find(({ kind }: { kind: string }) => kind === "hunt");
    await s.must("POST /interactions/dispute/{url_id}", {
      as: ben,
      body: { interaction_id, reason: NAMES.sentence },
    });
    await s.work();
    const { player_ref } = await s.see(ada);
    const anybody = await openPage("/");
    const [staff, zombie, human] = [await login(gm, "/app/gm/now"), await login(zed), await login(ada)];
    const visits = PATHS.flatMap((path): [Page, string][] => {
      const url = path.replace(":ref", player_ref);
      if (path.startsWith("/app/gm/")) return [[staff, url]];
      if (["/", "/app/join", "/app/login", "/app/recover", "/app/screen"].includes(path))
        return [[anybody, url]];
      return path === "/app/me" || path === "/app/checkpoint"
        ? [
            [zombie, url],
            [human, url],
          ]
        : [[zombie, url]];
    });
    const faults: string[] = [];
    for (const [page, url] of visits) {
      const who = page === human ? " (human)" : "";
      await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
      await page.goto(`${base}${url}`);
      await page.waitForSelector("main h1", TIMEOUT);
      await page.waitForFunction("document.querySelector('.skeleton') === null", TIMEOUT);
      if (url === "/app/tag") await page.type("input[name=tag_code]", "WWWW2345");
      await enlarge(page);
      for (const width of [360, 320]) {
        await page.setViewport({ width, height: 740, hasTouch: true });
        // A reload, for example by a change of the device, would undo it.
        expect(await page.evaluate("getComputedStyle(document.documentElement).fontSize")).toBe("32px");
        const found = await page.evaluate(TEXT_FAULTS);
        expect(found, url).toBeInstanceOf(Array);
        if (Array.isArray(found)) faults.push(...found.map((fault) => `${url}${who} at ${width}: ${fault}`));
        await takePicture(page, `${url}${who}`, width);
      }
    }
    expect(faults).toEqual([]);
    expect(PATHS.length).toBeGreaterThan(25);
  });

  it("the size that the browser is set to is the size of the text", async () => {
    const page = await openPage("/app/login");
    const sizes = await page.evaluate(
      `[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).flatMap((rule) => [rule, ...(rule.cssRules ?? [])])
        .filter(({ selectorText }) => selectorText === ":root").map(({ style }) => style.fontSize).filter(Boolean)`,
    );
    expect(sizes).toEqual(["100%"]);
  });
});
