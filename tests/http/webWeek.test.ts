/** The week of a game of 300 players as a game master lives it, and an evening at the desk: real pages, real service. */
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { describe, expect, it } from "vitest";
import { DAY, rfc3339 } from "../../lib/domain/time.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { originWrite } from "../../lib/store/alarms.ts";
import { CHROMIUM } from "../../scripts/cli/chromium.ts";
import { resetGame } from "../../scripts/season/reset.ts";
import { archives } from "../support/archives.ts";
import { leavesOut } from "../support/battery.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { setOffline, WAIT_MS, webPages } from "../support/webPages.ts";

const RUNNERS = 60;
const GUESTS = 240;
const FRIENDS = 50;
const ORIGINALS = 3;
const ALL = RUNNERS + GUESTS;

/** Works on several things at once, as many players do. */
const together = async <T, R>(things: readonly T[], work: (thing: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (const some of chunk(things, 10)) results.push(...(await Promise.all(some.map(work))));
  return results;
};
const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name} ${100 + n}`);

/** A time zone in which it is this hour now. */
const zoneAt = (hour: number): string => {
  const ahead = (hour - new Date().getUTCHours() + 36) % 24;
  return `Etc/GMT${ahead < 12 ? `+${12 - ahead}` : `-${ahead - 12}`}`;
};

// In CI these tests are required, so they fail if Chromium is missing.
describe.skipIf(CHROMIUM === undefined && process.env.CI === undefined)("those who run the game", () => {
  const s = testEnvironment();
  const { at, newFile } = archives(s);
  const { base, see, fill, press, confirm, answer, openPlayer, login } = webPages();

  const read = async (as: TestPlayer, path: string, query = {}): Promise<Result["body"]> =>
    (await s.must(`GET ${path}/{url_id}`, { as, query })).body;

  // The seed chooses between this and the season of `webSeason` (TEST_SCALE=whole: both).
  it.skipIf(leavesOut(1, 2))("lead 300 players through a week", async () => {
    const gm = await s.admin();
    const page = await login(gm, "/app/gm/game");
    await page.setViewport({ width: 1_280, height: 900 });
    const go = (path: string) => page.goto(`${base}/app/gm/${path}`);
    const players = async (state?: string): Promise<Result["body"][]> =>
      (await read(gm, "/admin/get_players", { limit: 500, ...(state === undefined ? {} : { state }) }))
        .players;
    const stateOf = async (alias: string) => (await players()).find((one) => one.alias === alias)?.state;
    /** Saves a part of the settings, which says before what it means. */
    const save = async (section: string, effect: string): Promise<void> => {
      await page.locator(`#${section} button[type=submit]:enabled`).setTimeout(WAIT_MS).click();
      await see(page, effect);
      await confirm(page, "Save");
      await page.waitForFunction("document.querySelector('dialog[open]') === null", { timeout: WAIT_MS });
    };
    /** Gives a command after its preview, without the ten seconds in which it can be taken back. */
    const command = async (
      button: string,
      done: string,
      { effects = [], waits = true }: { effects?: string[]; waits?: boolean } = {},
    ): Promise<void> => {
      await press(page, button);
      for (const effect of effects) await see(page, effect);
      await confirm(page, button);
      if (waits) await answer(page, "Now");
      await see(page, done);
    };
    const register = async (alias: string, wants_original = false): Promise<TestPlayer> => {
      const body = { alias, password: gm.password, login: true, join_code: "campus-7", wants_original };
      const { player_id: id, tag_code: code, token } = (await s.must("POST /new", { body })).body;
      return { id, alias, password: gm.password, token, code };
    };
    const refused = async (hunter: TestPlayer, code: string, status = 409): Promise<string> => {
      const result = await s.hunt(hunter, code);
      expect(result.status).toBe(status);
      return result.body.code;
    };

    // Registration: a join code, a start, 60 who join by themselves and a list of 240.
    await press(page, "Add a code");
    await fill(page, { "code-0": "campus-7" });
    await save("registration", "Newcomers need one of: campus-7.");
    await fill(page, { starts_at: rfc3339(Date.now() + DAY).slice(0, 16) });
    await save("schedule", "The game starts");
    const runners = await together(numbered("Runner", RUNNERS), (alias) =>
      register(alias, Number(alias.slice(-2)) < 5),
    );
    const runner = (n: number): TestPlayer => runners[n] ?? gm;
    await go("players");
    await press(page, "Import");
    const file = join(tmpdir(), `week-${process.pid}.csv`);
    writeFileSync(
      file,
      ["alias,labels", ...numbered("Guest", GUESTS).map((alias) => `${alias},north`)].join("\n"),
    );
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("input[type=file]")]);
    await chooser.accept([file]);
    await press(page, `Create ${GUESTS} players`);
    await see(page, `${ALL + 1} players`);
    rmSync(file);

    // The draw makes zombies of those whom its preview names; the game begins.
    await go("game");
    await fill(page, { n: String(ORIGINALS) });
    await press(page, "Draw");
    await see(page, `${ORIGINALS} of 5 volunteers`);
    const lines = await page.$$eval("dialog[open] .effects li", (all) =>
      all.map((one) => one.textContent ?? ""),
    );
    await confirm(page, "Make them zombies");
    await answer(page, "Now");
    await see(page, "Drawn: ");
    const originals = (await players("zombie")).map(({ alias }) => alias);
    const drawn = lines.flatMap((line) => line.match(/^(Runner \d+) becomes/)?.[1] ?? []);
    expect(originals.toSorted()).toEqual(drawn.toSorted());
    const zombies = runners.filter(({ alias }) => originals.includes(alias));
    const [zed = gm, yan = gm] = zombies;
    const codes = (await players("human"))
      .filter(({ alias }) => alias.startsWith("Guest"))
      .map(({ tag_code }) => tag_code);
    const nextCode = (): string => codes.pop() ?? "";
    expect(await refused(zed, nextCode())).toBe("not_running");
    await fill(page, { starts_at: "" });
    await save("schedule", "The game has no start: it runs.");
    for (let wave = 0; wave < 8; wave += 1) {
      const hunts = await together(zombies, (zombie) => s.hunt(zombie, nextCode()));
      expect(hunts.map(({ status }) => status)).toEqual([200, 200, 200]);
    }

    // Wrong codes: locked out, until a game master lifts it.
    for (let n = 0; n < 10; n += 1) await refused(zed, "ZZZZZZZZ", 404);
    expect(await refused(zed, nextCode(), 429)).toBe("too_many_attempts");
    await openPlayer(page, zed.alias, zed.alias);
    await command("Lift lock-out", `${zed.alias} can enter tag codes.`, { waits: false });
    expect((await s.hunt(zed, nextCode())).status).toBe(200);

    // A disputed tag is void.
    const [prey, forgetful, cheat] = [runner(10), runner(11), runner(12)];
    const { interaction_id } = (await s.hunt(yan, prey)).body.interaction;
    const reason = "I was in the library.";
    await s.must("POST /interactions/dispute/{url_id}", { as: prey, body: { interaction_id, reason } });
    await go("now");
    await see(page, "1 open dispute");
    await press(page, "Disputes");
    await see(page, reason);
    await press(page, "Void the tag");
    await see(page, `${prey.alias} is human again, with a new tag code.`);
    await page.locator("dialog[open] textarea").fill("The library is safe.");
    await confirm(page, "Void the tag");
    await answer(page, "Now");
    await see(page, "The tag is void.");
    expect(await stateOf(prey.alias)).toBe("human");

    // A forgotten password, and what the game masters want to remember.
    await openPlayer(page, forgetful.alias, forgetful.alias);
    await press(page, "Recovery code");
    await confirm(page, "Issue a code");
    await see(page, `Read this to ${forgetful.alias}`);
    const recovery_code = await page.$eval(".secret", (one) => one.textContent ?? "");
    await confirm(page, "Close");
    const body = { alias: forgetful.alias, recovery_code, new_password: "another horse entirely" };
    await s.must("POST /change_password", { body });
    await press(page, "Note and labels");
    await page.locator("dialog[open] textarea").setTimeout(WAIT_MS).fill("Showed a <b>student card</b>.");
    await fill(page, { labels: "waiver, crew_2" });
    await confirm(page, "Save");
    await see(page, "Showed a <b>student card</b>.");
    const [remembered] = (await read(gm, "/admin/find", { q: forgetful.alias })).players;
    expect(remembered).toMatchObject({ labels: ["crew_2", "waiver"], note: "Showed a <b>student card</b>." });

    // A cheat, and fifty friends from one address.
    await s.hunt(yan, cheat);
    const friends = await together(numbered("Friend", FRIENDS), (alias) => register(alias));
    const origins = friends.map(({ id }) => originWrite(id, "one address", Date.now()));
    await s.store.commit(origins, () => 10_000);
    for (const friend of friends) expect((await s.hunt(cheat, friend)).status).toBe(200);
    await s.work();
    await go("now");
    await see(page, `${cheat.alias} tagged ${FRIENDS} newcomers from one address`);
    const loss = `${cheat.alias} loses ${FRIENDS} tags.`;
    await command("Void these tags", `${FRIENDS} tags are void.`, { effects: [loss] });
    expect((await players("human")).filter(({ alias }) => alias.startsWith("Friend"))).toHaveLength(FRIENDS);
    await openPlayer(page, cheat.alias, cheat.alias);
    await command("Ban", `${cheat.alias} is banned.`);
    await command("Take out of play", `${cheat.alias} watches now.`);
    const again = { alias: cheat.alias, password: gm.password };
    expect((await s.call("POST /login", { body: again })).status).toBe(403);
    const dead = ["Friend 100", "Friend 101"];
    for (const alias of dead) await s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { alias } });
    await go("players");
    await fill(page, { filter: "friend 10" });
    for (const alias of [...dead, "Friend 102"]) {
      const box = `::-p-xpath(//label[normalize-space()="${alias}"]/input)`;
      await page.locator(box).setTimeout(WAIT_MS).click();
    }
    const effects = [`${dead.join(", ")}.`, "1 other is left out"];
    await command("Revive them as humans", "2 players play again.", { effects, waits: false });

    // Night: no tag counts, until the morning.
    await go("game");
    await page.waitForSelector("select[name=hours]", { timeout: WAIT_MS });
    await page.select("select[name=hours]", "hours");
    await fill(page, { time_zone: zoneAt(3) });
    await save("schedule", "Outside these hours no tag counts and hunger stands still");
    expect(await refused(yan, nextCode())).toBe("not_running");
    await fill(page, { time_zone: zoneAt(14) });
    await save("schedule", "Every zombie keeps the play time that is left");
    expect((await s.hunt(yan, nextCode())).status).toBe(200);

    // A checkpoint that 40 % of the humans miss.
    await go("checkpoint");
    await fill(page, { name: "Lake house" });
    await press(page, "Set the checkpoint");
    await see(page, "Who is missing");
    const humans = await players("human");
    const passing = humans.filter((_, n) => n % 5 < 3);
    await together(passing, ({ alias }) =>
      s.must("POST /admin/player_at_checkpoint/{url_id}", { as: gm, body: { alias } }),
    );
    const missing = humans.length - passing.length;
    const fate = ["100 humans become corpses: ", `So do ${missing - 100} others.`];
    await command("Enforce", `The checkpoint is enforced: ${missing} players missed it.`, {
      effects: [`${passing.length} players checked in and go on.`, ...fate],
    });
    expect(await players("human")).toHaveLength(passing.length);

    // A message for humans only, and one that is withdrawn.
    await go("send");
    const write = async (title: string): Promise<void> => {
      await page.waitForSelector("select[name=audience]", { timeout: WAIT_MS });
      await page.select("select[name=audience]", "humans");
      await fill(page, { title });
      await page.locator("textarea[name=content]").fill("Meet at the bridge.");
      await press(page, "Review and send");
      await see(page, "To: Humans.");
      await confirm(page, "Send");
    };
    await write("The last mission");
    await answer(page, "Now");
    await see(page, "The message is sent.");
    await go("send");
    await fill(page, { send_at: rfc3339(Date.now() + 2 * DAY).slice(0, 16) });
    await write("Too late");
    await see(page, "The message waits for its time.");
    await command("Withdraw", "The message is withdrawn.", { waits: false });
    await s.work();
    const inbox = async (as: TestPlayer): Promise<string[]> =>
      (await read(as, "/notifications/inbox")).notifications.map(({ title }: { title: string }) => title);
    const survivor = runners.find(({ alias }) => passing.some((one) => one.alias === alias)) ?? gm;
    expect(await inbox(survivor)).toContain("The last mission");
    expect(await inbox(survivor)).not.toContain("Too late");
    expect(await inbox(yan)).not.toContain("The last mission");

    // The end, its awards, and a new season.
    await go("game");
    await command("End the game now", "The game is over, and everybody can see them.");
    expect(await refused(yan, nextCode())).toBe("not_running");
    const { most_kills } = await read(gm, "/interactions/awards");
    const award = await page.$eval("#awards", (one) => one.textContent ?? "");
    for (const alias of most_kills.winners) expect(award).toContain(alias);
    await resetGame(at(), { file: newFile(), force: false, clock: () => Date.now() });
    await go("game");
    await fill(page, { starts_at: rfc3339(Date.now() + 2 * DAY).slice(0, 16) });
    await save("schedule", "The game starts");
    await go("now");
    await see(page, "Registration is open");
    await see(page, "Nothing needs you right now.");
    // All but the cheat, who was taken out of play.
    expect(await players("human")).toHaveLength(ALL + FRIENDS - 1);
  });

  /** What has become of each entry, newest first. */
  const statuses = (page: Page): Promise<string[]> =>
    page.$$eval(".desk-row", (rows) =>
      rows.map((row) => `${row.querySelector("strong")?.textContent} ${row.getAttribute("data-status")}`),
    );

  it("lose nothing at the desk when the network goes away for an evening", async () => {
    const [gm, , ben] = await s.game("Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gil");
    const admin = (word: string, body: object) => s.must(`POST /admin/${word}/{url_id}`, { as: gm, body });
    const { checkpoint_id } = (await admin("set_checkpoint", { name: "Library" })).body;
    const page = await login(await s.moderator("Mo"), "/app/gm/desk");
    const enter = async (...texts: string[]): Promise<void> => {
      for (const text of texts) {
        await fill(page, { text });
        await page.keyboard.press("Enter");
        await page.waitForFunction("document.querySelector('input[name=text]').value === ''");
      }
    };
    const decided = () =>
      page.waitForFunction("document.querySelector('.desk-row[data-status=waiting]') === null", {
        timeout: WAIT_MS,
      });
    await see(page, "Library");
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await enter(ben.code ?? "", "cleo", "ada");
    await decided();
    await setOffline(page, true);
    await enter("Dan", "DAN", "Nobody", "Eve");
    await admin("player_at_checkpoint", { alias: "Eve" });
    await page.reload();
    await see(page, "Waiting for a network");
    await enter("Fay");
    // It closes before the network is back.
    await admin("set_checkpoint", { checkpoint_id, name: "Library", closes_at: rfc3339(Date.now() + 1_500) });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await setOffline(page, false);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await decided();
    const evening = ["Fay done", "Eve duplicate", "Nobody stranger", "Dan duplicate", "Dan done", "Ada done"];
    expect(await statuses(page)).toEqual([...evening, "Cleo done", "Ben done"]);
    // Afterwards, only a list on paper counts.
    await see(page, "closes");
    await enter("Gil");
    await decided();
    await page.locator("input[name=late]").click();
    await fill(page, { list: "Sheet 3" });
    await enter("Gil");
    await decided();
    expect((await statuses(page)).slice(0, 2)).toEqual(["Gil done", "Gil refused"]);
    const { logs } = await read(gm, "/admin/get_logs", { action: "player_at_checkpoint", limit: 50 });
    const late = logs.filter(({ details }: Result["body"]) => details.late === true);
    const reasons = late.map(({ target, details }: Result["body"]) => `${target}: ${details.reason}`);
    expect(reasons).toContain("Gil: Sheet 3");
    expect(reasons).toContainEqual(expect.stringMatching(/^Fay: Entered at the desk .*, before it closed/));
  });
});
