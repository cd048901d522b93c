/**
 * `npm run reset` and the page of game masters start a new season with the same accounts, and can be resumed wherever they
 * were interrupted.
 */
import { createHash, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { HOUR, rfc3339, SECOND } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { findUnfinishedReset } from "../../lib/jobs/resetJob.ts";
import { keys } from "../../lib/store/keys.ts";
import { importGame } from "../../scripts/archive/import.ts";
import type { Target } from "../../scripts/archive/target.ts";
import { exportGame } from "../../scripts/archive/write.ts";
import { previewReset, type ResetOptions, resetGame, type Season } from "../../scripts/season/reset.ts";
import { formatRemoved } from "../../scripts/season/resetReport.ts";
import { archives, killedAt } from "../support/archives.ts";
import { missionAt } from "../support/constants.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { playGame } from "../support/playedGame.ts";
import { drift } from "../support/recount.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";
import { playedOnce } from "../support/snapshot.ts";

const s = testEnvironment();
const { newFile, openTable, emptyTable, everything } = archives(s);
const { read, admin, done, logsOf, leave } = shortRequests(s);

const resetting = (target: Target, more: Partial<ResetOptions> = {}): Promise<Season> =>
  resetGame(target, { file: newFile(), force: false, clock: () => s.now, ...more });

/** The DynamoDB commands at which a reset is interrupted, besides transactions. */
const COMMANDS = ["ScanCommand"];
/** The number of segments of a scan. */
const SEGMENTS = 4;

const ACCOUNT = "alias first_name last_name email is_admin has_pfp created_at player_id".split(" ");
const accountOf = (player: Record<string, unknown> = {}) =>
  Object.fromEntries(ACCOUNT.map((name) => [name, player[name]]));
const profiles = async (): Promise<StoredItem[]> =>
  (await everything(openTable())).filter(({ sk }) => sk === "PROFILE");

/** Expects a game in which nothing has been played yet. A reset is another process's, so its game is shown later. */
const requireNew = async (someone: TestPlayer): Promise<void> => {
  await s.pass(SECOND);
  expect(await drift(s)).toEqual([]);
  for (const [list, path] of Object.entries({ interactions: "", players: "/leaderboard", roots: "/tree" }))
    expect((await read(someone, `/interactions${path}`))[list]).toEqual([]);
  const humans = (await profiles()).length - 1;
  const counts = { total: humans + 1, humans, spectators: 1, zombies: 0, corpses: 0 };
  expect(await read(someone, "/game")).toMatchObject({ paused: false, checkpoint: null, counts });
  expect(await findUnfinishedReset({ db: s.store.db })).toBeNull();
};

/** A game that was played, with a game master who does not play. */
const played = playedOnce(s, async () => {
  const game = await playGame(s);
  const master = await s.admin("Grandmaster");
  await admin(master, "pause_game");
  await s.pass(HOUR);
  return { ...game, master };
});

/** The items that a reset removes, by the kinds of its report. */
const REMOVED: Record<string, (item: StoredItem) => boolean> = {
  hunt: ({ pk, kind }) => pk.startsWith("INTERACTIONS#") && kind === "hunt",
  event: ({ pk, kind }) => pk.startsWith("INTERACTIONS#") && kind !== "hunt",
  note: ({ sk }) => sk.startsWith("NOTE#"),
  mission: ({ pk }) => pk === "MISSIONS",
  message: ({ pk }) => pk.startsWith("NOTIFICATIONS#"),
  log: ({ pk }) => pk.startsWith("LOGS#"),
  code: ({ pk }) => pk.startsWith("CODE#"),
  response: ({ pk }) => pk.startsWith("SECRET#ONCE#"),
  departure: ({ sk }) => sk === "DEPARTED",
  other: ({ pk, sk }) =>
    sk.startsWith("ORIGINAL#") ||
    ["ALERTS", "STATISTICS"].includes(pk) ||
    pk.startsWith("MISSION#") ||
    (pk.startsWith("SECRET#TOMBSTONES") && sk !== "DEPARTED"),
};
/** Those that it keeps as they are; aliases that were given up are free again. */
const isKept = ({ pk, sk, given_up }: StoredItem): boolean =>
  given_up !== true &&
  !pk.startsWith("SECRET#TOMBSTONES") &&
  (/^(PICTURE|CREDENTIAL|SESSIONS|RECOVERY|ALIAS|ENDPOINT|ADMINS|SUBSCRIPTION#.*)$/.test(sk) ||
    pk.startsWith("SECRET#NOBODY#"));
const isArchived = ({ pk, sk }: StoredItem): boolean =>
  !/^(SESSIONS|RECOVERY|ALLOWANCE)$/.test(sk) &&
  !(pk.startsWith("SECRET#TOMBSTONES#") && sk === "CREDENTIAL") &&
  !/^(SECRET#(NOBODY|ONCE|BROADCAST)#|JOB#|EVENT#|PUBLIC$)/.test(pk);

describe("a reset", () => {
  it("exports the complete game, keeps accounts, sessions, pictures and subscriptions, and removes what a dry run lists", async () => {
    const { gm, ada } = await played();
    const { mission_id } = await done(gm, "set_mission", missionAt(s.now + 2 * HOUR));
    await admin(gm, "mission_attendance", { mission_id, alias: "Ada" });
    // An old message: a reset keeps those of the last two days, because their delivery may not have ended.
    const news = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };
    await s.must("POST /notifications/send/{url_id}", { as: gm, body: news });
    const [sent] = (await everything(openTable())).filter((item) => REMOVED.message?.(item));
    await s.store.db.put({ pk: "", sk: "", ...sent, created_at: "2026-01-01T00:00:00.000Z" });
    for (const key of [keys.original("i"), keys.alert("a"), keys.statistics("0")])
      await s.store.db.put({ ...key });
    await s.must("GET /public", {});
    await s.store.db.put({ ...keys.warnings, rev: 1, epoch: 0, upTo: {} });
    const before = await everything(openTable());
    const olds = new Map((await profiles()).map((item) => [item.pk, item]));

    const prospect = await previewReset(openTable(), rfc3339(s.now), () => {});
    expect(await everything(openTable())).toEqual(before);
    const removed = Object.fromEntries(
      Object.entries(REMOVED).map(([name, isOne]) => [name, before.filter(isOne).length]),
    );
    expect(Math.min(...Object.values(removed))).toBeGreaterThan(0);
    expect(prospect).toMatchObject({ humans: olds.size - 1, removed, counts: { spectators: 1 } });
    expect(formatRemoved(prospect)).toMatch(/^\d+ hunts, .*\d+ other events, \d+ notes? of .*, 1 message, /);

    const { humans, mark, ...ended } = await resetting(openTable());
    expect([humans, ended.removed]).toEqual([prospect.humans, prospect.removed]);
    const there = await emptyTable();
    await importGame(there, { file: mark.file, resume: false, at: mark.at });
    expect(await everything(there)).toEqual(before.filter(isArchived));
    await requireNew(ada);
    // Who was warned of hunger in the old season.
    expect(await s.store.db.get(keys.warnings)).toBeUndefined();

    const nothing = { kills: 0, infected_at: null, checkpoint_id: null, passed_at: null, meals: [] };
    for (const item of await profiles()) {
      const old = olds.get(item.pk);
      expect(item).toMatchObject({ ...accountOf(old), ...nothing });
      if (item.alias === "Grandmaster") expect(item).toMatchObject({ state: "spectator", tag_code: null });
      else expect(item.tag_code, String(item.alias)).not.toBe(old?.tag_code);
    }
    const after = await everything(openTable());
    const isPublicPage = ({ pk }: StoredItem): boolean => pk === keys.publicPage.pk;
    expect([before.some(isPublicPage), after.some(isPublicPage)]).toEqual([true, false]);
    expect(before.filter(isKept).length).toBeGreaterThan(30);
    expect(after.filter(isKept)).toEqual(before.filter(isKept));
    expect(before.some(({ given_up }) => given_up === true)).toBe(true);
    expect(after.some(({ given_up }) => given_up === true)).toBe(false);
    for (const [name, isOne] of Object.entries(REMOVED))
      expect(after.filter(isOne), name).toHaveLength(name === "code" ? olds.size - 1 : 0);
  });

  it("spreads the new season over more shards, and never over fewer", async () => {
    const { ada, gm, ben } = await played();
    await resetting(openTable(), { shards: 4 });
    await expect(resetting(openTable(), { shards: 2 })).rejects.toThrow("has 4 shards. The number can grow");
    expect(await s.store.game()).toMatchObject({ shards: 4, paused_at: null });
    for (let n = 0; n < 4; n += 1) await s.join(`Newcomer ${n}`);
    await s.outbreak(gm, ada);
    await s.hunt(ada, (await s.see(ben)).tag_code);
    expect(await drift(s)).toEqual([]);
    expect(new Set((await profiles()).map(({ shard }) => shard)).size).toBeGreaterThan(1);
  });
});

describe("a reset that was interrupted", () => {
  const atTransaction = (call: number): Target => {
    const target = openTable();
    const transact = target.db.transact.bind(target.db);
    let calls = 0;
    target.db.transact = async (...args) => {
      calls += 1;
      if (calls === call) throw new Error("killed");
      await transact(...args);
    };
    return target;
  };
  it.each<[string, (call: number) => Target]>([
    ["scan", (call) => killedAt(openTable(), call, COMMANDS)],
    ["transaction", atTransaction],
  ])("at any %s has the same result once it is resumed", async (_, killed) => {
    const { ada, ben } = await played();
    const accounts = (await profiles()).map(accountOf);
    let mark: Season["mark"] | null = null;
    let season: Season | null = null;
    for (let call = 1; season === null; call += 1) {
      season = await resetting(killed(call)).catch((error: unknown) => {
        expect(String(error)).toContain("killed");
        return null;
      });
      // Until the archive is complete nothing has changed; afterwards it stays the archive of this reset.
      mark ??= await findUnfinishedReset(openTable());
      if (mark === null) expect((await s.see(ada)).kills).toBe(2);
      else if (season === null) expect(await findUnfinishedReset(openTable())).toEqual(mark);
    }
    expect(season.mark).toEqual(mark);
    await requireNew(ada);
    expect((await profiles()).map(accountOf)).toEqual(accounts);
    await s.login("Ben", ben.password);
  });

  it("is resumed only as it began and while its archive exists, unless it is forced", async () => {
    const { ada } = await played();
    const file = newFile();
    await expect(resetting(killedAt(openTable(), 6, COMMANDS), { file })).rejects.toThrow("killed");
    const archive = { force: false, withSessions: false, at: "2026-01-01" };
    await expect(exportGame(openTable(), { ...archive, file: newFile() })).rejects.toThrow(
      "A reset of the local game is unfinished",
    );
    for (const other of [{ enrolment: "opt_in" }, { shards: 2 }] as const)
      await expect(resetting(openTable(), other)).rejects.toThrow(
        /began with --(enrolment everyone|shards 1),/,
      );
    const text = await readFile(file);
    await writeFile(file, text.subarray(0, -9));
    await expect(resetting(openTable())).rejects.toThrow(/is not available.*incomplete.*--force/);
    await exportGame(await emptyTable(), { ...archive, file, force: true });
    await expect(resetting(openTable())).rejects.toThrow("is not the archive of this reset");
    expect(await findUnfinishedReset(openTable())).not.toBeNull();
    await resetting(openTable(), { force: true });
    expect((await s.see(ada)).kills).toBe(0);
  });
});

/** A target that calls `around` instead of each scan, with a function that sends it and the number of scans so far. */
const aroundScans = (around: (send: () => Promise<unknown>, scans: number) => Promise<unknown>): Target => {
  const target = openTable();
  const usual = target.client.send.bind(target.client);
  let scans = 0;
  const send = (command: Parameters<typeof usual>[0]) => {
    if (command.constructor.name !== "ScanCommand") return usual(command);
    scans += 1;
    return around(() => usual(command), scans);
  };
  Object.assign(target.client, { send });
  return target;
};

describe("a reset alongside other work", () => {
  it("does not change players of the new season that another run has started", async () => {
    const { ada, ben, gm } = await played();
    const playersAndGame = async () =>
      (await everything(openTable())).filter(({ pk }) => /^(PLAYER|CODE|COUNT|GAME)/.test(pk));
    const finishAndPlay = async () => {
      await resetting(openTable());
      await s.outbreak(gm, ada);
      await s.hunt(ada, (await s.see(ben)).tag_code);
      return playersAndGame();
    };
    let other: ReturnType<typeof finishAndPlay> | undefined;
    let begun = false;
    const target = aroundScans(async (send) => {
      const answer = await send();
      // This run has read the players, and continues only after the other run has changed them.
      if (begun) other ??= finishAndPlay();
      await other;
      return answer;
    });
    const onArchiveVerified = () => {
      begun = true;
    };
    await expect(resetting(target, { onArchiveVerified })).rejects.toThrow(
      "Another run has finished this reset",
    );
    expect(await playersAndGame()).toEqual(await other);
    expect((await s.see(ben)).state).toBe("zombie");
    expect(await drift(s)).toEqual([]);
  });

  it("resets players whom game masters change meanwhile", async () => {
    const { ada, gm } = await played();
    let moving: Promise<unknown> | undefined;
    const move = async () => {
      for (const word of ["corpsify", "revive_z"]) await admin(gm, word, { player_id: ada.id });
    };
    // At the start of the second round: changes after the last round belong to the new season.
    const target = aroundScans(async (send, scans) => {
      if (scans > 2 * SEGMENTS) moving ??= move();
      await moving;
      return send();
    });
    await resetting(target);
    expect(moving).toBeDefined();
    await requireNew(ada);
  });

  it("renews hundreds of players about whom game masters have to decide, of whom many are hidden originals", async () => {
    const gm = await s.admin();
    // Both need further writes: the end of a review, and the code of a hidden original.
    const review = [{ kind: "returns" as const, by: "alias" as const, of: "someone who left" }];
    const crowd = await makeCrowd(s, 200, "human", s.now);
    await s.crowd(crowd.map((player, n) => ({ ...player, review, wants_original: n < 32 })));
    await admin(gm, "settings", { hide_originals: true });
    expect((await admin(gm, "draw_originals", { n: 32 })).body.drawn).toHaveLength(32);
    s.now += HOUR;
    expect((await resetting(openTable())).humans).toBe(200);
    await s.pass(SECOND);
    const items = await everything(openTable());
    const codes = items.filter(({ state }) => state === "human").map(({ tag_code }) => `CODE#${tag_code}`);
    expect(codes).toHaveLength(200);
    expect(items.flatMap(({ pk }) => (pk.startsWith("CODE#") ? [pk] : []))).toEqual(codes.toSorted());
  });

  it("fails with the reason if somebody keeps playing, and can be repeated", async () => {
    const { ada, gm, master } = await played();
    let playing: Promise<unknown> = Promise.resolve();
    const target = aroundScans(async (send, scans) => {
      if (scans % SEGMENTS === 1) playing = admin(gm, "corpsify", { player_id: ada.id });
      await playing;
      return send();
    });
    await expect(resetting(target)).rejects.toThrow(/the local game is in use.*--resume/);
    await resetting(openTable());
    await requireNew(master);
  });
});

it("changes nothing where a reset is not allowed", async () => {
  await playGame(s);
  const refuse = async (why: RegExp, file = newFile()): Promise<void> => {
    const withoutPause = async () =>
      (await everything(openTable())).map((item) => (item.sk === keys.game.sk ? item.paused_at : item));
    const before = await withoutPause();
    await expect(resetting(openTable(), { file })).rejects.toThrow(why);
    expect(await withoutPause()).toEqual(before);
  };
  const taken = newFile();
  await writeFile(taken, "");
  await refuse(/already exists. Name another file/, taken);
  await s.store.db.put({ ...keys.importing, sha256: "x", at: "now" });
  await refuse(/An import into the local game is unfinished/);
  await s.store.db.transact([{ remove: keys.importing }], "token");
  await s.store.db.put({ ...(await s.store.db.get(keys.game)), ...keys.game, enforcing: "a job" });
  await refuse(/is being enforced. Try again/);
});

describe("a new season from the page", () => {
  const ENTERED = { name: "Humans vs Zombies", password: PASSWORD };
  const start = (as: TestPlayer, key?: string, entered: object = ENTERED): Promise<Result> =>
    admin(as, "reset_season", entered, key);
  const status = async (as: TestPlayer) => (await read(as, "/admin/season")).reset;
  /** The entry in the log about the end of a reset. */
  const ending = async (as: TestPlayer) =>
    (await logsOf(as, "reset_season")).find(({ details }: Result["body"]) => details.complete === true);

  it("is counted in parts", async () => {
    const { master } = await played();
    await s.crowd(await makeCrowd(s, 600, "human", s.now));
    const count = async (cursor?: string): Promise<number[]> => {
      const body = { dry_run: true, ...(cursor === undefined ? {} : { cursor }) };
      const { humans, next_cursor } = await done(master, "reset_season", body);
      return [humans, ...(next_cursor === null ? [] : await count(next_cursor))];
    };
    // Each request ends after its first page.
    s.timeLeft = () => 0;
    const parts = await count();
    s.timeLeft = undefined;
    expect(parts.length).toBeGreaterThan(1);
    const accounts = (await profiles()).map(accountOf);
    expect(parts.reduce((sum, humans) => sum + humans)).toBe(accounts.length - 1);
  });

  it("does what its dry run counts", async () => {
    const { ada, master } = await played();
    const accounts = (await profiles()).map(accountOf);
    const before = await everything(openTable());
    const { body: would } = await admin(master, "reset_season", { dry_run: true });
    const isLogged = ({ pk }: StoredItem): boolean => pk.startsWith("LOGS#");
    const left = (items: StoredItem[]) => items.filter((item) => !isLogged(item));
    expect(left(await everything(openTable()))).toEqual(left(before));
    expect(would).toMatchObject({ complete: true, started_at: null, job_id: null, next_cursor: null });
    expect(would).toMatchObject({ humans: accounts.length - 1, unenrolled: 0 });
    s.now += SECOND;
    const { status: code, body } = await start(master, "spring");
    // The dry run is in the log itself.
    const removed = { ...would.removed, log: would.removed.log + 1 };
    expect([code, body]).toMatchObject([
      200,
      { complete: true, humans: would.humans, unenrolled: 0, removed },
    ]);
    await requireNew(ada);
    expect((await profiles()).map(accountOf)).toEqual(accounts);
    expect((await start(master, "spring")).body).toEqual(body);
    expect(await ending(master)).toMatchObject({ actor: "Grandmaster", details: { humans: would.humans } });
  });

  it("begins only when nobody plays, for a game master who enters the game's name and their own password", async () => {
    const { ada, gm, master } = await played();
    await expectRefused(start(master, undefined, { ...ENTERED, name: "Another game" }), "invalid_request");
    await expectRefused(start(master, undefined, { name: ENTERED.name }), "invalid_request");
    await expectRefused(start(master, undefined, { ...ENTERED, password: "a guess" }), "bad_credentials");
    await done(gm, "resume_game");
    await expectRefused(start(master), "wrong_state");
    expect((await s.see(ada)).kills).toBe(2);
    expect(await status(master)).toBeNull();
    await done(gm, "settings", { ends_at: "now" });
    // Guesses are limited as those of a login are.
    for (let guess = 0; guess < 10; guess += 1)
      await start(master, undefined, { ...ENTERED, password: "a guess" });
    await expectRefused(start(master), "too_many_attempts");
    s.now += HOUR;
    expect((await start(master)).status).toBe(200);
    await requireNew(ada);
  });

  it("reads the password's account anew after a conflict, instead of the replica that lags", async () => {
    const { master } = await played();
    const { db } = s.store;
    const getMany = db.getMany.bind(db);
    let stale = 0;
    vi.spyOn(db, "getMany").mockImplementation(async (wanted, how) => {
      const items = await getMany(wanted, how);
      if (how?.consistent !== false || !items.some(({ sk }) => sk === "CREDENTIAL")) return items;
      stale += 1;
      if (stale > 3) throw new Error("the replica is asked again and again");
      return items.map((item) => (item.sk === "CREDENTIAL" ? { ...item, rev: Number(item.rev) - 1 } : item));
    });
    expect((await start(master)).status).toBe(200);
    expect(stale).toBe(1);
  });

  it("counts each renewed player and removed item once, wherever its process dies", async () => {
    const { ada, ben, master } = await played();
    const accounts = (await profiles()).map(accountOf);
    const { body: would } = await admin(master, "reset_season", { dry_run: true });
    s.now += SECOND;
    const key = randomUUID();
    let deaths = 0;
    for (;;) {
      // The first process dies at the start, and the second before its first step. Each later one takes the lease and a step.
      let left = Math.min(deaths, 2);
      s.beforeCall = (call) => {
        if (call !== "transact") return;
        left -= 1;
        if (left < 0) throw new Error("killed");
      };
      const answer = await start(master, key);
      s.beforeCall = undefined;
      if (answer.status === 200) break;
      deaths += 1;
      if (deaths > 100) throw new Error(answer.text);
      if (deaths === 4) await expectRefused(start(master, key), "in_progress");
      s.now += 31 * SECOND;
    }
    expect(deaths).toBeGreaterThan(5);
    await requireNew(ada);
    expect((await profiles()).map(accountOf)).toEqual(accounts);
    const { body } = await start(master, key);
    expect(body).toMatchObject({ complete: true, humans: would.humans });
    for (const kind of ["hunt", "note", "departure", "code", "other"])
      expect([kind, body.removed[kind]]).toEqual([kind, would.removed[kind]]);
    await s.login("Ben", ben.password);
  });

  it("goes on in the background when the time of its request is up, and tells others how far it is", async () => {
    const { ada, gm, master } = await played();
    s.timeLeft = () => 0;
    s.now += SECOND;
    const { status: code, body } = await start(master, "spring");
    expect([code, body.complete, body.humans]).toEqual([202, false, 0]);
    s.timeLeft = undefined;
    expect(await status(gm)).toMatchObject({ by: "Grandmaster", job_id: body.job_id, humans: 0 });
    await expectRefused(start(gm), "busy");
    await expectRefused(s.call("GET /admin/archive/{url_id}", { as: master }), "busy");
    await expect(resetting(openTable(), { force: true })).resolves.toMatchObject({ mark: { file: "" } });
    expect(await status(gm)).toBeNull();
    await requireNew(ada);
    await s.work();
    expect((await start(master, "spring")).body).toMatchObject({ complete: true, job_id: body.job_id });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["the queue", () => s.work()],
    ["the sweep of the next minute", () => s.sweep()],
  ])("is finished by %s, and pauses the game again if somebody resumes it meanwhile", async (_, finish) => {
    const { ada, gm, master } = await played();
    s.timeLeft = () => 0;
    s.now += SECOND;
    expect((await start(master)).status).toBe(202);
    s.timeLeft = undefined;
    await done(gm, "resume_game");
    await finish();
    expect(await status(gm)).toBeNull();
    await requireNew(ada);
    expect(await ending(master)).toMatchObject({ actor: "Grandmaster" });
  });

  it("is started once by two game masters at the same time", async () => {
    const { ada, gm, master } = await played();
    s.now += SECOND;
    const answers = await Promise.all([start(master), start(gm)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await requireNew(ada);
  });

  it("has an archive without secrets, from which the old season can be looked at", async () => {
    const { ben, master } = await played();
    await leave(ben);
    const before = await everything(openTable());
    const lines: string[] = [];
    let header: unknown;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await read(master, "/admin/archive", cursor === undefined ? {} : { cursor });
      header ??= page.header;
      lines.push(...page.lines);
      cursor = page.next_cursor;
    }
    expect(lines.join()).not.toMatch(/SECRET#|scrypt/);
    const text = [JSON.stringify(header), ...lines].map((line) => `${line}\n`).join("");
    const trailer = { items: lines.length, sha256: createHash("sha256").update(text).digest("hex") };
    const file = newFile();
    await writeFile(file, `${text}${JSON.stringify(trailer)}\n`);
    const there = await emptyTable();
    const { header: read_ } = await importGame(there, { file, resume: false, at: rfc3339(s.now) });
    expect(read_.partial).toBe(true);
    const open = ({ pk }: StoredItem): boolean => !pk.startsWith("SECRET#") && !pk.startsWith("LOGS#");
    expect((await everything(there)).filter(open)).toEqual(before.filter(isArchived).filter(open));

    const playing = await s.admin("Player and master", true);
    await expectRefused(s.call("GET /admin/archive/{url_id}", { as: playing }), "wrong_state");
  });
});
