/** The life of a game, from nothing to the second season: by the pages in a real Chromium, and by the commands. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "puppeteer-core";
import { describe, expect, it, vi } from "vitest";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { CHROMIUM } from "../../scripts/cli/chromium.ts";
import { leavesOut } from "../support/battery.ts";
import { running } from "../support/running.ts";
import { expectSuccess, runScript } from "../support/runScript.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { useTempDir } from "../support/tempDir.ts";
import { WAIT_MS, webPages } from "../support/webPages.ts";

/** As the service under test hashes. */
const CHEAP_HASHES = join(import.meta.dirname, "../support/cheapHashes.cjs");
const NAMES = ["Dana", "Emil", "Fay", "Gus", "Hana", "Ida"];
const PASSWORD = "correct horse battery";
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

describe.skipIf(CHROMIUM === undefined && process.env.CI === undefined)("a club", () => {
  const s = testEnvironment();
  const pathOf = useTempDir();
  const { base, openPage, see, fill, press, confirm, answer, login } = webPages();

  /** Runs an npm command on the game of the service. */
  const command = async (name: string, args: readonly string[] = [], input = ""): Promise<string> => {
    const { engine, table, base: url } = running();
    const settings = {
      ...{ DYNAMODB_ENDPOINT: engine, TABLE_NAME: table },
      ...{ PORT: new URL(url).port, NODE_OPTIONS: `--require=${CHEAP_HASHES}` },
    };
    return expectSuccess(await runScript([`scripts/commands/${name}.ts`, ...args], settings, input));
  };

  /** The file of the guide, with more players. */
  const playersFile = async (): Promise<string> => {
    const guide = await readFile("docs/host-a-game.md", "utf8");
    const [, example = ""] = /```csv\n([\s\S]*?)```/.exec(guide) ?? [];
    const file = pathOf("players.csv");
    await writeFile(file, `${example}${NAMES.map((name) => `${name},${name},,,waiver\n`).join("")}`);
    return file;
  };

  /** Imports players by the page. @returns the invitations by alias, as the page saves them */
  const importPlayers = async (page: Page): Promise<Map<string, string>> => {
    await page.goto(`${base}/app/gm/players`);
    await press(page, "Import");
    const session = await page.createCDPSession();
    const { id: browserContextId = "" } = page.browserContext();
    const place = { downloadPath: pathOf(""), browserContextId };
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", ...place });
    const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("input[type=file]")]);
    await chooser.accept([await playersFile()]);
    await press(page, "Create 8 players");
    await see(page, "9 players");
    const file = await vi.waitFor(() => readFile(pathOf("invitations.csv"), "utf8"), WAIT_MS);
    const rows = file.trim().split("\r\n").slice(1);
    return new Map(rows.map((row) => [row.split(",")[0] ?? "", row.split(",")[1] ?? ""]));
  };

  /** An invited player sets a password and logs in. */
  const accept = async (alias: string, recovery_code: string): Promise<TestPlayer> => {
    const body = { alias, recovery_code, new_password: PASSWORD };
    const { player_id: id, token } = (await s.must("POST /change_password", { body })).body;
    const someone = { id, alias, password: PASSWORD, token, code: null };
    return { ...someone, code: (await s.see(someone)).tag_code };
  };

  const settings = (as: TestPlayer, body: object) => s.must("POST /admin/settings/{url_id}", { as, body });
  const today = (): number => new Date().getUTCDay();
  const hoursOn = (day: number) => ({ [WEEKDAYS[day % 7] ?? "sunday"]: [["00:00", "24:00"]] });
  const evening = async (gm: TestPlayer): Promise<void> => {
    await settings(gm, { play_hours: hoursOn(today() + 3) });
    // The clock of a page ticks every second: a tag of a second ago would still count.
    await sleep(1_500);
  };
  const morning = (gm: TestPlayer) =>
    settings(gm, { play_hours: { ...hoursOn(today()), ...hoursOn(today() + 1) } });

  const enterTag = async (page: Page, code: string | null): Promise<void> => {
    await page.goto(`${base}/app/tag`);
    await fill(page, { tag_code: code ?? "" });
    await press(page, "Report the tag");
  };

  it.skipIf(leavesOut(0, 2))(
    "hosts a season from nothing, closes and archives it, and begins the next",
    {
      timeout: 180_000,
    },
    async () => {
      // The first evening: a game master, the settings, players and original zombies.
      await command("create-admin", ["--alias", "gm"], `${PASSWORD}\n`);
      const gm = await s.login("gm", PASSWORD);
      const page = await login(gm, "/app/gm/game");
      await fill(page, { name: "Spring of the dead" });
      await page.click("#texts button[type=submit]");
      await confirm(page, "Save");
      await see(page, "The settings are saved.");
      await settings(gm, { time_zone: "UTC", starts_at: rfc3339(Date.now() + DAY), ends_at: null });
      const invitations = await importPlayers(page);
      expect([...invitations.keys()].toSorted()).toEqual([
        "Cleo",
        "Dana",
        "Emil",
        "Fay",
        "Gus",
        "Hana",
        "Ida",
        "O'Neil",
      ]);

      const phone = await openPage("/app/login");
      await press(phone, "I have a recovery code or an invitation");
      await fill(phone, {
        ...{ alias: "Cleo", recovery_code: invitations.get("Cleo") ?? "" },
        new_password: PASSWORD,
      });
      await press(phone, "Set the password and log in");
      await see(phone, "Registration is open");
      const cleo = await s.login("Cleo", PASSWORD);
      const others = new Map<string, TestPlayer>();
      for (const name of NAMES) others.set(name, await accept(name, invitations.get(name) ?? ""));
      const [dana, emil, fay, gus, hana, ida] = NAMES.map((name) => others.get(name));
      if (!dana || !emil || !fay || !gus || !hana || !ida) throw new Error("somebody was not invited");
      await s.must("POST /edit_player/{url_id}", { as: cleo, body: { wants_original: true } });
      await page.goto(`${base}/app/gm/game`);
      await press(page, "Draw");
      await see(page, "Cleo becomes an original zombie.");
      await confirm(page, "Make them zombies");
      await answer(page, "Now");
      await see(page, "Drawn: Cleo.");

      // The first day: nothing counts before the start or at night.
      await enterTag(phone, dana.code);
      await see(phone, "Play is stopped at that time, so the tag does not count.");
      await settings(gm, { starts_at: null });
      await enterTag(phone, dana.code);
      await see(phone, "You tagged Dana");
      await evening(gm);
      await enterTag(phone, emil.code);
      await see(phone, "Play is stopped at that time, so the tag does not count.");

      // The second day: a tag is disputed and voided.
      await morning(gm);
      await s.pass(14 * HOUR);
      await enterTag(phone, emil.code);
      await see(phone, "You tagged Emil");
      const accused = await login(emil);
      await press(accused, "This is wrong");
      await confirm(accused, "Send to the game masters");
      await see(accused, "Disputed: a game master decides.");
      await page.goto(`${base}/app/gm/disputes`);
      await press(page, "Void the tag");
      await page.locator("dialog[open] textarea").fill("It was inside.");
      await confirm(page, "Void the tag");
      await answer(page, "Now");
      await see(page, "The tag is void.");
      await accused.goto(`${base}/app/me`);
      await see(accused, "Your tag code");
      await s.must("POST /zombie/hunt/{url_id}", { as: dana, body: { tag_code: fay.code } });
      await evening(gm);

      // The third day: a checkpoint, and zombies who have not fed.
      await morning(gm);
      await page.goto(`${base}/app/gm/checkpoint`);
      await fill(page, { name: "The gate" });
      await press(page, "Set the checkpoint");
      await see(page, "The checkpoint is set.");
      for (const { alias } of [emil, gus, hana])
        await s.must("POST /admin/player_at_checkpoint/{url_id}", { as: gm, body: { alias } });
      await page.reload();
      await press(page, "Enforce");
      await see(page, "2 humans become corpses: Ida, O'Neil.");
      await confirm(page, "Enforce");
      await answer(page, "Now");
      await see(page, "The checkpoint is enforced: 2 players missed it.");
      await s.pass(40 * HOUR);
      await s.sweep();
      expect((await s.see(cleo)).state).toBe("corpse");

      // The end: awards for everybody.
      await page.goto(`${base}/app/gm/game`);
      await press(page, "End the game now");
      await confirm(page, "End the game now");
      await answer(page, "Now");
      await see(page, "The game is over.");
      const awards = (await s.must("GET /interactions/awards/{url_id}", { as: dana })).body;
      expect(awards).toMatchObject({
        most_kills: { value: 1, winners: ["Cleo", "Dana"] },
        longest_chain: { value: 2, winners: ["Cleo"], chain: ["Cleo", "Dana", "Fay"] },
        first_tag: { winners: ["Cleo"] },
        last_human: { winners: ["Emil", "Gus", "Hana"] },
      });
      await phone.goto(`${base}/app/board`);
      await see(phone, "Longest chain");

      // The archive, and the next season for those who enrol.
      const archive = pathOf("spring.ndjson");
      await command("recount");
      expect(await command("reset", ["--dry-run", "--enrolment", "opt_in"])).toContain(
        "Spectator until they enrol: 8",
      );
      expect(await command("reset", ["--yes", "--file", archive, "--enrolment", "opt_in"])).toContain(
        "A new season",
      );
      await command("recount");
      const [head = "{}"] = (await readFile(archive, "utf8")).split("\n");
      expect(JSON.parse(head).awards).toMatchObject({ most_kills: { winners: ["Cleo", "Dana"] } });

      await phone.goto(`${base}/app/me`);
      await see(phone, "You are watching");
      await press(phone, "Play in this season");
      await see(phone, "Your tag code");
      expect(await s.see(cleo)).toMatchObject({
        state: "human",
        kills: 0,
        infected_by: null,
        first_name: "Cleo",
      });
      await s.must("POST /player/enrol/{url_id}", { as: emil });
      const { tag_code } = await s.see(emil);
      expect(tag_code).not.toBe(emil.code);
      const view = async (route: string, as = gm) => (await s.must(`GET ${route}/{url_id}`, { as })).body;
      expect(await view("/interactions/tree")).toMatchObject({ size: 0, roots: [] });
      expect(
        (await view("/interactions/leaderboard")).players.filter(({ kills }: { kills: number }) => kills > 0),
      ).toEqual([]);
      expect((await view("/admin/disputes")).disputes).toEqual([]);
      expect(await view("/game")).toMatchObject({
        ...{ name: "Spring of the dead", phase: "running", checkpoint: null, ends_at: null },
        counts: { humans: 2, zombies: 0, corpses: 0 },
      });
      await phone.goto(`${base}/app/feed`);
      await see(phone, "Nothing has happened yet.");

      // The second outbreak does not know the first.
      await page.goto(`${base}/app/gm/now`);
      await see(page, "No zombie is hungry.");
      await s.outbreak(gm, cleo);
      await enterTag(phone, emil.code);
      await see(phone, "Nobody has this code");
      await enterTag(phone, tag_code);
      await see(phone, "You tagged Emil");
      expect(await view("/interactions/tree")).toMatchObject({ size: 2 });
    },
  );
});
