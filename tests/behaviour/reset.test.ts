/** `npm run reset` starts a new season with the same accounts, and can be resumed wherever it was interrupted. */
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { keys } from "../../lib/store/keys.ts";
import { importGame } from "../../scripts/archive/import.ts";
import type { Target } from "../../scripts/archive/target.ts";
import { exportGame } from "../../scripts/archive/write.ts";
import {
  findUnfinishedReset,
  previewReset,
  type ResetOptions,
  resetGame,
  type Season,
} from "../../scripts/season/reset.ts";
import { formatRemoved } from "../../scripts/season/resetReport.ts";
import { archives, killedAt } from "../support/archives.ts";
import { type Played, playGame } from "../support/playedGame.ts";
import { drift } from "../support/recount.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";

const s = testEnvironment();
const { newFile, at, emptyTable, everything } = archives(s);

const resetting = (target: Target, more: Partial<ResetOptions> = {}): Promise<Season> =>
  resetGame(target, { file: newFile(), force: false, clock: () => s.services.clock(), ...more });

/** The commands of a reset, and in how many segments it scans. */
const KINDS = ["ScanCommand", "BatchWriteItemCommand"];
const SEGMENTS = 4;

const accountOf = (player: Record<string, unknown>) =>
  Object.fromEntries(
    "alias first_name last_name email is_admin has_pfp created_at player_id"
      .split(" ")
      .map((name) => [name, player[name]]),
  );
const profiles = async (): Promise<StoredItem[]> =>
  (await everything(at())).filter(({ sk }) => sk === "PROFILE");

/** Expects a game in which nothing has been played yet. */
const requireNew = async (someone: TestPlayer): Promise<void> => {
  const ask = async (route: string) => (await s.call(route, { as: someone })).body;
  const humans = (await profiles()).length - 1;
  expect(await drift(s)).toEqual([]);
  expect(await ask("GET /interactions/{url_id}")).toEqual({ interactions: [], next_cursor: null });
  expect(await ask("GET /interactions/leaderboard/{url_id}")).toEqual({ players: [], next_cursor: null });
  expect(await ask("GET /interactions/tree/{url_id}")).toEqual({ roots: [], size: 0, truncated: false });
  expect(await ask("GET /zombie/starvation/{url_id}")).toMatchObject({ zombies: [] });
  expect(await ask("GET /game/{url_id}")).toMatchObject({
    paused: false,
    checkpoint: null,
    counts: { total: humans + 1, humans, spectators: 1, zombies: 0, corpses: 0 },
  });
  expect(await findUnfinishedReset({ db: s.store.db })).toBeNull();
};

/** A game that was played, with a game master who does not play. */
const played = async (): Promise<Played & { master: TestPlayer }> => {
  const game = await playGame(s);
  const master = await s.admin("Grandmaster");
  await s.call("POST /admin/pause_game/{url_id}", { as: master });
  await s.pass(HOUR);
  return { ...game, master };
};

describe("a reset", () => {
  it("exports the complete game, keeps accounts, sessions, pictures and subscriptions, and removes what a dry run says", async () => {
    const { gm, ada, ben, dee, master } = await played();
    // A message so old that it is delivered.
    const news = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };
    await s.must("POST /notifications/send/{url_id}", { as: gm, body: news });
    const sent = (await everything(at())).find(({ pk }) => pk.startsWith("NOTIFICATIONS#"));
    await s.store.db.put({ ...sent, pk: "", sk: "", ...sent, created_at: "2026-01-01T00:00:00.000Z" });
    const before = await everything(at());
    const olds = new Map((await profiles()).map((item) => [item.pk, item]));

    let seen = 0;
    const prospect = await previewReset(at(), rfc3339(s.services.clock()), (items) => {
      seen += items;
    });
    expect(seen).toBe(before.length);
    expect(await everything(at())).toEqual(before);
    const count = (isOne: (item: StoredItem) => boolean) => before.filter(isOne).length;
    const within = (list: string) => count(({ pk }) => pk.startsWith(list));
    const hunts = count(({ pk, kind }) => pk.startsWith("INTERACTIONS#") && kind === "hunt");
    const removed = {
      hunt: hunts,
      event: within("INTERACTIONS#") - hunts,
      note: count(({ sk }) => sk.startsWith("NOTE#")),
      message: 1,
      log: within("LOGS#"),
      code: within("CODE#"),
      response: within("SECRET#ONCE#"),
      tombstone: within("SECRET#TOMBSTONES"),
    };
    expect(Math.min(...Object.values(removed))).toBeGreaterThan(0);
    expect(prospect).toMatchObject({ humans: olds.size - 1, removed, states: { spectator: 1 } });
    expect(formatRemoved(prospect)).toMatch(/^\d+ hunts, .*\d+ other events, \d+ notes? of .*, 1 message, /);

    const { humans, mark, ...done } = await resetting(at());
    expect([humans, done.removed]).toEqual([prospect.humans, prospect.removed]);
    const there = await emptyTable();
    await importGame(there, { file: mark.file, resume: false, at: mark.at });
    const isArchived = ({ pk, sk }: StoredItem): boolean =>
      !["SESSIONS", "RECOVERY", "ALLOWANCE"].includes(sk) &&
      !/^(SECRET#(NOBODY|ONCE|BROADCAST)#|JOB#)/.test(pk);
    expect(await everything(there)).toEqual(before.filter(isArchived));
    await requireNew(ada);

    for (const item of await profiles()) {
      const old = olds.get(item.pk);
      expect(accountOf(item)).toEqual(accountOf(old ?? {}));
      const nothing = { kills: 0, infected_at: null, checkpoint_id: null, passed_at: null, meals: [] };
      expect(item).toMatchObject(nothing);
      if (item.alias === "Grandmaster") expect(item).toMatchObject({ state: "spectator", tag_code: null });
      else expect(item.tag_code, String(item.alias)).not.toBe(old?.tag_code);
    }
    const after = await everything(at());
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
    const gone = after.filter(
      ({ pk, sk }) => /^(INTERACTIONS|LOGS|SECRET#ONCE)#/.test(pk) || sk.startsWith("NOTE#"),
    );
    expect(gone).toEqual([]);
    expect(after.filter(({ pk }) => pk.startsWith("CODE#"))).toHaveLength(olds.size - 1);

    // Sessions and passwords are still valid; an old code is unknown, a new one counts.
    await s.login("Ben", ben.password);
    expect((await s.call("GET /pfp/{url_id}", { as: dee })).status).toBe(200);
    await s.outbreak(gm, ada);
    expect((await s.hunt(ada, ben)).body).toMatchObject({ code: "unknown_tag_code" });
    expect((await s.hunt(ada, (await s.see(ben)).tag_code)).status).toBe(200);
    const { body } = await s.call("GET /admin/player_count/{url_id}", { as: master });
    expect(body).toMatchObject({ zombies: 2 });
    expect(await drift(s)).toEqual([]);
  });

  it("spreads the new season over more shards, and never over fewer", async () => {
    const { ada, gm, ben } = await played();
    await resetting(at(), { shards: 4 });
    expect((await s.store.game()).shards).toBe(4);
    await expect(resetting(at(), { shards: 2 })).rejects.toThrow("has 4 shards. The number can grow");
    expect((await s.store.game()).paused_at).toBeNull();
    for (let n = 0; n < 4; n += 1) await s.join(`Newcomer ${n}`);
    await s.outbreak(gm, ada);
    await s.hunt(ada, (await s.see(ben)).tag_code);
    expect(await drift(s)).toEqual([]);
    const { users } = (await s.call("GET /users/{url_id}", { as: ada })).body;
    expect(users.map(({ alias }: { alias: string }) => alias)).toContain("Newcomer 3");
    expect(new Set((await profiles()).map(({ shard }) => shard)).size).toBeGreaterThan(1);
  });
});

describe("a reset that was interrupted", () => {
  const atTransaction = (call: number): Target => {
    const target = at();
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
    ["scan or removal", (call) => killedAt(at(), call, KINDS)],
    ["transaction", atTransaction],
  ])("at any %s is resumed to the same end", async (_, killed) => {
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
      if (mark === null) mark = await findUnfinishedReset(at());
      if (mark === null) expect((await s.see(ada)).kills).toBe(2);
      else if (season === null) expect(await findUnfinishedReset(at())).toEqual(mark);
    }
    expect(season.mark).toEqual(mark);
    await requireNew(ada);
    expect((await profiles()).map(accountOf)).toEqual(accounts);
    await s.login("Ben", ben.password);
  });

  it("is resumed only while its archive exists, unless it is forced", async () => {
    const { ada } = await played();
    const file = newFile();
    await expect(resetting(killedAt(at(), 6, KINDS), { file })).rejects.toThrow("killed");
    const archive = { force: false, withSessions: false, at: "2026-01-01" };
    await expect(exportGame(at(), { ...archive, file: newFile() })).rejects.toThrow(
      "A reset of the local game is unfinished",
    );
    const text = await readFile(file);
    await writeFile(file, text.subarray(0, -9));
    await expect(resetting(at())).rejects.toThrow(/is not available.*incomplete.*--force/);
    await exportGame(await emptyTable(), { ...archive, file, force: true });
    await expect(resetting(at())).rejects.toThrow("is not the archive of this reset");
    expect(await findUnfinishedReset(at())).not.toBeNull();
    await resetting(at(), { force: true });
    expect((await s.see(ada)).kills).toBe(0);
  });
});

/** Calls `around` in place of each scan of the table, with how many scans have begun. */
const aroundScans = (
  { client }: Target,
  around: (send: () => Promise<unknown>, scans: number) => Promise<unknown>,
): void => {
  const usual = client.send.bind(client);
  let scans = 0;
  const send = (command: Parameters<typeof usual>[0]) => {
    if (command.constructor.name !== "ScanCommand") return usual(command);
    scans += 1;
    return around(() => usual(command), scans);
  };
  Object.assign(client, { send });
};

describe("a reset alongside other work", () => {
  it("does not change players of the new season that another run has started", async () => {
    const { ada, ben, gm } = await played();
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let begun = false;
    const slow = at();
    aroundScans(slow, async (send) => {
      const answer = await send();
      // It has read the players to reset, and continues when that is out of date.
      if (begun) {
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
    let moving: Promise<unknown> | undefined;
    const body = { player_id: ada.id };
    const move = async () => {
      for (const what of ["corpsify", "revive_z"])
        await s.call(`POST /admin/${what}/{url_id}`, { as: gm, body });
    };
    const target = at();
    aroundScans(target, async (send, scans) => {
      // At the start of its second scan: later changes belong to the new season.
      if (scans > 2 * SEGMENTS) {
        moving ??= move();
        await moving;
      }
      return send();
    });
    await resetting(target);
    expect(moving).toBeDefined();
    await requireNew(ada);
  });

  it("gives up with the reason where somebody keeps playing", async () => {
    const { ada, gm, master } = await played();
    const body = { player_id: ada.id };
    const target = at();
    let playing: Promise<unknown> = Promise.resolve();
    aroundScans(target, async (send, scans) => {
      if (scans % SEGMENTS === 1) playing = s.call("POST /admin/corpsify/{url_id}", { as: gm, body });
      await playing;
      return send();
    });
    await expect(resetting(target)).rejects.toThrow(/the local game is in use.*--resume/);
    await resetting(at());
    await requireNew(master);
  });
});

it("changes nothing where a reset is not allowed", async () => {
  await playGame(s);
  const refuse = async (why: RegExp, file = newFile()): Promise<void> => {
    const before = await everything(at());
    await expect(resetting(at(), { file })).rejects.toThrow(why);
    const frozen = (items: StoredItem[]) =>
      items.map((item) => (item.sk === keys.game.sk ? item.paused_at : item));
    expect(frozen(await everything(at()))).toEqual(frozen(before));
  };
  const taken = newFile();
  await writeFile(taken, "");
  await refuse(/already exists. Name another file/, taken);
  await refuse(/cannot be written/, `${newFile()}/nowhere`);
  await s.store.db.put({ ...keys.importing, sha256: "x", at: "now" });
  await refuse(/An import into the local game is unfinished/);
  await s.store.db.transact([{ remove: keys.importing }], "token");
  await s.store.db.put({ ...(await s.store.db.get(keys.game)), ...keys.game, enforcing: "a job" });
  await refuse(/is being enforced. Try again/);
});
