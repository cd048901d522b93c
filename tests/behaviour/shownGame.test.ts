/** The game item for display: read once a second by a process, and never used by a command (decision 75). */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { keys } from "../../lib/store/keys.ts";
import { openStore, type Store } from "../../lib/store/store.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";

// The clock stands, so that a second passes only when a test says so.
const s = testEnvironment({
  at: Date.parse("2026-11-21T10:00:00Z"),
  services: () => ({ injectSqlWrites: true }),
});
const { read, done } = shortRequests(s);

let elsewhere: Store;
beforeEach(() => {
  elsewhere = openStore(openDatabase(s.place()));
});

/** Does work in another process on the same table. */
const inOtherProcess = async <T>(work: () => Promise<T>): Promise<T> => {
  const usual = s.services.store;
  s.services.store = elsewhere;
  try {
    return await work();
  } finally {
    s.services.store = usual;
  }
};

/** Counts the reads of the game item during some work. */
const readsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let reads = 0;
  s.beforeCall = (call, [key]) => {
    if (call === "get" && key?.pk === keys.game.pk && key.sk === keys.game.sk) reads += 1;
  };
  await work();
  s.beforeCall = undefined;
  return reads;
};

const GETS = ["/player", "/game", "/live", "/users", "/interactions", "/zombie/starvation"];
const CHANGE = `UPDATE "game" SET rev = 100 WHERE pk = 'GAME' AND sk = 'STATE'`;
const isPaused = async (as: TestPlayer): Promise<boolean> => (await read(as, "/game")).paused;

describe("a process", () => {
  it("reads the game item once a second for display, also for requests at the same time, and after its clock was set back", async () => {
    const [ada, ben] = await s.joinAll("Ada", "Ben");
    const each = GETS.flatMap((path) => [ada, ben].map((as) => () => read(as, path)));
    const inTurn = async () => {
      for (const one of each) await one();
      expect((await s.call("GET /public")).status).toBe(200);
    };
    const atOnce = () => Promise.all(each.map((one) => one()));
    expect(await readsDuring(atOnce)).toBe(1);
    expect(await readsDuring(inTurn)).toBe(0);
    s.now += SECOND - 1;
    expect(await readsDuring(atOnce)).toBe(0);
    s.now += 1;
    expect(await readsDuring(inTurn)).toBe(1);
    s.now -= HOUR;
    expect(await readsDuring(atOnce)).toBe(1);
  });

  it("shows each of its own changes at once, although an eventually consistent read still returns the earlier game", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    const { get } = s.store.db;
    let old = await get(keys.game);
    s.store.db.get = async (key, options) =>
      key.sk === keys.game.sk && options?.consistent === false ? old : get(key, options);
    const changes: [string, () => Promise<unknown>][] = [
      ["pause", () => done(gm, "pause_game")],
      ["resume", () => done(gm, "resume_game")],
      ["add a day", () => done(gm, "zombies_add_day")],
      ["a checkpoint", () => done(gm, "set_checkpoint", { name: "Bridge" })],
      ["enforcement", async () => done(gm, "kill_all_not_at_checkpoint", await enforced())],
      ["settings", () => done(gm, "settings", { name: "Autumn" })],
      ["a statement", () => done(gm, "inject_sql", { statement: CHANGE })],
      ["shards", async () => s.store.commit(await writesOf(await moreShards()), () => 10_000)],
      // A cut of the clock is dropped by a sweep that began an hour after it.
      ["sweep", () => s.sweep()],
    ];
    const enforced = async () => {
      const { checkpoint } = await s.store.game();
      return { checkpoint_id: checkpoint?.checkpoint_id };
    };
    const moreShards = async () => {
      const before = await s.store.game();
      return { game: { before, after: { ...before, shards: 4 } } };
    };
    for (const [name, change] of changes) {
      if (name === "sweep") s.now += HOUR + MINUTE;
      old = await get(keys.game);
      const before = await read(ada, "/live");
      await change();
      const { rev } = await s.store.game();
      expect(rev, name).toBeGreaterThan(before.rev);
      expect((await read(ada, "/live")).rev, name).toBe(rev);
      s.now += SECOND;
      expect((await read(ada, "/live")).rev, `${name}, a second later`).toBe(rev);
    }
  });

  it("shows no earlier game after it was written during a read", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    await done(gm, "pause_game");
    const { get } = s.store.db;
    const old = await get(keys.game);
    const [begun, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reads = 0;
    s.store.db.get = async (key, options) => {
      if (key.sk !== keys.game.sk) return get(key, options);
      if (options?.consistent === false) return old;
      const found = await get(key, options);
      begun.resolve();
      reads += 1;
      if (reads === 1) await written.promise;
      return found;
    };
    const reading = read(ada, "/game");
    await begun.promise;
    await done(gm, "resume_game");
    written.resolve();
    await reading;
    s.now += SECOND;
    expect(await isPaused(ada)).toBe(false);
  });

  it("shows a change by another process after a second at the latest", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    expect(await isPaused(ada)).toBe(false);
    await inOtherProcess(() => done(gm, "pause_game"));
    s.now += SECOND - 1;
    expect(await isPaused(ada)).toBe(false);
    s.now += 1;
    expect(await isPaused(ada)).toBe(true);
  });

  it("reads the game item again after a read that failed", async () => {
    const ada = await s.join("Ada");
    s.beforeCall = (_, keysOfCall) => {
      if (keysOfCall.some(({ sk }) => sk === keys.game.sk)) throw new DatabaseBusy("throttled");
    };
    await expectRefused(s.call("GET /game/{url_id}", { as: ada }), "unavailable");
    s.beforeCall = undefined;
    expect(await isPaused(ada)).toBe(false);
  });
});

describe("what another process has just changed is shown at once", () => {
  it("to a player whom a command has written that knew of the change", async () => {
    const [gm, zed, ada, ben] = await s.game("Zed", "Ada", "Ben");
    expect(await isPaused(ada)).toBe(false);
    await inOtherProcess(async () => {
      await done(gm, "settings", { name: "Autumn" });
      await s.hunt(zed, ben);
    });
    const nameFor = async (as: TestPlayer) => (await read(as, "/game")).name;
    expect(await nameFor(ada)).not.toBe("Autumn");
    for (const as of [zed, ben]) expect(await nameFor(as)).toBe("Autumn");
  });

  it("to game masters and moderators, who may have changed it themselves", async () => {
    const [gm, , ada] = await s.game("Zed", "Ada");
    const mo = await s.moderator("Mo");
    for (const [as, paused] of [[gm, true] as const, [mo, false] as const]) {
      expect(await isPaused(ada)).toBe(!paused);
      await inOtherProcess(() => done(gm, paused ? "pause_game" : "resume_game"));
      s.now += 1;
      expect(await isPaused(as)).toBe(paused);
    }
  });

  it("to a zombie who would have starved without it", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { feeding_period_seconds: HOUR / SECOND });
    const [zed, ada] = await s.joinAll("Zed", "Ada");
    await s.outbreak(gm, zed);
    s.now += HOUR - 1;
    expect(await isPaused(ada)).toBe(false);
    await inOtherProcess(() => done(gm, "pause_game"));
    s.now += SECOND - 1;
    // Others may see a corpse for the rest of the second.
    expect((await read(ada, "/users", { state: "corpse" })).users).toHaveLength(1);
    expect((await s.see(zed)).state).toBe("zombie");
  });
});

describe("a command never uses the game for display", () => {
  it("but reads the present one", async () => {
    const [gm, zed, ada] = await s.game("Zed", "Ada");
    for (const as of [gm, zed, ada]) expect(await isPaused(as)).toBe(false);
    await inOtherProcess(() => done(gm, "pause_game"));
    await expectRefused(s.hunt(zed, ada), "paused");
    expect(await isPaused(ada)).toBe(false);
    await inOtherProcess(() => done(gm, "resume_game"));
    expect((await s.hunt(zed, ada)).status).toBe(200);
  });

  it("because its changes would be rejected, also when they are based on a copy", async () => {
    const shown = await s.store.shownGame(s.now);
    for (const before of [shown, { ...shown, shards: 4 }]) {
      const writes = writesOf({ game: { before, after: { ...before, shards: 8 } } });
      await expect(writes).rejects.toThrow("for display");
    }
    // @ts-expect-error A game for display is no basis of changes, by its type.
    await expect(writesOf({ basedOn: shown })).rejects.toThrow("for display");
  });
});
