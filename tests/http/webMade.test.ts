/** Made zombies, the desk, the log and messages on the pages of game masters and players, in a real Chromium. */
import type { Page } from "puppeteer-core";
import { expect, it } from "vitest";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { describeInChromium, TIMEOUT, webPages } from "../support/webPages.ts";

describeInChromium("pages", () => {
  const s = testEnvironment();
  const { base, see, press, confirm, openPlayer, login } = webPages();
  const { admin, done, read } = shortRequests(s);

  /** Types into a field as people do, key by key. */
  const type = async (page: Page, name: string, text: string): Promise<void> => {
    await page.waitForSelector(`[name=${name}]`, TIMEOUT);
    await page.type(`[name=${name}]`, text);
  };
  const shown = (page: Page, selector: string): Promise<string[]> =>
    page.$$eval(selector, (all) => all.map((one) => Object(one).textContent));

  it("ask whether others should know of a revived zombie while originals are hidden, and by default nobody does", async () => {
    const [gm, , ann, bob] = await s.game("Zed", "Ann", "Bob");
    for (const alias of ["Ann", "Bob"]) await done(gm, "corpsify", { alias });
    const page = await login(gm, "/app/gm/now");
    await openPlayer(page, "ann", "Ann");
    await press(page, "Revive as a zombie");
    await page.waitForSelector("dialog[open]", TIMEOUT);
    expect(await page.$("dialog [name=hidden]")).toBeNull();
    await confirm(page, "Cancel");
    await done(gm, "settings", { hide_originals: true });
    await press(page, "Revive as a zombie");
    await see(page, "Should others see a zombie?");
    await confirm(page, "Revive as a zombie");
    await see(page, "Ann plays as a zombie.");
    await see(page, "Others see a human: a hidden original zombie.");
    await openPlayer(page, "bob", "Bob");
    await press(page, "Revive as a zombie");
    await page.waitForSelector("dialog [name=hidden]", TIMEOUT);
    await page.select("dialog [name=hidden]", "false");
    await confirm(page, "Revive as a zombie");
    await see(page, "Bob plays as a zombie.");
    expect([(await s.see(ann)).shown_as, (await s.see(bob)).shown_as]).toEqual(["human", undefined]);
  });

  it("tell a late hunter who made the zombie and when, and let a game master name the hunter", async () => {
    const [gm, zed, ann, bob] = await s.game("Zed", "Ann", "Bob");
    await done(gm, "corpsify", { alias: "Ann" });
    await done(gm, "revive_z", { alias: "Ann" });
    const own = await login(zed, "/app/tag");
    await own.waitForSelector("main input", TIMEOUT);
    await own.type("main input", ann.code ?? "");
    await press(own, "Report the tag");
    await see(own, "its player was made a zombie by a game master today at ");
    await see(own, "ask a game master to name you as the hunter");
    // The time is that of the reader's clock.
    expect(await own.evaluate("document.body.textContent")).not.toMatch(/\d{4}-\d\d-\d\dT/);
    const page = await login(gm, "/app/gm/now");
    await openPlayer(page, "ann", "Ann");
    await press(page, "Name the hunter");
    await see(page, "The infection becomes a tag, which everybody sees.");
    await type(page, "alias", "Zed");
    await confirm(page, "Name the hunter");
    await see(page, "The tag is by Zed.");
    await see(page, "Zed tagged Ann");
    expect((await s.see(zed)).kills).toBe(1);
    await press(page, "Void Zed's tag");
    await see(page, "Zed loses this tag.");
    // Whoever names the hunter of a tag does not void it.
    await s.must("POST /player/report_tagged/{url_id}", { as: bob, body: {} });
    await openPlayer(page, "bob", "Bob");
    await press(page, "Void this tag");
    await page.waitForSelector("dialog[open] [name=reason]", TIMEOUT);
    await type(page, "reason", "Nobody saw it.");
    await confirm(page, "Void this tag");
    await press(page, "Name the hunter");
    await type(page, "alias", "Zed");
    await confirm(page, "Name the hunter");
    await see(page, "The tag is by Zed.");
    expect(await shown(page, '.toast[data-kind="waiting"]')).toEqual([]);
  });

  it("show the latest commands and the log behind hundreds of reads", async () => {
    const [gm] = await s.game("Zed");
    await done(gm, "feed_player", { alias: "Zed" });
    await admin(gm, "feed_player", { alias: "Nobody" });
    for (let n = 0; n < 240; n += 20)
      await Promise.all(Array.from({ length: 20 }, () => read(gm, "/admin/player_count")));
    const page = await login(gm, "/app/gm/now");
    const [name] = [gm.alias];
    await see(page, `${name} fed Zed`);
    await page.goto(`${base}/app/gm/log`);
    await see(page, `${name} fed Zed`);
    await page.locator("input[name=refused]").click();
    await see(page, `${name} fed a player`);
    await page.locator("input[name=refused]").click();
    await page.locator("input[name=looks]").click();
    await see(page, `${name} counted the players`);
    await type(page, "who", "zed");
    // It is further back than the first page.
    await see(page, `${name} fed Zed`);
    expect(await shown(page, ".empty")).toEqual([]);
    // What is chosen by name has no reads either, unless they are asked for.
    await page.locator("input[name=looks]").click();
    await type(page, "who", "");
    await done(gm, "settings", { contact: "gm@hvz.example" });
    await read(gm, "/admin/settings");
    await page.reload();
    await page.locator("select[name=action]").fill("settings");
    await see(page, `${name} changed settings`);
    expect(await page.evaluate("document.body.textContent")).not.toContain(`${name} read the settings`);
    await page.locator("select[name=action]").fill("login");
    await see(page, `${name} logged in`);
  });

  it("find players at the desk by a part, count who has come, and warn of a zombie at a checkpoint for humans", async () => {
    const [gm, , ann] = await s.game("Zed", "Ann Berg", "Annika", "Boris", "Dora");
    await done(gm, "edit_player", { alias: "Dora", first_name: "Theodora" });
    await done(gm, "set_checkpoint", { name: "Library", applies_to: "humans" });
    const page = await login(gm, "/app/gm/desk");
    await see(page, "0 of 4 checked in");
    const enter = async (text: string) => {
      await type(page, "text", text);
      await page.keyboard.press("Enter");
    };
    const rows = () => shown(page, ".desk-row strong");
    await enter("ann");
    await see(page, "2 players match. Choose one, or type more.");
    expect(await rows()).toEqual([]);
    await type(page, "text", " b");
    await page.keyboard.press("Enter");
    await see(page, "1 of 4 checked in");
    await enter("theo");
    await see(page, "2 of 4 checked in");
    await enter("ori");
    await see(page, "3 of 4 checked in");
    await enter("zed");
    await see(page, "A zombie: this checkpoint is for humans.");
    expect(await rows()).toEqual(["Zed", "Boris", "Dora", "Ann Berg"]);
    await enter((ann.code ?? "").slice(0, 5).toLowerCase());
    await see(page, "Was here before");
    expect((await rows())[0]).toBe("Ann Berg");
  });

  it("say who sends a message: in the preview with the game's name, and in the inbox; and tell a new moderator", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada");
    await done(gm, "settings", { name: "Uppsala 2026" });
    const page = await login(gm, "/app/gm/send");
    await type(page, "title", "Curfew");
    await see(page, "Uppsala 2026 · now");
    await see(page, "Game masters: Curfew");
    const news = { title: "Curfew", content: "At nine.", player_groups: "All" };
    await s.must("POST /notifications/send/{url_id}", { as: gm, body: news });
    await done(gm, "edit_player", { alias: "Ada", is_moderator: true });
    await page.reload();
    await see(page, `by ${gm.alias}`);
    const own = await login(ada, "/app/inbox");
    await see(own, "From the game masters");
    await see(own, "You are a moderator now");
  });
});
