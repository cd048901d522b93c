/** `npm run reset` starts a new season with the same accounts, and can be resumed wherever it was interrupted. */
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import type { Database, StoredItem } from "../../lib/dynamodb/database.ts";
import { keys } from "../../lib/store/keys.ts";
import { importGame } from "../../scripts/archive/import.ts";
import type { Target } from "../../scripts/archive/target.ts";
import { exportGame } from "../../scripts/archive/write.ts";
import { recount } from "../../scripts/recount/recount.ts";
import {
  findUnfinishedReset,
  previewReset,
  type ResetOptions,
  resetGame,
  type Season,
} from "../../scripts/season/reset.ts";
import { formatRemoved } from "../../scripts/season/resetReport.ts";
import { archives, killedAt } from "../support/archives.ts";
import { drawnOf, FULL } from "../support/battery.ts";
import { type Played, playGame } from "../support/playedGame.ts";
import { drift } from "../support/recount.ts";
import { type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();
const { newFile, at, emptyTable, everything } = archives(s);

const resetting = (target: Target, more: Partial<ResetOptions> = {}): Promise<Season> =>
  resetGame(target, { file: newFile(), force: false, clock: () => s.services.clock(), ...more });

/** The commands by which a reset reads the table and removes items, and in how many segments it scans. */
const KINDS = ["ScanCommand", "BatchWriteItemCommand"];
const SEGMENTS = 4;

const ACCOUNT = [
  "alias",
  "first_name",
  "last_name",
  "email",
  "is_admin",
  "has_pfp",
  "created_at",
  "player_id",
];
const accountOf = (player: Record<string, unknown>) =>
  Object.fromEntries(ACCOUNT.map((name) => [name, player[name]]));

/** Expects a game in which nothing has been played yet. */
const requireNew = async (
  someone: Someone,
  counts: { humans: number; spectators: number },
): Promise<void> => {
  const ask = async (route: string) => (await s.call(route, { as: someone })).body;
  expect(await drift(s)).toEqual([]);
  expect(await ask("GET /interactions/{url_id}")).toEqual({ interactions: [], next_cursor: null });
  expect(await ask("GET /interactions/leaderboard/{url_id}")).toEqual({ players: [], next_cursor: null });
  expect(await ask("GET /interactions/tree/{url_id}")).toEqual({ roots: [], size: 0, truncated: false });
  expect(await ask("GET /zombie/starvation/{url_id}")).toMatchObject({ zombies: [] });
  const total = counts.humans + counts.spectators;
  expect(await ask("GET /game/{url_id}")).toMatchObject({
    paused: false,
    checkpoint: null,
    counts: { total, ...counts, zombies: 0, corpses: 0 },
  });
  expect(await findUnfinishedReset({ db: s.store.db })).toBeNull();
};

const startsOf = (items: readonly { pk: string; sk: string }[]): Set<string> =>
  new Set(items.map(({ pk, sk }) => `${pk.replace(/#.*/, "#")} ${sk.replace(/#.*/, "#")}`));

/** A game that was played, with a game master who does not play. */
const played = async (): Promise<Played & { master: Someone }> => {
  const game = await playGame(s);
  const master = await s.admin("Grandmaster");
  await s.call("POST /admin/pause_game/{url_id}", { as: master });
  await s.pass(HOUR);
  return { ...game, master };
};

describe("a reset", () => {
  it("exports the complete game, keeps accounts, sessions, pictures and subscriptions, and nothing of the game", async () => {
    const { gm, ada, ben, dee, master } = await played();
    const before = await everything(at());
    const profiles = new Map(before.filter(({ sk }) => sk === "PROFILE").map((item) => [item.pk, item]));
    const { humans, mark } = await resetting(at());
    expect(humans).toBe(profiles.size - 1);
    const there = await emptyTable();
    await importGame(there, { file: mark.file, resume: false, at: mark.at });
    expect((await recount(there, { pauseMs: 0 })).differences).toEqual([]);
    const isArchived = ({ pk, sk }: StoredItem): boolean =>
      !["SESSIONS", "RECOVERY", "ALLOWANCE"].includes(sk) && !/^(SECRET#(NOBODY|ONCE)#|JOB#)/.test(pk);
    expect(await everything(there)).toEqual(before.filter(isArchived));
    await requireNew(ada, { humans: profiles.size - 1, spectators: 1 });

    const after = await everything(at());
    for (const item of after.filter(({ sk }) => sk === "PROFILE")) {
      const old = profiles.get(item.pk);
      expect(accountOf(item)).toEqual(accountOf(old ?? {}));
      expect(item).toMatchObject({
        kills: 0,
        infected_at: null,
        checkpoint_id: null,
        passed_at: null,
        meals: [],
      });
      if (item.alias === "Grandmaster") expect(item).toMatchObject({ state: "spectator", tag_code: null });
      else expect(item.tag_code, String(item.alias)).not.toBe(old?.tag_code);
    }
    const isKept = ({ pk, sk }: { pk: string; sk: string }): boolean =>
      ["PICTURE", "CREDENTIAL", "SESSIONS", "RECOVERY", "ALIAS", "ENDPOINT", "ADMINS"].includes(sk) ||
      sk.startsWith("SUBSCRIPTION#") ||
      pk.startsWith("SECRET#NOBODY#");
    expect(before.filter(isKept).length).toBeGreaterThan(30);
    // Given-up aliases are free again.
    const isGivenUp = ({ given_up }: Record<string, unknown>): boolean => given_up === true;
    expect(before.filter(isGivenUp).length).toBeGreaterThan(0);
    const kept = before.filter((item) => isKept(item) && !isGivenUp(item));
    expect(after.filter(isKept)).toEqual(kept);
    const starts = startsOf(after);
    for (const gone of ["INTERACTIONS# ", "LOGS# ", "SECRET#ONCE# "]) {
      expect([...starts].filter((start) => start.startsWith(gone))).toEqual([]);
    }
    expect([...starts].filter((start) => start.endsWith(" NOTE#"))).toEqual([]);
    expect(after.filter(({ pk }) => pk.startsWith("CODE#"))).toHaveLength(profiles.size - 1);

    // Sessions and passwords are still valid; an old code is unknown, a new one counts.
    await s.login("Ben", ben.password);
    expect((await s.call("GET /pfp/{url_id}", { as: dee })).status).toBe(200);
    await s.outbreak(gm, ada);
    expect((await s.hunt(ada, ben)).body).toMatchObject({ code: "unknown_tag_code" });
    expect((await s.hunt(ada, (await s.see(ben)).tag_code)).status).toBe(200);
    expect((await s.call("GET /admin/player_count/{url_id}", { as: master })).body).toMatchObject({
      zombies: 2,
    });
    expect(await drift(s)).toEqual([]);
  });

  it("spreads the new season over more shards, and never over fewer", async () => {
    const { ada, gm, ben } = await played();
    await resetting(at(), { shards: 4 });
    expect((await s.store.game()).shards).toBe(4);
    await expect(resetting(at(), { shards: 2 })).rejects.toThrow("has 4 shards. The number can grow");
    expect((await s.store.game()).paused_at).toBeNull();
    for (let n = 0; n < 8; n += 1) await s.join(`Newcomer ${n}`);
    await s.outbreak(gm, ada);
    await s.hunt(ada, (await s.see(ben)).tag_code);
    expect(await drift(s)).toEqual([]);
    const { users } = (await s.call("GET /users/{url_id}", { as: ada })).body;
    expect(users.map(({ alias }: { alias: string }) => alias)).toContain("Newcomer 7");
    const shards = (await everything(at())).filter(({ sk }) => sk === "PROFILE").map(({ shard }) => shard);
    expect(new Set(shards).size).toBeGreaterThan(1);
  });
});

describe("a reset that was interrupted", () => {
  it.each(
    FULL
      ? [2, 5, 6, 8, 9, 10, 11, 12, 14, 15]
      : ([
          [2, 10],
          [5, 12],
          [6, 9],
        ][drawnOf(3, "interrupted calls")] ?? []),
  )("at call %i is resumed to the same end", async (call) => {
    const { ada, ben } = await played();
    const accounts = (await everything(at())).filter(({ sk }) => sk === "PROFILE").map(accountOf);
    const file = newFile();
    const cut = await resetting(killedAt(at(), call, KINDS), { file }).then(
      () => null,
      (error: unknown) => error,
    );
    const mark = await findUnfinishedReset(at());
    if (cut !== null) expect(String(cut)).toContain("killed");
    if (mark !== null) {
      await expect(
        exportGame(at(), { file: newFile(), force: false, at: mark.at, withSessions: false }),
      ).rejects.toThrow("A reset of the local game is unfinished");
    }
    // Until the archive is complete nothing has changed.
    if (mark === null && cut !== null) expect((await s.see(ada)).kills).toBe(2);
    const season = await resetting(at(), { file: mark === null ? newFile() : file });
    expect(season.mark).toEqual(mark ?? season.mark);
    await requireNew(ada, { humans: accounts.length - 1, spectators: 1 });
    expect((await everything(at())).filter(({ sk }) => sk === "PROFILE").map(accountOf)).toEqual(accounts);
    await s.login("Ben", ben.password);
  });

  it("in any transaction is resumed to the same end", async () => {
    const { ada } = await played();
    let commits = 0;
    for (let last = 1; last < 20; last += 1) {
      const target = at();
      const transact = target.db.transact.bind(target.db);
      commits = 0;
      target.db.transact = (async (...args) => {
        commits += 1;
        if (commits === last) throw new Error("killed");
        await transact(...args);
      }) satisfies Database["transact"];
      const whole = await resetting(target).catch((error: unknown) => String(error));
      if (typeof whole !== "string") break;
      expect(whole).toContain("killed");
    }
    expect(commits).toBeGreaterThan(0);
    const { humans } = await s.store.counts(await s.store.game(), s.services.clock());
    await requireNew(ada, { humans, spectators: 1 });
  });

  it("is resumed only while its archive exists, unless it is forced", async () => {
    const { ada } = await played();
    const file = newFile();
    await expect(resetting(killedAt(at(), 6, KINDS), { file })).rejects.toThrow("killed");
    const text = await readFile(file);
    await writeFile(file, text.subarray(0, -9));
    await expect(resetting(at())).rejects.toThrow(/is not available.*incomplete.*--force/);
    const other = newFile();
    await exportGame(await emptyTable(), {
      file: other,
      force: false,
      at: "2026-01-01",
      withSessions: false,
    });
    await writeFile(file, await readFile(other));
    await expect(resetting(at())).rejects.toThrow("is not the archive of this reset");
    expect(await findUnfinishedReset(at())).not.toBeNull();
    await resetting(at(), { force: true });
    expect((await s.see(ada)).kills).toBe(0);
  });
});

/** Calls `around` in place of each command to the database, of which it knows whether it scans the table. */
const intercept = (
  { client }: Target,
  around: (isScan: boolean, send: () => Promise<unknown>) => Promise<unknown>,
): void => {
  const usual = client.send.bind(client);
  const send = (command: Parameters<typeof usual>[0]) =>
    around(command.constructor.name === "ScanCommand", () => usual(command));
  Object.assign(client, { send });
};

describe("a reset alongside other work", () => {
  it("does not change players of the new season that another run has started", async () => {
    const { ada, ben, gm } = await played();
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let begun = false;
    const slow = at();
    intercept(slow, async (isScan, send) => {
      const answer = await send();
      // It has read the players to reset, and continues when that is out of date.
      if (begun && isScan) {
        reached.resolve();
        await held.promise;
      }
      return answer;
    });
    const late = resetting(slow, {
      onBegun: () => {
        begun = true;
      },
    }).catch((error: unknown) => String(error));
    await reached.promise;
    await resetting(at());
    await s.outbreak(gm, ada);
    await s.hunt(ada, (await s.see(ben)).tag_code);
    const before = await everything(at());
    held.resolve();
    expect(await late).toContain("Another run has finished this reset");
    const isPlayed = ({ pk }: { pk: string }): boolean => /^(PLAYER|CODE|COUNT|GAME)/.test(pk);
    expect((await everything(at())).filter(isPlayed)).toEqual(before.filter(isPlayed));
    expect((await s.see(ben)).state).toBe("zombie");
    expect(await drift(s)).toEqual([]);
  });

  it("resets players whom game masters change meanwhile", async () => {
    const { ada, gm } = await played();
    let moving: Promise<void> | undefined;
    const move = async (): Promise<void> => {
      for (const what of ["corpsify", "revive_z"]) {
        await s.call(`POST /admin/${what}/{url_id}`, { as: gm, body: { player_id: ada.id } });
      }
    };
    const target = at();
    let scans = 0;
    intercept(target, async (isScan, send) => {
      if (isScan) scans += 1;
      // At the start of its second scan: later changes belong to the new season.
      if (scans > 2 * SEGMENTS) {
        moving ??= move();
        await moving;
      }
      return send();
    });
    await resetting(target);
    expect(moving).toBeDefined();
    const { humans } = await s.store.counts(await s.store.game(), s.services.clock());
    await requireNew(ada, { humans, spectators: 1 });
  });

  it("gives up with the reason where somebody keeps playing", async () => {
    const { ada, gm, master } = await played();
    const body = { player_id: ada.id };
    const target = at();
    let scans = 0;
    let playing: Promise<unknown> = Promise.resolve();
    intercept(target, async (isScan, send) => {
      if (isScan) {
        // At the start of each scan.
        if (scans % SEGMENTS === 0) playing = s.call("POST /admin/corpsify/{url_id}", { as: gm, body });
        scans += 1;
        await playing;
      }
      return send();
    });
    await expect(resetting(target)).rejects.toThrow(/the local game is in use.*--resume/);
    await resetting(at());
    const { humans } = await s.store.counts(await s.store.game(), s.services.clock());
    await requireNew(master, { humans, spectators: 1 });
  });
});

describe("a reset that is not allowed", () => {
  const unchanged = async (work: () => Promise<unknown>, why: RegExp): Promise<void> => {
    const before = await everything(at());
    await expect(work()).rejects.toThrow(why);
    const isGame = ({ sk }: { sk: string }): boolean => sk === keys.game.sk;
    const after = await everything(at());
    expect(after.filter((item) => !isGame(item))).toEqual(before.filter((item) => !isGame(item)));
    const [was, is] = [before, after].map((items) => items.find(isGame)?.paused_at);
    expect(is).toEqual(was);
  };

  it("changes nothing", async () => {
    await playGame(s);
    const taken = newFile();
    await writeFile(taken, "");
    await unchanged(() => resetting(at(), { file: taken }), /already exists. Name another file/);
    await unchanged(() => resetting(at(), { file: `${newFile()}/nowhere` }), /cannot be written/);
    await s.store.db.put({ ...keys.importing, sha256: "x", at: "now" });
    await unchanged(() => resetting(at()), /An import into the local game is unfinished/);
    await s.store.db.transact([{ remove: keys.importing }], "token");
    const game = await s.store.db.get(keys.game);
    if (game === undefined) throw new Error("no game");
    await s.store.db.put({ ...game, enforcing: "a job" });
    await unchanged(() => resetting(at()), /is being enforced. Try again/);
  });
});

describe("a dry run of a reset", () => {
  it("changes nothing, and reports what the reset then does", async () => {
    const { gm, ...people } = await played();
    const { body } = await s.must("GET /interactions/{url_id}", { as: gm, query: { kind: "hunt" } });
    const hunt = body.interactions.find(({ details }: { details: object }) => !("voided" in details));
    const as = Object.values(people).find(({ alias }) => alias === hunt.actor || alias === hunt.target);
    const claim = { interaction_id: hunt.interaction_id, reason: "I was at home." };
    await s.must("POST /interactions/dispute/{url_id}", { as: as ?? gm, body: claim });
    const news = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };
    expect((await s.call("POST /notifications/send/{url_id}", { as: gm, body: news })).status).toBe(200);
    // So long ago that it is delivered.
    const sent = (await everything(at())).find(({ pk }) => pk.startsWith("NOTIFICATIONS#"));
    if (sent === undefined) throw new Error("no notification");
    await s.store.db.put({ ...sent, created_at: "2026-01-01T00:00:00.000Z" });
    const before = await everything(at());
    let seen = 0;
    const prospect = await previewReset(at(), new Date(s.services.clock()).toISOString(), (items) => {
      seen += items;
    });
    expect(await everything(at())).toEqual(before);
    expect(seen).toBe(before.length);
    const count = (isOne: (item: StoredItem) => boolean) => before.filter(isOne).length;
    const within = (list: string) => count(({ pk }) => pk.startsWith(list));
    const hunts = count(({ pk, kind }) => pk.startsWith("INTERACTIONS#") && kind === "hunt");
    const { states, humans, removed } = prospect;
    expect(removed).toEqual({
      hunt: hunts,
      dispute: within("DISPUTE#"),
      event: within("INTERACTIONS#") - hunts,
      note: count(({ sk }) => sk.startsWith("NOTE#")),
      message: 1,
      log: within("LOGS#"),
      code: within("CODE#"),
      response: within("SECRET#ONCE#"),
      tombstone: within("SECRET#TOMBSTONES"),
    });
    expect(Math.min(...Object.values(removed))).toBeGreaterThan(0);
    expect({ ...states, all: humans }).toMatchObject({
      spectator: 1,
      all: states.human + states.zombie + states.corpse,
    });
    expect(formatRemoved(prospect)).toMatch(
      /^\d+ hunts, 1 dispute, \d+ other events, \d+ notes? of .*, 1 message, /,
    );
    const done = await resetting(at());
    expect(done).toMatchObject({ humans, removed });
  });
});
