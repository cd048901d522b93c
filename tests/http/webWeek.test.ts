/** The week of a game of 250 players as a game master lives it, and an evening at the desk: real pages, real service. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { DAY, rfc3339 } from "../../lib/domain/time.ts";
import { originWrite } from "../../lib/store/notifications/alerts.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { describeInChromium, follow, setOffline, TIMEOUT, WAIT_MS, webPages } from "../support/webPages.ts";

const GUESTS = 240;
/** How many newcomers from one address a zombie must tag to cause an alert. */
const FRIENDS = 5;

describeInChromium("those who run the game", () => {
  const s = testEnvironment();
  const { base, see, fill, press, confirm, answer, openPlayer, login } = webPages();
  const { read, done } = shortRequests(s);

  it("lead 250 players through a week and into the next season", { timeout: 300_000 }, async () => {
    const gm = await s.admin();
    const page = await login(gm, "/app/gm/game/registration");
    await page.setViewport({ width: 1_280, height: 900 });
    const go = (path: string) => page.goto(`${base}/app/gm/${path}`);
    const players = async (state: string): Promise<Result["body"][]> =>
      (await read(gm, "/admin/get_players", { limit: 500, state })).players;
    /** Saves a section of the settings, whose preview names the effect. */
    const save = async (section: string, effect: string): Promise<void> => {
      await page.locator(`#${section} button[type=submit]:enabled`).setTimeout(WAIT_MS).click();
      await see(page, effect);
      await confirm(page, "Save");
      const open = "document.querySelector('dialog[open]')?.outerHTML";
      await expect.poll(() => page.evaluate(open), TIMEOUT).toBeUndefined();
    };
    /** Gives a command after its preview, without the ten seconds in which it can be taken back. */
    const command = async (button: string, result: string, effects: string[] = []): Promise<void> => {
      await press(page, button);
      for (const effect of effects) await see(page, effect);
      await confirm(page, button);
      await answer(page, "Now");
      await see(page, result);
    };
    const write = (text: string) =>
      page.locator("dialog[open] textarea, textarea[name=content]").setTimeout(WAIT_MS).fill(text);
    const join = async (alias: string, wants_original = false): Promise<TestPlayer> => {
      const body = { alias, password: gm.password, login: true, join_code: "campus-7", wants_original };
      const { player_id: id, tag_code: code, token } = (await s.must("POST /new", { body })).body;
      return { id, alias, password: gm.password, token, code };
    };
    /** The error code of a rejected hunt, or undefined. */
    const hunt = async (hunter: TestPlayer, prey: TestPlayer | string): Promise<unknown> =>
      (await s.hunt(hunter, prey)).body.code;

    // Registration: a join code, a start, some who join by themselves and 240 others.
    await press(page, "Add a code");
    await fill(page, { "code-0": "campus-7" });
    await save("registration", "Newcomers need one of: campus-7.");
    await go("game/schedule");
    await fill(page, { starts_at: rfc3339(Date.now() + DAY).slice(0, 16) });
    await save("schedule", "The game starts");
    const volunteers = await Promise.all(["Uma", "Vic", "Wes"].map((alias) => join(alias, true)));
    const [prey, forgetful, cheat, survivor] = [
      ...[await join("Pia"), await join("Finn")],
      ...[await join("Cato"), await join("Sue")],
    ] as const;
    const guests: TestPlayer[] = [];
    for (let n = 0; n < 5; n += 1) guests.push(await join(`Guest ${n}`));
    await s.crowd(await makeCrowd(s, GUESTS, "human", s.now));

    // The draw makes zombies of volunteers whom nobody knows before; the game begins.
    await go("game/originals");
    await fill(page, { n: "1" });
    await press(page, "Draw");
    await confirm(page, "Draw an original zombie");
    // Two take the place of the one.
    await fill(page, { n: "2" });
    await press(page, "Draw");
    await see(page, "2 of 3 volunteers");
    const shown = await page.$eval("dialog[open]", (dialog) => dialog.textContent ?? "");
    expect(shown).not.toMatch(/Uma|Vic|Wes/);
    await confirm(page, "Draw 2 original zombies");
    expect(await page.$$('.toast[data-kind="waiting"]')).toHaveLength(1);
    await answer(page, "Now");
    await see(page, "Drawn: ");
    const originals = (await players("zombie")).map(({ alias }) => alias);
    expect(originals).toHaveLength(2);
    expect(["Uma", "Vic", "Wes"]).toEqual(expect.arrayContaining(originals));
    const [zed = gm, yan = gm] = volunteers.filter(({ alias }) => originals.includes(alias));
    const nextCode = (): string => guests.pop()?.code ?? "";
    expect(await hunt(zed, nextCode())).toBe("not_running");
    await go("game/schedule");
    await fill(page, { starts_at: "" });
    await save("schedule", "The game has no start time, so it runs at once.");

    // Wrong codes: locked out, until a game master lifts it.
    for (let n = 0; n < 10; n += 1) expect(await hunt(zed, "ZZZZZZZZ")).toBe("unknown_tag_code");
    expect(await hunt(zed, nextCode())).toBe("too_many_attempts");
    await openPlayer(page, zed.alias, zed.alias);
    await press(page, "Lift lock-out");
    await confirm(page, "Lift lock-out");
    await see(page, `${zed.alias} can enter tag codes.`);
    expect(await hunt(zed, nextCode())).toBeUndefined();

    // A disputed tag is void.
    const { interaction_id } = (await s.hunt(yan, prey)).body.interaction;
    const reason = "I was in the library.";
    await s.must("POST /interactions/dispute/{url_id}", { as: prey, body: { interaction_id, reason } });
    await go("now");
    await see(page, "1 open dispute");
    await press(page, "Disputes");
    await see(page, reason);
    await press(page, `Void ${yan.alias}'s tag`);
    await see(page, "Pia is human again, with a new tag code.");
    await write("The library is safe.");
    await confirm(page, `Void ${yan.alias}'s tag`);
    await answer(page, "Now");
    await see(page, "The tag is void.");
    expect((await s.see(prey)).state).toBe("human");

    // A forgotten password, and what the game masters want to remember.
    await openPlayer(page, "Finn", "Finn");
    await press(page, "Recovery code");
    await confirm(page, "Issue a code");
    await see(page, "Read this to Finn");
    const issued = await page.$eval(".secret", (one) => one.textContent ?? "");
    await confirm(page, "Close");
    const body = { alias: forgetful.alias, recovery_code: issued, new_password: "another horse entirely" };
    await s.must("POST /change_password", { body });
    await press(page, "Note and labels");
    await write("Showed a <b>student card</b>.");
    await fill(page, { labels: "waiver, crew_2" });
    await confirm(page, "Save");
    await see(page, "Showed a <b>student card</b>.");
    const [remembered] = (await read(gm, "/admin/find", { q: "Finn" })).players;
    expect(remembered).toMatchObject({ labels: ["crew_2", "waiver"], note: "Showed a <b>student card</b>." });

    // A cheat, and friends from one address.
    await s.hunt(yan, cheat);
    for (let n = 0; n < FRIENDS; n += 1) {
      const friend = await join(`Friend ${n}`);
      await s.store.commit([originWrite(friend.id, "one address", Date.now())], () => 10_000);
      expect(await hunt(cheat, friend)).toBeUndefined();
    }
    await s.work();
    await go("now");
    await see(page, `Cato tagged ${FRIENDS} newcomers from one address`);
    await command("Void these tags", `${FRIENDS} tags are void.`, [`Cato loses ${FRIENDS} tags.`]);
    await openPlayer(page, "Cato", "Cato");
    await command("Ban", "Cato is banned.");
    await command("Take out of play", "Cato watches now.");
    for (const alias of ["Friend 0", "Friend 1"]) await done(gm, "corpsify", { alias });
    await go("players");
    await fill(page, { filter: "friend" });
    for (const n of [0, 1, 2]) {
      const box = `::-p-xpath(//label[normalize-space()="Friend ${n}"]/input)`;
      await page.locator(box).setTimeout(WAIT_MS).click();
    }
    await press(page, "Revive them as humans");
    for (const effect of ["Friend 0, Friend 1.", "1 other is left out"]) await see(page, effect);
    await confirm(page, "Revive them as humans");
    await see(page, "2 players play again.");

    // A checkpoint that most humans miss.
    await go("checkpoint");
    await fill(page, { name: "Lake house" });
    await press(page, "Set the checkpoint");
    await see(page, "Who is missing");
    await done(gm, "player_at_checkpoint", { alias: "Sue" });
    const missing = (await players("human")).length - 1;
    await command("Enforce", `The checkpoint is enforced: ${missing} players missed it.`, [
      ...["1 player checked in and goes on.", "100 humans become corpses: "],
      `So do ${missing - 100} others.`,
    ]);
    expect(await players("human")).toMatchObject([{ alias: "Sue" }]);
    await press(page, "Undo");
    await see(page, `${missing} players are what they were before: `);
    expect(await page.$("dialog[open] [type=submit]:disabled")).not.toBeNull();
    await fill(page, { reason: "The list of the lake house came late" });
    await confirm(page, "Undo");
    await answer(page, "Now");
    await see(page, `The checkpoint is undone: ${missing} players are restored.`);
    expect(await players("human")).toHaveLength(missing + 1);

    // A message for humans only, and one that is withdrawn.
    const send = async (title: string): Promise<void> => {
      await page.waitForSelector("select[name=audience]", TIMEOUT);
      await page.select("select[name=audience]", "humans");
      await fill(page, { title });
      await write("Meet at the bridge.");
      await press(page, "Review and send");
      await see(page, "To: Humans.");
      await confirm(page, "Send");
    };
    await go("send");
    await send("The last mission");
    await answer(page, "Now");
    await see(page, "The message is sent.");
    await go("send");
    await fill(page, { send_at: rfc3339(Date.now() + 2 * DAY).slice(0, 16) });
    await send("Too late");
    await see(page, "The message is scheduled.");
    await press(page, "Withdraw");
    await confirm(page, "Withdraw");
    await see(page, "The message is withdrawn.");
    await s.work();
    const { notifications } = await read(survivor, "/notifications/inbox");
    const titles = notifications.map(({ title }: { title: string }) => title);
    expect(titles).toContain("The last mission");
    expect(titles).not.toContain("Too late");

    // The end, its awards, and a new season.
    await go("game");
    await command("End the game now", "The game is over.");
    expect(await hunt(yan, nextCode())).toBe("not_running");
    const { most_kills } = await read(gm, "/interactions/awards");
    await go("game/awards");
    await see(page, "The game is over, and everybody can see them.");
    await page.waitForSelector("#awards dl", TIMEOUT);
    const award = await page.$eval("#awards", (one) => one.textContent ?? "");
    for (const alias of most_kills.winners) expect(award).toContain(alias);
    // The results that stay with the club when the season goes.
    await go("game/season");
    await page.evaluate(
      "const make = URL.createObjectURL; URL.createObjectURL = (blob) => make.call(URL, (globalThis.saved = blob))",
    );
    await press(page, "Save the results");
    await page.waitForFunction("globalThis.saved !== undefined", TIMEOUT);
    const results = JSON.parse(String(await page.evaluate("saved.text()")));
    expect(results.awards.most_kills.winners).toEqual(most_kills.winners);
    expect(results.interactions.length).toBeGreaterThan(10);
    // The archive, without secrets; its last line has the checksum of all lines before it.
    await page.evaluate("delete globalThis.saved");
    await press(page, "Save the archive");
    await see(page, "The archive is saved, with ");
    const lines = String(await page.evaluate("saved.text()")).split("\n");
    const { items, sha256 } = JSON.parse(lines.at(-2) ?? "");
    const archived = `${lines.slice(0, -2).join("\n")}\n`;
    expect([lines.length - 3, sha256]).toEqual([items, createHash("sha256").update(archived).digest("hex")]);
    expect(JSON.parse(lines[0] ?? "").awards.most_kills.winners).toEqual(most_kills.winners);
    expect(archived).not.toContain("SECRET#");

    // A new season, for those who enrol: after its preview, with the name of the game and the password.
    await page.select("select[name=enrolment]", "opt_in");
    await save("season", "those who enrol");
    const own = await login(survivor, "/app/board");
    await see(own, "Longest chain");
    await press(page, "Begin a new season");
    await see(page, "players are a spectator until they enrol.");
    await see(page, "Nothing brings the old season back.");
    await fill(page, { name: "Humans vs Zombies", password: "not the password" });
    await confirm(page, "Begin a new season");
    await see(page, "password");
    await fill(page, { password: gm.password });
    await confirm(page, "Begin a new season");
    await see(page, "The new season has begun.");
    await own.goto(`${base}/app/me`);
    await see(own, "You are watching");
    await press(own, "Play in this season");
    await see(own, "Your tag code");
    expect(await players("human")).toMatchObject([{ alias: "Sue" }]);
    await go("now");
    await see(page, "Before the start");
  });

  it("lose nothing at the desk when the network goes away for an evening", async () => {
    const [gm, , ben] = await s.game("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gil", "Hal");
    const { checkpoint_id } = await done(gm, "set_checkpoint", { name: "Library" });
    const page = await login(await s.moderator("Mo"), "/app/gm/desk");
    const enter = async (...texts: string[]): Promise<void> => {
      for (const text of texts) {
        await fill(page, { text });
        await page.keyboard.press("Enter");
        await page.waitForFunction("document.querySelector('input[name=text]').value === ''");
      }
    };
    /** The result of each entry, newest first, once all are decided. */
    const decided = async (): Promise<string[]> => {
      const waiting = ".desk-row[data-status=waiting]";
      await page.waitForSelector(waiting, { hidden: true, timeout: WAIT_MS });
      return page.$$eval(".desk-row", (rows) =>
        rows.map((row) => `${row.querySelector("strong")?.textContent} ${row.getAttribute("data-status")}`),
      );
    };
    await see(page, "Library");
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await enter(ben.code ?? "", "cleo", "ada");
    await decided();
    await setOffline(page, true);
    await enter("Dan", "DAN", "Nobody", "Eve");
    await done(gm, "player_at_checkpoint", { alias: "Eve" });
    await page.reload();
    await see(page, "Waiting for a network");
    await enter("Fay");
    // The checkpoint closes before the network is back.
    const closes_at = rfc3339(Date.now() + 1_000);
    await done(gm, "set_checkpoint", { checkpoint_id, name: "Library", closes_at });
    await sleep(1_500);
    await setOffline(page, false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    const evening = ["Fay done", "Eve duplicate", "Nobody stranger", "Dan duplicate", "Dan done", "Ada done"];
    expect(await decided()).toEqual([...evening, "Cleo done", "Ben done"]);
    // After the end only a pass from a list on paper counts.
    await see(page, "closes");
    await enter("Gil");
    await decided();
    await page.locator("input[name=late]").click();
    await fill(page, { list: "Sheet 3" });
    await enter("Gil");
    expect((await decided()).slice(0, 2)).toEqual(["Gil done", "Gil refused"]);
    // Who was at this checkpoint has not passed the next one.
    await setOffline(page, true);
    await enter("Hal");
    const bridge = await done(gm, "set_checkpoint", { name: "Bridge" });
    await setOffline(page, false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    expect((await decided())[0]).toBe("Hal refused");
    // Who was killed while their check-in waited is told, although nobody can be checked in any more.
    await page.waitForSelector("select[name=target]", TIMEOUT);
    await page.select("select[name=target]", bridge.checkpoint_id);
    await see(page, "0 of ");
    await setOffline(page, true);
    await enter("Fay");
    await follow(page, "/app/gm/now");
    await done(gm, "kill_all_not_at_checkpoint");
    await setOffline(page, false);
    await follow(page, "/app/gm/desk");
    await see(page, "This checkpoint was enforced.");
    expect((await decided())[0]).toBe("Fay refused");
    const { logs } = await read(gm, "/admin/get_logs", { action: "player_at_checkpoint", limit: 50 });
    const late = logs.filter(({ details }: Result["body"]) => details.late === true);
    const reasons = late.map(({ target, details }: Result["body"]) => `${target}: ${details.reason}`);
    expect(reasons).toContain("Gil: Sheet 3");
    expect(reasons).toContainEqual(expect.stringMatching(/^Fay: Entered at the desk .*, before it closed/));
  });
});
