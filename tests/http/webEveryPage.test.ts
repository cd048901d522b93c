/**
 * Every page in a real Chromium: axe, every width, text of twice the size on small phones with words as long as German ones,
 * and markup that players write.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "puppeteer-core";
import { v7 } from "uuid";
import { expect, it } from "vitest";
import { makeRecap } from "../../lib/app/game/recap.ts";
import { htmlText } from "../../lib/domain/mail/content.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { recapItems } from "../../lib/store/seasons/recaps.ts";
import { GAME_SECTIONS, paths } from "../../web/src/paths.ts";
import { LONGEST_MAILS } from "../support/longestMails.ts";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { TEXT_FAULTS } from "../support/textFaults.ts";
import { describeInChromium, TIMEOUT, visit, webPages } from "../support/webPages.ts";

/** A folder for pictures of all pages, if somebody wants to look at them. */
const PICTURES = process.env.LARGE_TEXT_PICTURES;

/** Every page. */
const PATHS = [
  ...[...Object.values(paths), ...Object.values(paths.gm)].filter((path) => typeof path === "string"),
  ...GAME_SECTIONS.map(paths.gm.section),
  "/app/nowhere",
  paths.player(":ref"),
  paths.season(":season"),
  paths.gm.player(":ref"),
  paths.gm.batch(":batch"),
  paths.gm.sheetOf(":batch"),
  paths.gm.mission(":mission"),
];

/** Those that nobody has to log in for. */
const ANONYMOUS =
  "/ /app/join /app/login /app/recover /app/confirm /app/forgotten /app/setup /app/unsubscribe /app/screen /app/nowhere".split(
    " ",
  );

const NAMES = {
  zombie: "Donaudampfschifffahrtskapitän",
  human: "Bezirksschornsteinfegermeister",
  game: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
  place: "Straßenbahnhaltestellenunterführung",
  label: "geschwindigkeitsbegrenzungen",
  sentence:
    "Die Kraftfahrzeughaftpflichtversicherungsgesellschaft übernimmt Unfallfolgekostenerstattungsanträge.",
};

/** The violations that axe finds on the page. */
const violations = (options: object): string => `axe.run(${JSON.stringify(options)}).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`;

/** What axe says of contrast on a page: what is too low or cannot be told, and how many rules are fulfilled. */
const CONTRAST = `axe.run({ runOnly: ["color-contrast"] }).then(({ violations, incomplete, passes }) =>
  [[...violations, ...incomplete].flatMap(({ nodes }) => nodes.map(({ html }) => html)), passes.length])`;

/** By how many pixels the page is too wide, and the elements too low to touch or out of the keyboard's reach. */
const MISFITS = `({
  over: document.documentElement.scrollWidth - innerWidth,
  small: [...document.querySelectorAll("a, button, input, select, textarea, label.row")]
    .filter((element) => element.checkVisibility() && !element.parentElement.closest("label"))
    .filter((element) => element.getBoundingClientRect().height < 44)
    .map(({ outerHTML }) => outerHTML),
  unreachable: [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter((element) => element.checkVisibility() && element.tabIndex < 0)
    .map(({ outerHTML }) => outerHTML),
})`;

/** What players and game masters may write freely, and the longest alias without a break, and names in other scripts. */
const MARKUP = "<b>Mission</b><script>alert(1)</script><img src=x>";
const ALIASES = ["مرحبا بالزومبي", "W".repeat(30), "O'Neil 李小龙"] as const;

describeInChromium("every page", () => {
  const s = testEnvironment();
  const { base, login, openPage, press } = webPages();
  const { done, edit, read } = shortRequests(s);

  const enlarge = async (page: Page): Promise<void> => {
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  };

  /** Keeps a recap of the game as it is, as a new season would. @returns its id */
  const keepSeason = async (): Promise<string> => {
    const [seasonId, game] = [v7(), await s.store.game()];
    const recap = await makeRecap(s.store, game, { seasonId, now: Date.now(), timeLeft: () => MINUTE });
    if (recap === null) throw new Error("Nobody became a zombie.");
    const season = { ...recap.season, result: "humans" as const, note: `${NAMES.sentence} ${MARKUP}` };
    const given = [{ title: NAMES.place, player_id: recap.players[0]?.player_id ?? "", text: MARKUP }];
    for (const item of await recapItems({ ...recap, season, body: { ...recap.body, given } }))
      await s.store.db.put(item);
    return seasonId;
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

  /** Axe must find nothing in either colour scheme, and everything must fit at every width. */
  const expectFit = async (page: Page, url: string): Promise<void> => {
    if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
    // In dark, nothing but the colours is different.
    for (const [value, options] of [
      ["light", {}],
      ["dark", { runOnly: { type: "rule", values: ["color-contrast"] } }],
    ] as const) {
      await page.emulateMediaFeatures([
        { name: "prefers-color-scheme", value },
        { name: "prefers-reduced-motion", value: "reduce" },
      ]);
      expect(await page.evaluate(violations(options)), `${url} ${value}`).toEqual([]);
    }
    for (const width of [1_440, 768, 360, 320]) {
      await page.setViewport({ width, height: 740, hasTouch: true });
      const none = { over: 0, small: [], unreachable: [] };
      expect(await page.evaluate(MISFITS), `${url} at ${width}`).toEqual(none);
    }
    expect(await page.$$("main script, main b, main img[src=x]"), url).toEqual([]);
  };

  it("passes axe, fits every width, cuts off no text of twice the size, and shows markup as text", {
    timeout: 300_000,
  }, async () => {
    const [gm, zed, ada, ben] = await s.game(NAMES.zombie, NAMES.human, "Ben", ...ALIASES);
    const closes_at = rfc3339(Date.now() + HOUR);
    await done(gm, "settings", {
      ...{ name: `${NAMES.game} <b>2</b>`, description: `${NAMES.sentence} ${MARKUP}` },
      rules: `# ${NAMES.game}\n\n- ${NAMES.sentence}\n\n${MARKUP}`,
      ...{ contact: NAMES.sentence, public_board: true, starts_at: rfc3339(Date.now() - 3 * DAY) },
      ends_at: rfc3339(Date.now() + 3 * DAY),
      time_zone: "America/Argentina/Buenos_Aires",
      join_codes: [{ code: "GESCHWINDIGKEIT", uses: null, ends_at: null }],
    });
    const waiver_ask = ["birth_date", "emergency_contact", "photo_consent"];
    await done(gm, "settings", { waiver: `# ${NAMES.game}\n\n${NAMES.sentence} ${MARKUP}`, waiver_ask });
    const { version } = await read(zed, "/waiver");
    const answers = { birth_date: "2000-02-29", emergency_contact: NAMES.sentence, photo_consent: false };
    const body = { version, full_name: NAMES.zombie, ...answers };
    for (const as of [zed, ada]) await s.must("POST /player/sign/{url_id}", { as, body });
    await s.hunt(zed, ben, { note: MARKUP });
    const bridge = { name: `<b>${NAMES.place}</b>`, description: MARKUP, applies_to: "all", closes_at };
    await done(gm, "set_checkpoint", bridge);
    await done(gm, "edit_player", {
      ...{ player_id: ada.id, last_name: NAMES.place, first_name: MARKUP },
      note: `${NAMES.sentence} ${MARKUP}`,
      email: "a.rather.long.address@campus.example.org",
    });
    await done(gm, "label", { aliases: [NAMES.human], add: [NAMES.label] });
    const { body: sent } = await s.must("POST /notifications/send/{url_id}", {
      as: gm,
      body: { title: `<b>${NAMES.game}</b>`, content: MARKUP, audience: "all", player_groups: "All" },
    });
    expect(sent.notification).toBeDefined();
    const { interactions } = await read(ben, "/interactions", { kind: "hunt" });
    const [{ interaction_id }] = interactions;
    const reason = `${NAMES.sentence} ${MARKUP}`;
    await s.must("POST /interactions/dispute/{url_id}", { as: ben, body: { interaction_id, reason } });
    const badge = { name: NAMES.human, symbol: "<b>" };
    const batch = await done(gm, "create_codes", {
      ...{ label: NAMES.place, n: 3, uses: 9, uses_per_player: 3, audience: "all", place: MARKUP },
      effect: { feed_seconds: 43_200, points: 9_999, badge, message: `${NAMES.sentence} ${MARKUP}` },
    });
    for (const as of [zed, ada]) await s.must("POST /player/redeem/{url_id}", { as, body: batch.codes[0] });
    const reveal_at = rfc3339(Date.now() - HOUR);
    const prize = { name: NAMES.place.slice(0, 30), symbol: "<b>" };
    const { mission_id } = await done(gm, "set_mission", {
      ...{ title: `<b>${NAMES.game}</b>`.slice(0, 80), place: NAMES.place, latitude: 52.5, longitude: 13.4 },
      ...{ starts_at: reveal_at, ends_at: closes_at, attendance: "desk", required: true },
      briefings: ["humans", "zombies"].map((audience) => ({
        ...{ audience, text: `# ${NAMES.place}\n\n${NAMES.sentence}\n\n${MARKUP}`, reveal_at },
      })),
      rewards: [{ audience: "all", effect: { points: 5, badge: prize, message: NAMES.sentence } }],
    });
    await done(gm, "mission_attendance", { mission_id, aliases: [NAMES.zombie, NAMES.human] });
    await s.work();
    await edit(ada, { named_in_past: true });
    const seasonId = await keepSeason();
    const { player_ref } = await s.see(ada);
    const anybody = await openPage("/");
    const [staff, zombie, human] = [await login(gm, "/app/gm/now"), await login(zed), await login(ada)];
    for (const page of [anybody, staff, zombie, human]) await page.setBypassCSP(true);
    const visits = PATHS.flatMap((path): [Page, string][] => {
      const url = path
        .replace(":ref", player_ref)
        .replace(":batch", batch.batch_id)
        .replace(":mission", mission_id)
        .replace(":season", seasonId)
        .replace(/find$/, "find?q=o")
        .replace(/unsubscribe$/, "unsubscribe#token=of-a-mail");
      if (path.startsWith("/app/gm/")) return [[staff, url]];
      if (ANONYMOUS.includes(path)) return [[anybody, url]];
      const isOfBoth = ["/app/me", "/app/checkpoint", "/app/tag"].includes(path);
      return [zombie, ...(isOfBoth ? [human] : [])].map((page) => [page, url]);
    });
    const faults: string[] = [];
    for (const [page, url] of visits) {
      const who = page === human ? " (human)" : "";
      await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
      await page.evaluate("document.documentElement.style.fontSize = ''");
      await visit(page, `${base}${url}`);
      if (url === "/app/outbreak") await press(page, "My line");
      if (url.includes("?batch=")) {
        await press(page, "Show the codes");
        await page.waitForSelector(".slip", TIMEOUT);
      }
      if (url.includes("#token=")) {
        await press(page, "Stop these mails");
        await page.waitForSelector(".error-note", TIMEOUT);
      }
      await expectFit(page, url);
      // The box about a player is meant to cover the drawing.
      if (url === "/app/outbreak") await page.click(".chosen-close");
      if (url === "/app/tag")
        await page.type("input[name=tag_code]", page === human ? "WWWW2345WW" : "WWWW2345");
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
      if (url === "/app/outbreak") {
        // With large text the box about a player may be higher than the drawing. Then it scrolls, and is not cut off.
        await press(page, "My line");
        const [stage, box] = ["stage", "chosen"].map(
          (name) => `document.querySelector(".${name}").getBoundingClientRect().top`,
        );
        expect(await page.evaluate(`${box} - ${stage}`)).toBeGreaterThan(0);
      }
    }
    expect(faults).toEqual([]);
    expect(PATHS.length).toBeGreaterThan(25);
    // The mails, which are pages of their own.
    await anybody.goto("about:blank");
    await anybody.setViewport({ width: 360, height: 740 });
    // All in one: each has the same document around it. Axe takes a background that nobody has set for white.
    await anybody.setContent(Object.values(LONGEST_MAILS).map(htmlText).join(""));
    await anybody.evaluate(`document.body.style.background = "Canvas"; ${axe.source}`);
    expect(await anybody.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    for (const value of ["light", "dark"]) {
      await anybody.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      expect(await anybody.evaluate(CONTRAST), value).toEqual([[], 1]);
    }
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
