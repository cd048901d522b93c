/** The pages of game masters and moderators in a real Chromium, with the service behind them. */
import { readFileSync } from "node:fs";
import type { Page } from "puppeteer-core";
import { expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { paths } from "../../web/src/paths.ts";
import { pathOf, ROLES } from "../../web/src/staff/commands.ts";
import { makeBounced, makeConfirmation } from "../support/confirmation.ts";
import { PASSWORD, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { TEXT_FAULTS } from "../support/textFaults.ts";
import {
  describeInChromium,
  follow,
  setOffline,
  TIMEOUT,
  visit,
  WAIT_MS,
  webPages,
} from "../support/webPages.ts";

describeInChromium("game masters' pages", () => {
  const s = testEnvironment();
  const { base, openPage, see, fill, press, confirm, answer, openPlayer, login } = webPages();
  const { read } = shortRequests(s);

  /** Waits until the outbox shows a mail. @returns its frame, and its link of this text */
  const mailedLink = async (outbox: Page, subject: string, label: string) => {
    const frame = `iframe[title="${subject}"]`;
    const isThere = async (): Promise<boolean> => {
      await press(outbox, "Look again");
      await outbox.waitForFunction("document.querySelector('.skeleton') === null", TIMEOUT);
      return (await outbox.$(frame)) !== null;
    };
    await expect.poll(isThere, TIMEOUT).toBe(true);
    const mail = await (await outbox.$(frame))?.contentFrame();
    const link = await mail?.waitForSelector(`::-p-xpath(//a[normalize-space()="${label}"])`, TIMEOUT);
    return { mail, link };
  };

  it("are neither loaded nor cached for players", async () => {
    const [, ada] = await s.game("Ada");
    const page = await login(ada);
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url()));
    await page.goto(`${base}/app/gm/now`);
    await see(page, "You do not run this game");
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    const cached = await page.evaluate(
      `caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((one) => one.keys()))))
        .then((all) => all.flat().map(({ url }) => url))`,
    );
    expect(loaded.length).toBeGreaterThan(0);
    expect(cached).toContainEqual(expect.stringMatching(/assets\/index-.*\.js$/));
    expect([loaded, cached].flat().filter((url) => String(url).includes("/assets/gm"))).toEqual([]);
    expect(await page.$('nav a[href="/app/gm/now"]')).toBeNull();
  });

  it("offer moderators exactly what the service allows them", () => {
    const { paths } = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
    const allowed = Object.keys(paths).filter((path) =>
      Object.values(paths[path]).some((operation) => Object(operation)["x-access"] === "moderator"),
    );
    const known = Object.entries(ROLES).filter(([, { role }]) => role === "moderator");
    expect(known.map(([action]) => pathOf(action)).toSorted()).toEqual(allowed.toSorted());
  });

  it("list who starves next: dense rows with their numbers with a mouse, also by keyboard, and the deadline in the game's zone", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { time_zone: "Asia/Kathmandu" } });
    await s.hunt(ada, ben);
    const page = await login(gm, "/app/gm/now");
    await page.setViewport({ width: 1_280, height: 800 });
    // A page keeps the style of a touch screen until it is loaded anew.
    await page.reload();
    await page.waitForSelector(".starving tbody tr", TIMEOUT);
    const [row] = (await page.evaluate(`[...document.querySelectorAll(".starving tbody tr")]
      .filter((row) => row.querySelector(".grow").textContent === "Ada")
      .map((row) => ({ height: row.offsetHeight, cells: [...row.cells].slice(1).map((cell) => cell.innerText) }))`)) as {
      height: number;
      cells: string[];
    }[];
    expect(row?.cells).toEqual([
      expect.stringMatching(/^4[78]:\d\d:\d\d$/),
      expect.stringMatching(/^\w{3} \d+ \w{3,4}, \d\d:\d\d UTC\+5:45$/),
      "1",
      "Feed",
    ]);
    expect(row?.height).toBeLessThanOrEqual(36);
    await page.focus(".starving tbody a");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]", TIMEOUT);
  });

  it("can cancel a kill in time, carry it out with its reason, and report that another game master was faster", async () => {
    const [gm, , ben] = await s.game("Ada", "Ben", "Cy");
    const email = "ben@example.org";
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { player_id: ben.id, email } });
    const page = await login(gm, "/app/gm/now");
    await see(page, "Who starves next");
    await openPlayer(page, email, "Ben");
    await press(page, "Kill");
    await confirm(page, "Kill");
    // The longest message fits on a phone, and its buttons are above the navigation.
    const misplaced = `(() => {
      const toast = document.querySelector(".toast");
      toast.querySelector("p").textContent = "Void " + "W".repeat(32) + "'s tag: the service cannot be reached. Try again in 10 s.";
      const [nav, box] = [document.querySelector("nav"), toast].map((one) => one.getBoundingClientRect());
      const isOut = (one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const isCut = one.scrollWidth > one.clientWidth + 1 && one.localName === "p";
        return isCut || left < box.left || right > box.right || top < box.top || bottom > box.bottom;
      };
      const isLow = nav.top > 0 && box.bottom > nav.top;
      const outside = [...toast.children].filter(isOut).map(({ textContent }) => textContent);
      return [...outside, ...(isLow || box.left < 0 || box.right > innerWidth ? ["the message"] : [])];
    })()`;
    expect(await page.evaluate(misplaced)).toEqual([]);
    expect(await page.evaluate(TEXT_FAULTS)).toEqual([]);
    await answer(page, "Take it back");
    await page.waitForFunction("document.querySelector('.toast') === null");
    expect(await s.see(ben)).toMatchObject({ state: "human" });
    await press(page, "Kill");
    await fill(page, { reason: "Left the campus" });
    await confirm(page, "Kill");
    await answer(page, "Now");
    await see(page, "Ben is a corpse.");
    await see(page, "“Left the campus”");
    expect(await s.see(ben)).toMatchObject({ state: "corpse" });
    await openPlayer(page, "cy", "Cy");
    await press(page, "Kill");
    await confirm(page, "Kill");
    // Somebody else is faster.
    await s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Cy" } });
    await answer(page, "Now");
    await see(page, "Kill Cy: ");
    await press(page, "Revive as a human");
  });

  it("take a kill back when the same player is cured or made a zombie instead, and leave what does not decide their side", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada", "Cy");
    const page = await login(gm, "/app/gm/now");
    const waiting = () =>
      page.$$eval('.toast[data-kind="waiting"] p', (all) => all.map(({ textContent }) => textContent));
    const send = async (command: string): Promise<void> => {
      await press(page, command);
      await confirm(page, command);
    };
    await openPlayer(page, "ada", "Ada");
    await send("Kill");
    await press(page, "Was tagged by");
    await fill(page, { other: "Zed" });
    await confirm(page, "Enter a tag");
    await see(page, "Ada was tagged by Zed.");
    expect(await waiting()).toEqual([]);
    await openPlayer(page, "cy", "Cy");
    await send("Kill");
    // As the prey of a tag that is entered from its hunter's page.
    await follow(page, paths.gm.player((await s.see(zed)).player_ref));
    await press(page, "Enter a tag");
    await fill(page, { other: "CY" });
    await confirm(page, "Enter a tag");
    await see(page, "Cy was tagged by Zed.");
    expect(await waiting()).toEqual([]);
    for (const command of ["Kill", "Ban", "Ban", "Kill", "Cure"]) await send(command);
    expect(await waiting()).toEqual([
      expect.stringContaining("Ban Zed"),
      expect.stringContaining("Cure Zed"),
    ]);
    for (const _ of [1, 2]) await answer(page, "Now");
    await see(page, "Zed is human again.");
    await see(page, "Zed is banned.");
    expect([
      (await s.see(ada)).state,
      (await read(gm, "/admin/find", { q: "zed" })).players[0].state,
    ]).toEqual(["zombie", "human"]);
  });

  it("hide a tag code from a game master who plays, and show it after a warning", async () => {
    const ada = await s.join("Ada");
    const gus = await s.admin("Gus", true);
    const page = await login(gus, "/app/gm/now");
    await openPlayer(page, "ada", "Ada");
    await see(page, "hidden while you play");
    await press(page, "Show code");
    await see(page, "You are out of play, until the season ends or another game master brings you back.");
    await confirm(page, "Show it and leave play");
    const code = String(ada.code);
    await see(page, `${code.slice(0, 4)} ${code.slice(4)}`);
    await confirm(page, "Close");
    await page.waitForFunction("!document.body.textContent.includes('hidden while you play')", TIMEOUT);
    expect(await s.see(gus)).toMatchObject({ state: "spectator" });
  });

  it("show both stories of somebody who may have left, and decide in one tap, which can be taken back", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    for (const as of [ada, ben]) await s.must("DELETE /delete_player/{url_id}", { as });
    const password = "somebody else's horse";
    for (const alias of ["Ada", "Ben"]) await s.must("POST /new", { body: { alias, password } });
    const page = await login(gm, "/app/gm/now");
    await see(page, "Is Ada a player who left?");
    await see(page, "zombie by now, as if they had stayed");
    await press(page, "Same person: back as human");
    await answer(page, "Take it back");
    // A second tap is the same decision.
    for (const _ of [1, 2]) await press(page, "Same person: back as human");
    expect(await page.$$(".toast")).toHaveLength(1);
    await answer(page, "Now");
    await see(page, "Ben is back as human.");
    // A second decision takes the place of the first.
    await press(page, "Same person: back as zombie");
    await press(page, "Somebody else: play as a new human");
    expect(await page.$$('.toast[data-kind="waiting"]')).toHaveLength(1);
    await answer(page, "Now");
    await see(page, "Ada plays as a new human.");
    await see(page, "Before the start");
    expect(await s.see(await s.login("Ben", password))).toMatchObject({ player_id: ben.id, state: "human" });
  });

  it("show moderators their commands alone, and nothing after they have lost the role", async () => {
    const [gm] = await s.game("Ada");
    const page = await login(await s.moderator("Mo"), "/app/gm/desk");
    const texts = (selector: string) =>
      page.$$eval(selector, (all) => all.map(({ textContent }) => textContent));
    const links = "Now, Desk, Disputes, Big screen, Find, Players, Readiness, Rules, My own game".split(", ");
    expect(await texts(".nav-more a")).toEqual(links);
    await openPlayer(page, "ada", "Ada");
    await see(page, "Feed");
    expect(await texts("main .actions button")).toEqual(["Feed"]);
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { alias: "Mo", is_moderator: false } });
    await press(page, "Feed");
    await confirm(page, "Feed");
    await see(page, "You do not run this game");
  });

  it("need few clicks for what is done often", async () => {
    const [gm, zed, yan, ada] = await s.game("Zed", "Yan", "Ada");
    const { interaction_id } = (await s.hunt(zed, ada)).body.interaction;
    const body = { interaction_id, reason: "I was in the library." };
    await s.must("POST /interactions/dispute/{url_id}", { as: ada, body });
    await s.must("POST /admin/set_checkpoint/{url_id}", {
      as: gm,
      body: { name: "The quad", applies_to: "all" },
    });
    const page = await login(gm, "/app/gm/now");
    await page.setViewport({ width: 1280, height: 800 });
    await page.evaluate(
      "addEventListener('click', ({ isTrusted }) => { globalThis.clicks += isTrusted; }, true)",
    );
    const clicksOf = async (work: () => Promise<void>): Promise<unknown> => {
      await page.evaluate("globalThis.clicks = 0");
      await work();
      return page.evaluate("clicks");
    };
    const feed = async (): Promise<void> => {
      await press(page, "Feed");
      await confirm(page, "Feed");
      await see(page, "is fed.");
    };
    const voidTag = async (): Promise<void> => {
      await press(page, "Disputes");
      await press(page, "Void Zed's tag");
      await page.waitForSelector("dialog[open] textarea:focus", TIMEOUT);
      await page.keyboard.type("The library is safe.");
      await confirm(page, "Void Zed's tag");
      await see(page, "Void Zed's tag in ");
    };
    const message = async (): Promise<void> => {
      await page.select("select[name=audience]", "zombies");
      await page.type("input[name=title]", "Run");
      await page.type("textarea[name=content]", "They come.");
      await press(page, "Review and send");
      await confirm(page, "Send");
    };
    const checkIn = async (): Promise<void> => {
      // The heading of the desk is there before its form.
      await page.waitForSelector("input[name=text]", TIMEOUT);
      await page.type("input[name=text]", String((await s.see(yan)).alias));
      await press(page, "Check in");
      await see(page, "Checked in");
    };
    const open = async (path: string): Promise<void> => {
      await page.evaluate(`document.querySelector('nav a[href="${path}"]').click()`);
      await page.waitForFunction(`location.pathname === "${path}"`, TIMEOUT);
      await page.waitForSelector("main h1", TIMEOUT);
    };
    expect(await clicksOf(feed)).toBe(2);
    expect(await clicksOf(voidTag)).toBe(3);
    // Another decision takes its place.
    await press(page, "Let Zed's tag stand");
    await page.waitForSelector("dialog[open] textarea", TIMEOUT);
    await page.type("dialog[open] textarea", "The library is not safe.");
    await confirm(page, "Let Zed's tag stand");
    await see(page, "The tag stands.");
    expect(await page.$('.toast[data-kind="waiting"]')).toBeNull();
    await open("/app/gm/send");
    // And one to choose the audience.
    expect(await clicksOf(message)).toBe(2);
    await open("/app/gm/desk");
    expect(await clicksOf(checkIn)).toBe(1);
  });

  it("stage a mission: its desk fills by code and by a list of 200, it is closed by name, and reopened", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada", "Ben");
    const crowd = Array.from({ length: 200 }, (_, n) => `Player ${n + 1_000}`);
    for (const half of [crowd.slice(0, 100), crowd.slice(100)]) {
      const rows = half.map((alias) => ({ alias }));
      await s.must("POST /admin/import_players/{url_id}", { as: gm, body: { rows } });
    }
    const at = (hours: number) => rfc3339(Date.now() + hours * HOUR);
    const body = {
      ...{ title: "The drop", starts_at: at(-1), ends_at: at(1), attendance: "desk", required: true },
      briefings: [
        { audience: "humans", text: "Carry the crates.", reveal_at: at(-1), outcome_text: "Safe." },
      ],
      rewards: [{ audience: "humans", effect: { points: 5 } }],
    };
    const { mission_id } = (await s.must("POST /admin/set_mission/{url_id}", { as: gm, body })).body;
    const page = await login(gm, "/app/gm/missions");
    await see(page, "The drop is revealed to humans");
    const desk = await login(gm, "/app/gm/desk");
    await see(desk, "The drop");
    await fill(desk, { text: ada.code ?? "" });
    await desk.keyboard.press("Enter");
    await see(desk, "Ada");
    await setOffline(desk, true);
    // In the middle of the screen, where the bar at its bottom does not cover it.
    await desk.$eval("summary", (one) => Object(one).scrollIntoView({ block: "center" }));
    await desk.locator("summary").click();
    await desk.waitForSelector("textarea[name=pasted]", TIMEOUT);
    await desk.$eval(
      "textarea[name=pasted]",
      (area, text) => {
        Object(area).value = text;
        area.dispatchEvent(new (Object(globalThis).Event)("input", { bubbles: true }));
      },
      ["Zed", "Nobody", ...crowd].join("\n"),
    );
    await press(desk, "Check in 202 players");
    await see(desk, "Waiting for a network");
    await setOffline(desk, false);
    await desk.evaluate("dispatchEvent(new Event('online'))");
    await see(desk, "Nobody has this code, alias or name");
    await see(desk, "202 checked in");
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { time_zone: "Asia/Kathmandu" } });
    await page.goto(`${base}/app/gm/missions`);
    // As on its page, and in the form there, in the zone of the game.
    await see(page, "GMT+5:45");
    await page.locator(`a[href$="${mission_id}"]`).click();
    await see(page, "202 checked in");
    const when = await page.$eval("main header p:last-child", (one) => one.textContent ?? "");
    expect(when).toMatch(/^until .+ \(Asia\/\u200BKathmandu\)$/);
    await fill(page, { attendee: "zed" });
    await page.locator("button[aria-label='Take back']").click();
    await confirm(page, "Take back");
    await see(page, "201 checked in");
    await press(page, "Close the mission");
    await see(page, "201 players: 5 points. Ada, Player 1000, Player 1001, ");
    expect(await page.$("dialog[open] button[type=submit]:enabled")).toBeNull();
    const close = async (result: string): Promise<void> => {
      await page.waitForSelector("dialog[open] select[name=result]", TIMEOUT);
      await page.select("dialog[open] select[name=result]", result);
      await confirm(page, "Close the mission");
    };
    await close("zombies");
    // Another result takes the place of the first.
    await press(page, "Close the mission");
    await close("humans");
    expect(await page.$$('.toast[data-kind="waiting"]')).toHaveLength(1);
    await answer(page, "Now");
    await see(page, "The mission is closed: 201 players rewarded.");
    expect(await s.see(ada)).toMatchObject({ points: 5 });
    expect(await s.see(zed)).toMatchObject({ points: 0 });
    await see(page, "The humans have won");
    await press(page, "Reopen");
    await confirm(page, "Reopen");
    await answer(page, "Now");
    await see(page, "The mission is open again: rewards of 201 players taken back.");
    expect(await s.see(ada)).toMatchObject({ points: 0 });
  });

  it("see who is short of missions, enforce what is required after a preview by name, and undo it", async () => {
    const [gm, , ben] = await s.game("Ada", "Ben", "Cy");
    const now = Date.now();
    const body = {
      ...{ title: "The drop", starts_at: rfc3339(now), ends_at: rfc3339(now + HOUR), required: true },
      briefings: [{ audience: "all", text: "Come.", reveal_at: rfc3339(now) }],
      attendance: "desk",
    };
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { missions_required: 1 } });
    const { mission_id } = (await s.must("POST /admin/set_mission/{url_id}", { as: gm, body })).body;
    await s.must("POST /admin/mission_attendance/{url_id}", { as: gm, body: { mission_id, alias: "Ada" } });
    const page = await login(gm, "/app/gm/missions");
    await press(page, "Who is short");
    await see(page, "2 players");
    await page.goto(`${base}/app/gm/missions`);
    // Nothing that somebody types is changed in silence.
    await fill(page, { min: "500" });
    await page.type("textarea[name=exempt]", "Cy");
    await see(page, "A whole number from 1 to 100.");
    expect(await page.$eval("input[name=min]", (one) => one.value)).toBe("500");
    for (const min of ["2", "1"]) {
      await fill(page, { min });
      await press(page, "Enforce");
      await see(page, min === "1" ? "1 human becomes a corpse: Ben." : "2 missions are needed");
      await confirm(page, "Enforce");
    }
    // The second number takes the place of the first.
    expect(await page.$$('.toast[data-kind="waiting"]')).toHaveLength(1);
    await answer(page, "Now");
    await see(page, "Enforced: 1 player attended too few.");
    expect(await s.see(ben)).toMatchObject({ state: "corpse" });
    await see(page, "1 player attended too few · ");
    await press(page, "Undo");
    await fill(page, { reason: "The list was late." });
    await confirm(page, "Undo");
    await answer(page, "Now");
    await see(page, "1 player is restored.");
    expect(await s.see(ben)).toMatchObject({ state: "human", tag_code: ben.code });
  });

  it("can be opened by keyboard", async () => {
    const page = await login(await s.admin(), "/app/gm/players");
    await see(page, "1 player");
    await page.keyboard.press(".");
    await page.waitForSelector("dialog[open] input[name=command]", TIMEOUT);
    await page.keyboard.type("import");
    await page.keyboard.press("Enter");
    await page.waitForSelector("input[type=file]", TIMEOUT);
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.waitForFunction("location.pathname === '/app/gm/log'", TIMEOUT);
    await page.keyboard.press("/");
    await page.waitForFunction("document.activeElement?.name === 'q'", TIMEOUT);
  });

  it("make codes, print their slips, and show, undo and revoke what was redeemed", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    const page = await login(gm, "/app/gm/codes");
    await see(page, "No codes have been made yet.");
    await fill(page, { label: "Crates", n: "9", points: "3" });
    await page.select("select[name=audience]", "all");
    await page.select("select[name=does]", "food");
    await see(page, "9 codes for everybody. Each works once, and a player can redeem one of them.");
    await see(page, "Each gives 12 hours of food and 3 points.");
    await press(page, "Review and make");
    await confirm(page, "Make codes");
    await see(page, "0 of 9 uses redeemed");
    await see(page, "Nobody has redeemed one yet.");
    await press(page, "Print the sheet");
    await fill(page, { address: "hvz.example" });
    await press(page, "Show the codes");
    await see(page, "9 slips on 2 pages");
    const slips = await page.$$eval(".slip", (all) => all.map((one) => String(Object(one).textContent)));
    expect(slips).toHaveLength(9);
    expect(slips[8]).toContain("Crates · 9 of 9");
    const [code = ""] = /[2-9A-Z]{5} [2-9A-Z]{5}/.exec(slips[0] ?? "") ?? [];
    const { body } = await s.must("POST /player/redeem/{url_id}", { as: ben, body: { code } });
    expect(body.player.points).toBe(3);
    await page.goto(`${base}/app/gm/codes`);
    await press(page, "Crates");
    await see(page, "1 of 9 uses redeemed");
    await press(page, "Undo");
    await see(page, "Ben loses the points.");
    await confirm(page, "Undo");
    await answer(page, "Now");
    await see(page, "0 of 9 uses redeemed");
    await see(page, "undone ");
    expect((await s.see(ben)).points).toBe(0);
    await press(page, "Revoke");
    await confirm(page, "Revoke");
    await answer(page, "Now");
    await see(page, "All are revoked.");
    expect((await s.call("POST /player/redeem/{url_id}", { as: ada, body: { code } })).status).toBe(404);
  });

  it("write a waiver, which players sign as they join and at their next visit, and see who is ready", async () => {
    const [gm, , , cy] = await s.game("Zed", "Ben", "Cy");
    const page = await login(gm, "/app/gm/game/waiver");
    await page.waitForSelector("textarea[name=waiver]", TIMEOUT);
    await page.type("textarea[name=waiver]", "I play at **my own** risk.");
    await page.$eval("main details summary", (summary) => Object(summary).click());
    await see(page, "I play at my own risk.");
    for (const name of ["emergency_contact", "photo_consent"])
      await page.$eval(`input[name=${name}]`, (box) => Object(box).click());
    await press(page, "Review and save");
    await see(page, "Everybody is asked to sign the new text at their next visit.");
    await confirm(page, "Save");
    await see(page, "The settings are saved.");
    // Ada joins, and has to tick that she has read it.
    const joining = await openPage("/app/join");
    await joining.waitForSelector("input[name='signature.full_name']", TIMEOUT);
    await fill(joining, { alias: "Ada", password: "correct horse battery" });
    await joining.type("input[name='signature.full_name']", "Ada Łovelace");
    await joining.type("input[name='signature.emergency_contact']", "Byron");
    await press(joining, "Join");
    await see(joining, "Tick this to sign.");
    await joining.waitForSelector("input[name='signature.agree']:focus", TIMEOUT);
    await joining.$eval("input[name='signature.agree']", (box) => Object(box).click());
    await press(joining, "Join");
    const photos = "input[name='signature.photo_consent']";
    await joining.waitForSelector(`${photos}:focus[aria-describedby]`, TIMEOUT);
    expect(
      await joining.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent",
      ),
    ).toBe("Choose an answer.");
    await joining.$eval(photos, (choice) => Object(choice).click());
    const changed = { waiver: "I play at my own risk, also at night." };
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: changed });
    await press(joining, "Join");
    await see(joining, "The waiver has changed meanwhile.");
    expect(await joining.$eval("input[name='signature.full_name']", (one) => Object(one).value)).toBe(
      "Ada Łovelace",
    );
    await joining.waitForSelector("input[name='signature.agree']:not(:checked)", TIMEOUT);
    await joining.$eval("input[name='signature.agree']", (box) => Object(box).click());
    await press(joining, "Join");
    await joining.waitForSelector(".hero", TIMEOUT);
    // Cy is asked at the next visit, and may sign later.
    const own = await login(cy);
    await own.waitForSelector("input[name=full_name]", TIMEOUT);
    await own.type("input[name=full_name]", "Cy Young");
    await press(own, "Not now");
    await press(own, "Sign the waiver");
    await see(own, "Restored what you typed.");
    await own.$eval("input[name=agree]", (box) => Object(box).click());
    await own.type("input[name=emergency_contact]", "Denton");
    await own.$eval("input[name=photo_consent]", (choice) => Object(choice).click());
    await press(own, "Sign");
    await own.waitForSelector(".hero", TIMEOUT);
    await own.goto(`${base}/app/rules`);
    await press(own, "The waiver");
    await see(own, "as Cy Young, ");
    expect(await own.content()).not.toContain("Denton");
    // Who has not signed is reminded, or signs on paper.
    await page.goto(`${base}/app/gm/readiness`);
    await see(page, "Without a signature (2)");
    await page.select("select[name=lacks]", "signature");
    await page.$eval("main details summary", (summary) => Object(summary).click());
    await press(page, "Remind 2 players");
    await confirm(page, "Send");
    await see(page, "2 players will be reminded.");
    await page.$eval("button[aria-label='Paper of Ben']", (button) => Object(button).click());
    await fill(page, { full_name: "Ben Bell" });
    await press(page, "Enter a paper");
    await see(page, "The paper of Ben is entered.");
    await see(page, "Without a signature (1)");
    await page.select("select[name=lacks]", "all");
    await page.$eval("button[aria-label='Signature of Ada']", (button) => Object(button).click());
    await press(page, "Show what is stored");
    await see(page, "Byron");
    await page.goto(`${base}/app/gm/readiness`);
    await see(page, "Without a signature (1)");
    // The file has the contacts, and the print does not.
    await page.evaluate(`{
      const make = URL.createObjectURL;
      URL.createObjectURL = (file) => {
        void file.text().then((text) => { globalThis.saved = text; });
        return make.call(URL, file);
      };
      globalThis.print = () => { globalThis.sheets = document.querySelector(".signature-sheets").textContent; };
    }`);
    await press(page, "Export signatures");
    await page.waitForFunction("globalThis.saved?.includes('Byron')", TIMEOUT);
    expect(String(await page.evaluate("saved")).split("\r\n")[0]).toContain("alias,full_name,guardian_name");
    await press(page, "Print");
    await page.waitForFunction("globalThis.sheets !== undefined", TIMEOUT);
    const sheets = String(await page.evaluate("sheets"));
    for (const text of ["Ada Łovelace", "Cy Young", "Ben Bell", "also at night"])
      expect(sheets).toContain(text);
    expect(sheets).not.toContain("Byron");
  });

  it("bring the form of a paper into view from below a long list, and go back to its button", async () => {
    const gm = await s.admin();
    await s.joinAll(...Array.from({ length: 25 }, (_, n) => `Player ${n + 10}`));
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { waiver: "I play at my own risk." } });
    const page = await login(gm, "/app/gm/readiness");
    const button = "button[aria-label='Paper of Player 34']";
    await page.locator(button).setTimeout(WAIT_MS).click();
    const isAtForm = `(() => {
      const form = document.activeElement.closest("form");
      const { top, bottom } = (form ?? document.activeElement).getBoundingClientRect();
      return form !== null && top < innerHeight && bottom > 0;
    })()`;
    await page.waitForFunction(isAtForm, TIMEOUT);
    await press(page, "Cancel");
    await page.waitForFunction(`document.activeElement.matches("${button}")`, TIMEOUT);
  });

  it("add, test and remove a webhook", async () => {
    const gm = await s.admin();
    const page = await login(gm, "/app/gm/webhooks");
    await press(page, "Add a webhook");
    await fill(page, { url: "https://hooks.invalid/secret-path" });
    await page.select("dialog[open] select[name=format]", "signed");
    await confirm(page, "Add a webhook");
    await see(page, "whsec_");
    await confirm(page, "Close");
    await see(page, "No test has arrived yet.");
    await press(page, "Send a test");
    await see(page, "The last message failed: ");
    expect(await page.content()).not.toContain("secret-path");
    await page.locator("button[aria-label='Remove the webhook to hooks.invalid']").click();
    await confirm(page, "Remove");
    await see(page, "The webhook is removed.");
    const { body } = await s.call("GET /admin/settings/{url_id}", { as: gm });
    expect(body.webhooks).toEqual([]);
  });

  it("list what became of each mail, send a test, and let mail go to a refused address again", async () => {
    const gm = await s.admin();
    const { id } = await s.join("Ada");
    const email = "ada@example.org";
    await s.must("POST /admin/edit_player/{url_id}", { as: gm, body: { player_id: id, email } });
    await makeBounced(s.store, id, email, s.now);
    const page = await login(gm, "/app/gm/mail");
    await see(page, "Refused addresses");
    await see(page, "Ada · Test");
    await see(page, "Address refused");
    await see(page, "EENVELOPE RCPT TO 550");
    // A test goes to the own address, which is not known yet.
    expect(await page.$eval("main header a[href='/app/profile']", (link) => link.textContent)).toBe(
      "Enter your address for a test",
    );
    await press(page, "Send mail there again");
    await confirm(page, "Send mail there again");
    await see(page, "Mail goes to Ada again.");
    await page.waitForFunction("!document.body.textContent.includes('Refused addresses')", TIMEOUT);
    await press(page, "Send again");
    await confirm(page, "Send again");
    await see(page, "The mail is on its way.");
    const sent = async () => (await s.must("GET /admin/mail/{url_id}", { as: gm })).body.mails[0];
    await expect.poll(sent, TIMEOUT).toMatchObject({ alias: "Ada", kind: "test", state: "sent" });
    await page.reload();
    await see(page, "Ada · TestSent");
  });

  it("show in the outbox what a local service would have sent, whose links set a forgotten password", async () => {
    const gm = await s.admin();
    const { id } = await s.join("Ada");
    const email = "ada@example.org";
    const ada = await s.login("Ada", PASSWORD);
    await s.must("POST /edit_player/{url_id}", { as: ada, body: { email } });
    const outbox = await login(gm, "/app/gm/mail");
    await outbox.setViewport({ width: 1_280, height: 800 });
    await press(outbox, "Outbox");
    /** Waits for a mail, and opens its link in a new tab. */
    const openMailed = async (subject: string, label: string): Promise<Page> => {
      const { mail, link } = await mailedLink(outbox, subject, label);
      // Nothing of the page's policy has kept the style of the mail away.
      expect(await link?.evaluate("document.links[0].computedStyleMap().get('display').value")).not.toBe(
        "inline",
      );
      expect(await mail?.evaluate("document.scripts.length")).toBe(0);
      // All of it is seen, and no more than it.
      await mail?.waitForFunction("innerHeight === document.body.offsetHeight", TIMEOUT);
      const opened = outbox.browserContext().waitForTarget((target) => target.opener() === outbox.target());
      await link?.click();
      const page = await (await opened).page();
      if (page === null) throw new Error("the link opens nothing");
      return page;
    };
    const confirmed = await openMailed(
      "Confirm your e-mail address for Humans vs Zombies",
      "Confirm this address",
    );
    // Whoever only opens the link, such as a scanner of mails, confirms nothing.
    await see(confirmed, "Confirm your address");
    expect((await s.see(ada)).email_confirmed).toBe(false);
    await press(confirmed, "Confirm this address");
    await see(confirmed, "Your address is confirmed");
    expect((await s.see(ada)).email_confirmed).toBe(true);
    await confirmed.close();

    const forgetful = await openPage("/app/login");
    await press(forgetful, "Forgotten your password?");
    await fill(forgetful, { alias_or_email: email });
    await press(forgetful, "Send the link");
    await see(forgetful, "Look into your mail");
    const recovering = await openMailed("Set a new password for Humans vs Zombies", "Set a new password");
    await fill(recovering, { new_password: `${PASSWORD} 2` });
    await press(recovering, "Set the password and log in");
    await recovering.waitForSelector("nav", TIMEOUT);
    const { body } = await s.must("POST /login", { body: { alias: email, password: `${PASSWORD} 2` } });
    expect(body.player_id).toBe(id);
    await visit(outbox, `${base}/app/recover#alias=Ada&token=sample`);
    await see(outbox, "This link is a sample");
  });

  it("mail a message after a count and a sample; its last link stops such mails without a login, until the profile allows them", async () => {
    const [gm, ada, email] = [await s.admin(), await s.join("Ada"), "ada@example.org"];
    await s.must("POST /edit_player/{url_id}", { as: ada, body: { email } });
    const token = await makeConfirmation(s.store, ada.id, email, s.now);
    await s.must("POST /confirm_email", { body: { token } });
    const page = await login(gm, "/app/gm/send");
    await fill(page, { title: "Supply drop" });
    await page.type("textarea[name=content]", "At the library.");
    await page.click("input[name=also_email]");
    await page.type("input[name=below]", "x");
    await see(page, "A whole number from 1 to 100.");
    await page.keyboard.press("Backspace");
    await press(page, "Count and sample");
    await see(page, "1 player gets a mail.");
    await see(page, "Stop announcements by mail:");
    // What was counted for another message is not shown for this one.
    await page.type("textarea[name=content]", " Hurry.");
    await page.waitForFunction("!document.body.textContent.includes('1 player gets a mail.')", TIMEOUT);
    await press(page, "Review and send");
    await confirm(page, "Send");
    await answer(page, "Now");
    await see(page, "The message is sent.");
    await see(page, " · 1 mail");
    await visit(page, `${base}/app/gm/outbox`);
    const { link } = await mailedLink(page, "Supply drop", "Stop announcements by mail");
    const { pathname, search } = new URL(String(await link?.evaluate(({ href }) => href)));
    // A browser without a session.
    const mailed = await openPage(`${pathname}${search}`);
    await see(mailed, "Other mails, such as a link for a forgotten password, still come.");
    expect(new URL(mailed.url()).pathname).toBe("/app/unsubscribe");
    const kinds = async () => (await s.see(ada)).mail_kinds ?? null;
    expect(await kinds()).toContain("announcement");
    await press(mailed, "Stop these mails");
    await see(mailed, "No more announcements by mail");
    expect(await kinds()).toEqual([]);
    const mine = await login(ada, "/app/profile");
    const allows = await mine.waitForSelector("input[name=announcements]:not(:checked)", TIMEOUT);
    await allows?.click();
    await mine.waitForSelector("input[name=announcements]:checked:enabled", TIMEOUT);
    expect(await kinds()).toContain("announcement");
  });

  it("keep the big screen through a restart without a network, and go on when it is back", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { public_board: true, name: "Spring" } });
    const page = await openPage("/app/screen");
    // Otherwise the browser keeps the game for half a minute.
    await page.setCacheEnabled(false);
    await see(page, "Spring");
    const isKept = `caches.match(performance.getEntriesByType("resource").map(({ name }) => name)
      .find((name) => name.includes("/assets/gm-screen") && name.endsWith(".js"))).then((found) => found !== undefined)`;
    await page.waitForFunction(isKept, TIMEOUT);
    await setOffline(page, true);
    await s.hunt(ada, ben);
    await page.reload();
    await see(page, "No network. This is the game as it was today at ");
    expect(await page.$$(".crowd [data-state=zombie]")).toHaveLength(1);
    // Otherwise the service may show the board as it was some seconds ago.
    await s.must("POST /admin/settings/{url_id}", { as: gm, body: { name: "Summer" } });
    await setOffline(page, false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await see(page, "Ada tagged Ben");
    expect(await page.$("main [role=status]")).toBeNull();
  });
});
