/** Forms of game masters, typed key by key in a real Chromium, by one of them and by two at the same time. */
import type { Page } from "puppeteer-core";
import { expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { TEXT_FAULTS } from "../support/textFaults.ts";
import { describeInChromium, TIMEOUT, WAIT_MS, webPages } from "../support/webPages.ts";

describeInChromium("forms of game masters", () => {
  const s = testEnvironment();
  const { base, see, fill, press, confirm, answer, openPlayer, login } = webPages();
  const { read, done } = shortRequests(s);
  const settings = (gm: TestPlayer) => read(gm, "/admin/settings");

  const openGame = async (gm: TestPlayer, section = "schedule"): Promise<Page> => {
    const page = await login(gm, `/app/gm/game/${section}`);
    // On a phone the bar at the bottom covers what is only just in view.
    await page.setViewport({ width: 1_280, height: 900 });
    await page.waitForSelector(`#${section}`, TIMEOUT);
    return page;
  };

  /** Empties a field by its keys, and types into it. A date has one part after the other. */
  const type = async (page: Page, selector: string, ...parts: string[]): Promise<void> => {
    const field = await page.locator(selector).setTimeout(WAIT_MS).waitHandle();
    await Object(field).scrollIntoView();
    if (parts.length === 1) {
      await Object(field).focus();
      await page.keyboard.down("Control");
      await page.keyboard.press("KeyA");
      await page.keyboard.up("Control");
      await page.keyboard.press("Backspace");
    } else {
      // Focus by the keyboard is on the first part.
      await Object(field).evaluate((element: { blur: () => void; focus: () => void }) => {
        element.blur();
        element.focus();
      });
    }
    for (const part of parts) await page.keyboard.type(part);
  };

  const review = async (page: Page, section: string): Promise<void> => {
    await page.locator(`#${section} button[type=submit]:enabled`).setTimeout(WAIT_MS).click();
    await page.waitForSelector("dialog[open] form", TIMEOUT);
  };
  const closed = (page: Page) =>
    page.waitForFunction("document.querySelector('dialog[open]') === null", TIMEOUT);
  const save = async (page: Page, section: string): Promise<void> => {
    await review(page, section);
    await confirm(page, "Save");
    await closed(page);
  };
  const valueIn = (page: Page, selector: string) =>
    page.$eval(selector, (element) => Object(element).value as string);
  const dialogText = (page: Page) =>
    page.$eval("dialog[open]", (dialog) =>
      [...Object(dialog).querySelectorAll("h2, h3, p, li, dt, dd, label")]
        .map((one) => one.textContent)
        .join(" ")
        .replaceAll(/\s+/g, " "),
    );

  it("find a time zone by its city, apply only zones, and show start and end in the same one", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { starts_at: "2027-06-01T08:00:00Z", ends_at: "2027-06-08T08:00:00Z" });
    const page = await openGame(gm);
    await type(page, "input[name=time_zone]", "berlin");
    await page.waitForSelector("[role=option]", TIMEOUT);
    expect(await page.$$eval("[role=option]", (all) => all.map(({ textContent }) => textContent))).toEqual([
      expect.stringMatching(/^Europe\/BerlinUTC\+[12]$/),
    ]);
    await page.keyboard.press("Enter");
    for (const [name, local] of [
      ["starts_at", "2027-06-01T10:00"],
      ["ends_at", "2027-06-08T10:00"],
    ])
      expect(await valueIn(page, `input[name=${name}]`)).toBe(local);
    await save(page, "schedule");
    expect(await settings(gm)).toMatchObject({
      time_zone: "Europe/Berlin",
      starts_at: "2027-06-01T08:00:00.000Z",
    });
    // What is no zone is dropped, and the page goes on.
    await type(page, "input[name=time_zone]", "Europe/Nowhere");
    await see(page, "No zone has this name");
    await page.keyboard.press("Tab");
    expect(await valueIn(page, "input[name=time_zone]")).toBe("Europe/Berlin");
    // A zone that browsers do not list, and whose name begins with that of another.
    await type(page, "input[name=time_zone]", "Etc/GMT+10");
    await page.keyboard.press("Tab");
    expect(await valueIn(page, "input[name=time_zone]")).toBe("Etc/GMT+10");
    expect(await valueIn(page, "input[name=starts_at]")).toBe("2027-05-31T22:00");
    // By the arrow keys; the list begins with the zone of the device.
    await type(page, "input[name=time_zone]", "amer");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const active = await page.$eval("[role=option][aria-selected=true]", (one) => one.textContent ?? "");
    await page.keyboard.press("Enter");
    const chosen = await valueIn(page, "input[name=time_zone]");
    expect(active.replaceAll(" ", "_")).toContain(chosen);
    await page.locator("input[name=time_zone]").click();
    const own = await page.evaluate("new Intl.DateTimeFormat().resolvedOptions().timeZone");
    expect(await page.$eval("[role=option]", (one) => one.textContent)).toContain(own);
  });

  it("take a date that is typed part by part, and keep what is half typed from being saved or overwritten", async () => {
    const gm = await s.admin();
    const page = await openGame(gm);
    await type(page, "input[name=starts_at]", "11", "27", "2027", "\t", "10", "00");
    // Somebody else changes the game meanwhile, and the page reads it again.
    await done(gm, "settings", { name: "Spring" });
    const again = page.waitForResponse((response) => response.url().includes("/admin/settings"), TIMEOUT);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await again;
    // Without its half of the day it is no time yet.
    expect(await page.$("#schedule button[type=submit]:enabled")).toBeNull();
    await page.keyboard.type("AM");
    await review(page, "schedule");
    await see(page, "The game starts Sat 27 Nov, 10:00");
    await confirm(page, "Save");
    await closed(page);
    expect((await settings(gm)).starts_at).toBe("2027-11-27T10:00:00.000Z");
  });

  it("ask about an hour that a clock change skips or shows twice", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { time_zone: "Europe/Berlin" });
    const page = await openGame(gm);
    await type(page, "input[name=starts_at]", "03", "28", "2027", "\t", "02", "30", "AM");
    await see(page, "On 2027-03-28 there is no 02:30");
    await press(page, "03:30");
    await type(page, "input[name=ends_at]", "10", "31", "2027", "\t", "02", "30", "AM");
    await see(page, "the clocks go back and show 02:30 twice");
    // The form is not sent before the answer.
    await page.locator("#schedule button[type=submit]:enabled").click();
    expect(await page.$("dialog[open]")).toBeNull();
    await see(page, "Central European Standard Time, UTC+1");
    await page.locator("::-p-xpath(//label[contains(., 'The second time')])").click();
    await save(page, "schedule");
    const { starts_at, ends_at } = await settings(gm);
    expect([starts_at, ends_at]).toEqual(["2027-03-28T01:30:00.000Z", "2027-10-31T01:30:00.000Z"]);
    await page.reload();
    await see(page, "show 02:30 twice");
    expect(await page.$$eval("input[type=radio]", (all) => all.map((one) => Object(one).checked))).toEqual([
      false,
      true,
    ]);
  });

  it("take the times of a mission key by key, with the same questions about a change of the clock", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { time_zone: "Europe/Berlin" });
    const page = await login(gm, "/app/gm/missions/new");
    await page.setViewport({ width: 1_280, height: 900 });
    await fill(page, { title: "The long night" });
    const BRIEFING = "[name='briefings.0.reveal_at']";
    await type(page, "input[name=starts_at]", "10", "30", "2027", "\t", "11", "00", "PM");
    await type(page, "input[name=ends_at]", "10", "31", "2027", "\t", "02", "30", "AM");
    await see(page, "the clocks go back and show 02:30 twice");
    await page.locator("::-p-xpath(//label[contains(., 'The second time')])").click();
    await type(page, BRIEFING, "03", "28", "2027", "\t", "02", "30", "AM");
    await see(page, "On 2027-03-28 there is no 02:30");
    await press(page, "03:30");
    await type(page, "textarea[name='briefings.0.text']", "Stay **awake**.");
    // What each side sees is beside the form, with the times of the zone.
    await see(page, "From Sat 30 Oct, 23:00 to Sun 31 Oct, 02:30");
    await see(page, "Revealed Sun 28 Mar, 03:30");
    expect(await page.$eval(".mission-view strong", ({ textContent }) => textContent)).toBe("awake");
    await page.reload();
    await see(page, "Revealed Sun 28 Mar, 03:30");
    await press(page, "Review and save");
    await confirm(page, "Save");
    await see(page, "Who came");
    const [mission] = (await read(gm, "/missions")).missions;
    expect(mission).toMatchObject({
      ...{ starts_at: "2027-10-30T21:00:00.000Z", ends_at: "2027-10-31T01:30:00.000Z" },
      briefings: [{ reveal_at: "2027-03-28T01:30:00.000Z", text: "Stay **awake**." }],
    });
  });

  it("take a time that is none away with its part of a mission", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { time_zone: "Europe/Berlin" });
    const page = await login(gm, "/app/gm/missions/new");
    await page.setViewport({ width: 1_280, height: 900 });
    await press(page, "Add a briefing");
    await type(page, "[name='briefings.1.reveal_at']", "10", "30", "2027", "\t", "11", "00", "PM");
    await type(page, "[name='briefings.0.reveal_at']", "03", "28", "2027", "\t", "02", "30", "AM");
    await see(page, "On 2027-03-28 there is no 02:30");
    await press(page, "Remove Briefing 1");
    await page.waitForSelector("[name='briefings.1.reveal_at']", { hidden: true, ...TIMEOUT });
    expect(await valueIn(page, "[name='briefings.0.reveal_at']")).toBe("2027-10-30T23:00");
  });

  it("remove one of two awards that are still empty", async () => {
    const [gm] = await s.game("Zed");
    const page = await openGame(gm, "season");
    await press(page, "Finish the season");
    for (const _ of [1, 2]) await confirm(page, "Add an award");
    await confirm(page, "Remove award 2");
    expect(await page.$$("dialog[open] fieldset")).toHaveLength(1);
  });

  it("split hours that go past midnight, and show them as one", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { play_hours: { monday: [["08:00", "22:00"]] } });
    const page = await openGame(gm);
    const addHours = "::-p-xpath(//li[strong='DAY']//button[contains(., 'Add hours')])";
    for (const [day, from, to] of [
      ["Friday", ["06", "00", "PM"], ["02", "00", "AM"]],
      ["Sunday", ["10", "00", "PM"], ["01", "30", "AM"]],
      ["Tuesday", ["12", "00", "AM"], ["12", "00", "AM"]],
    ] as const) {
      await page.locator(addHours.replace("DAY", day)).setTimeout(WAIT_MS).click();
      await type(page, `input[aria-label="${day}, from"]`, ...from);
      await type(page, `input[aria-label="${day}, to"]`, ...to);
    }
    await review(page, "schedule");
    await see(page, "Mon 08:00–22:00; Tue 00:00–24:00; Fri 18:00–02:00; Sun 22:00–01:30.");
    await confirm(page, "Save");
    await closed(page);
    expect((await settings(gm)).play_hours).toEqual({
      monday: [
        ["00:00", "01:30"],
        ["08:00", "22:00"],
      ],
      tuesday: [["00:00", "24:00"]],
      friday: [["18:00", "24:00"]],
      saturday: [["00:00", "02:00"]],
      sunday: [["22:00", "24:00"]],
    });
    await page.reload();
    await page.waitForSelector('input[aria-label="Friday, to"]', TIMEOUT);
    expect(await valueIn(page, 'input[aria-label="Friday, to"]')).toBe("02:00");
    expect(await page.$$('input[aria-label="Monday, from"]')).toHaveLength(1);
    expect(await page.$('input[aria-label="Saturday, from"]')).toBeNull();
    await see(page, "on the next day");
    // Also on a phone the hours can be read, and nothing leaves the card.
    await page.setViewport({ width: 360, height: 740, hasTouch: true });
    const range = '::-p-xpath(//input[@aria-label="Friday, from"]/..)';
    await page.locator(range).setTimeout(WAIT_MS).wait();
    expect(await page.evaluate(TEXT_FAULTS)).toEqual([]);
    const narrow = `[...document.querySelectorAll(".week-range > input")].filter((one) => one.offsetWidth < 96).length`;
    expect(await page.evaluate(narrow)).toBe(0);
    // Whoever chooses hours anew begins with those of every day.
    for (const choice of ["always", "hours"]) await page.select("select[name=hours]", choice);
    await review(page, "schedule");
    await see(page, "Outside these hours no tag counts and no zombie gets hungrier: Mon–Sun 08:00–22:00.");
  });

  it("reveal the original zombies at the press of a button, by the service's clock", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { hide_originals: true, reveal_originals_at: rfc3339(Date.now() + HOUR) });
    const page = await openGame(gm, "originals");
    await press(page, "Reveal them now");
    await page.waitForSelector("dialog[open] form", TIMEOUT);
    // Nobody but the log is told why.
    expect(await dialogText(page)).not.toContain("The player sees it too");
    await confirm(page, "Reveal them now");
    await answer(page, "Now");
    await see(page, "Everybody sees the original zombies.");
    expect(Date.parse((await settings(gm)).reveal_originals_at)).toBeLessThanOrEqual(Date.now());
  });

  it("ask anew at each change of the waiver whether signatures stay", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { waiver: "I play at my own risk" });
    const page = await openGame(gm, "waiver");
    // A number that is out of range stays until it is corrected or discarded.
    const days = "input[name=keep_signatures_days]";
    const before = await valueIn(page, days);
    await type(page, days, "9999");
    await page.focus("textarea[name=waiver]");
    await see(page, "A whole number from 0 to 3,660.");
    expect(await valueIn(page, days)).toBe("9999");
    await press(page, "Discard");
    await expect.poll(() => valueIn(page, days), TIMEOUT).toBe(before);
    const keeps = "input[name=waiver_keeps_signatures]";
    await page.type("textarea[name=waiver]", ".");
    await page.locator(keeps).setTimeout(WAIT_MS).click();
    await save(page, "waiver");
    await page.waitForSelector(keeps, { hidden: true, ...TIMEOUT });
    await page.type("textarea[name=waiver]", " Also at night.");
    await page.waitForSelector(keeps, TIMEOUT);
    expect(await page.$(`${keeps}:checked`)).toBeNull();
  });

  it("name fields in words when they contradict each other", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { starts_at: "2027-06-01T08:00:00Z" });
    const page = await openGame(gm);
    await type(page, "input[name=ends_at]", "05", "01", "2027", "\t", "08", "00", "AM");
    await review(page, "schedule");
    await confirm(page, "Save");
    await see(page, "The end must be after the start.");
  });

  it("show both lists when two game masters save one, and let the second decide", {
    timeout: 90_000,
  }, async () => {
    const gm = await s.admin();
    const other = await s.admin("Grace", true);
    const [mine, theirs] = [await openGame(gm, "registration"), await openGame(other, "registration")];
    const addCode = async (page: Page, code: string): Promise<void> => {
      await press(page, "Add a code");
      const rows = await page.$$("input[name^=code-]");
      await type(page, `input[name=code-${rows.length - 1}]`, code);
    };
    await addCode(mine, "mine-1234");
    await addCode(theirs, "theirs-12");
    await save(theirs, "registration");
    // My page reads it, and keeps what I have typed.
    await mine.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await review(mine, "registration");
    await confirm(mine, "Save");
    await see(mine, "Somebody else has changed the list of join codes meanwhile.");
    const shown = await dialogText(mine);
    expect(shown).toContain("Stored now Newcomers need one of: theirs-12.");
    expect(shown).toContain("Yours Newcomers need one of: mine-1234.");
    expect((await settings(gm)).join_codes).toMatchObject([{ code: "theirs-12" }]);
    await confirm(mine, "Keep mine");
    await closed(mine);
    expect((await settings(gm)).join_codes).toMatchObject([{ code: "mine-1234" }]);

    // Texts: one of two fields conflicts. The other stays typed when I give way.
    await mine.goto(`${base}/app/gm/game/texts`);
    await type(mine, "textarea[name=rules]", "Be quiet.");
    await type(mine, "input[name=contact]", "gm@example.org");
    await done(other, "settings", { rules: "Be kind.", description: "In the park." });
    await review(mine, "texts");
    await confirm(mine, "Save");
    await see(mine, "Somebody else has changed the rules meanwhile.");
    expect(await dialogText(mine)).toContain("Stored now Be kind. Yours Be quiet.");
    await confirm(mine, "Take theirs");
    await closed(mine);
    await mine.waitForFunction(
      "document.querySelector('textarea[name=rules]').value === 'Be kind.'",
      TIMEOUT,
    );
    await save(mine, "texts");
    const texts = { rules: "Be kind.", contact: "gm@example.org", description: "In the park." };
    expect(await settings(gm)).toMatchObject(texts);

    // Webhooks: one more of each.
    await mine.goto(`${base}/app/gm/webhooks`);
    await press(mine, "Add a webhook");
    const url = (id: number) => `https://discord.com/api/webhooks/${id}/secret`;
    await type(mine, "dialog[open] input[name=url]", url(1));
    await done(other, "settings", { webhooks: [{ url: url(2), format: "discord" }] });
    await confirm(mine, "Add a webhook");
    await closed(mine);
    expect((await settings(gm)).webhooks).toHaveLength(2);
  });

  it("show both values when two change a player or a checkpoint", async () => {
    const [gm, ada] = await s.game("Ada");
    const other = await s.admin("Grace", true);
    const page = await login(gm, "/app/gm/find");
    await page.setViewport({ width: 1_280, height: 900 });
    await openPlayer(page, "ada", "Ada");
    await press(page, "Note and labels");
    await type(page, "dialog[open] textarea[name=note]", "Has no car.");
    await done(other, "edit_player", { player_id: ada.id, note: "Has a car." });
    await confirm(page, "Save");
    await see(page, "Somebody else has changed the note meanwhile.");
    expect(await dialogText(page)).toContain("Stored now Has a car. Yours Has no car.");
    await confirm(page, "Take theirs");
    expect(await valueIn(page, "dialog[open] textarea[name=note]")).toBe("Has a car.");
    await type(page, "dialog[open] textarea[name=note]", "Has a car, at times.");
    await confirm(page, "Save");
    await closed(page);
    await see(page, "Has a car, at times.");

    const { checkpoint_id } = await done(other, "set_checkpoint", { name: "Bridge" });
    await page.goto(`${base}/app/gm/checkpoint`);
    await press(page, "Correct name, place or time");
    await type(page, "dialog[open] input[name=name]", "Old bridge");
    await done(other, "set_checkpoint", { checkpoint_id, name: "New bridge" });
    await confirm(page, "Save");
    await see(page, "Somebody else has changed the name meanwhile.");
    await confirm(page, "Keep mine");
    await closed(page);
    expect((await read(gm, "/game")).checkpoint).toMatchObject({ checkpoint_id, name: "Old bridge" });

    const [starts_at, ends_at] = [1, 2].map((hours) => rfc3339(Date.now() + hours * HOUR));
    const briefings = [{ audience: "all", text: "Come.", reveal_at: starts_at }];
    const mission = { title: "The drop", starts_at, ends_at, briefings };
    const { mission_id } = await done(other, "set_mission", mission);
    const stored = async () => (await read(gm, "/missions")).missions[0];
    await page.goto(`${base}/app/gm/missions/${mission_id}`);
    await type(page, "main input[name=title]", "The drop at night");
    // What others have changed elsewhere in it stays, without a question.
    await done(other, "set_mission", { mission_id, place: "The pond" });
    await press(page, "Review and save");
    await confirm(page, "Save");
    await closed(page);
    expect(await stored()).toMatchObject({ title: "The drop at night", place: "The pond" });
    // It would cover the button.
    await page.waitForSelector(".toast", { hidden: true, timeout: WAIT_MS });
    await type(page, "main input[name=title]", "The night drop");
    await done(other, "set_mission", { mission_id, title: "The day drop" });
    await press(page, "Review and save");
    await confirm(page, "Save");
    await see(page, "Somebody else has changed this");
    expect(await dialogText(page)).toContain("Stored now The day drop Yours The night drop");
    await confirm(page, "Keep mine");
    await closed(page);
    expect(await stored()).toMatchObject({ title: "The night drop", place: "The pond" });
  });
});
