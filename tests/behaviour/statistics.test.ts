/** The statistics of the game: they are what the interactions say, and each of these is read once. */
import { v7 } from "uuid";
import { beforeEach, expect, it } from "vitest";
import type { Interaction } from "../../lib/domain/interaction.ts";
import { DAY, HOUR, MINUTE } from "../../lib/domain/time.ts";
import { parseInteraction } from "../../lib/store/items.ts";
import { randomFrom, SEED } from "../support/battery.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

/** The time of the game, which the tests move; ids have it too. */
let now = 0;
let made = 0;
const s = testEnvironment({
  services: () => ({
    clock: () => now,
    newId: () => {
      made += 1;
      return v7({ msecs: now, seq: made });
    },
  }),
});
const BEGAN = Date.parse("2026-11-16T09:20:00Z");
beforeEach(() => {
  now = BEGAN;
});

const pass = (milliseconds: number): void => {
  now += milliseconds;
};
const read = (as: Someone): Promise<Result> => s.must("GET /interactions/stats/{url_id}", { as });
const upon = (as: Someone, what: string, body: Record<string, unknown>) =>
  s.call(`POST /admin/${what}/{url_id}`, { as, body });

/** The history of a player at an instant, by their interactions one after the other. */
const stateAt = (instant: number, created: number, own: readonly Interaction[]): string => {
  if (created > instant) return "none";
  const undone = new Set(own.flatMap(({ voids }) => voids ?? []));
  let [state, life] = ["human", ""];
  for (const { interaction_id: id, kind, at, voids } of own) {
    if (kind === "void" && voids !== life) continue;
    if (kind === "hunt" || kind === "revive_zombie") life = id;
    else if (kind === "cure" || kind === "revive_human" || kind === "void") life = "";
    if (Date.parse(at) > instant) continue;
    const becomes = { hunt: "zombie", revive_zombie: "zombie", corpsify: "corpse", starve: "corpse" }[
      String(kind)
    ];
    state = undone.has(life) ? "human" : (becomes ?? "human");
  }
  return state;
};

/** The statistics from every interaction and every account, in the plainest way. */
const recomputed = async (points: readonly { from: string }[], length: number) => {
  const items = await scan(s);
  const all = items
    .filter(({ pk, kind }) => pk === "INTERACTIONS#0" && !["feed", "pause", "resume"].includes(String(kind)))
    .map(parseInteraction)
    .toSorted((one, other) => (one.interaction_id < other.interaction_id ? -1 : 1));
  const accounts = items.filter(({ sk, is_admin }) => sk === "PROFILE" && is_admin === false);
  const undone = new Set(all.flatMap(({ voids }) => voids ?? []));
  const hunts = all.filter(({ kind, interaction_id }) => kind === "hunt" && !undone.has(interaction_id));
  const depth = (id: string): number => {
    const parent = all.find(({ interaction_id }) => interaction_id === id)?.parent ?? null;
    return parent === null ? 0 : 1 + depth(parent);
  };
  const counted = points.map(({ from }) => {
    const [begin, end] = [Date.parse(from), Math.min(now, Date.parse(from) + length - 1)];
    const states = accounts.map(({ player_id, created_at }) =>
      stateAt(
        end,
        Date.parse(String(created_at)),
        all.filter(({ target }) => target === player_id),
      ),
    );
    const count = (state: string): number => states.filter((one) => one === state).length;
    const within = hunts.filter(({ at }) => Date.parse(at) >= begin && Date.parse(at) <= end).length;
    return {
      from,
      humans: count("human"),
      zombies: count("zombie"),
      corpses: count("corpse"),
      hunts: within,
    };
  });
  const generations = new Map<number, number>();
  for (const { kind, interaction_id: id, waiting_since } of all) {
    if ((kind !== "hunt" && kind !== "revive_zombie") || undone.has(id)) continue;
    const generation = waiting_since === undefined ? depth(id) : -1;
    generations.set(generation, (generations.get(generation) ?? 0) + 1);
  }
  const infections = [...generations]
    .toSorted(([one], [other]) => one - other)
    .map(([generation, count]) => ({ generation: generation < 0 ? null : generation, count }));
  return { points: counted, infections };
};

it.each([1, 2, 3])(
  "are those of all interactions, whenever they were read before (game %i)",
  async (game) => {
    const { below } = randomFrom(SEED, game);
    const oneOf = <T>(all: readonly T[]): T => {
      const found = all[below(all.length)];
      if (found === undefined) throw new Error("there is nothing to choose from");
      return found;
    };
    const gm = await s.admin();
    const names = Array.from({ length: 9 }, (_, n) => `Player ${n}`);
    const players: Someone[] = [];
    for (const name of names) players.push(await s.join(name));
    await s.outbreak(gm, oneOf(players));
    const hunts: string[] = [];
    const waiting: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      pass(below(50) * MINUTE);
      const [one, other] = [oneOf(players), oneOf(players)];
      const ref = { player_id: one.id };
      const ago = new Date(now - below(300) * MINUTE).toISOString();
      const what = below(12);
      if (what < 5) {
        const listed = await s.store.roster(await s.store.game());
        const inState = (wanted: string): Someone[] =>
          players.filter(({ id }) =>
            listed.some(({ player_id, state }) => player_id === id && state === wanted),
          );
        const [hunters, preys] = [inState("zombie"), inState("human")];
        if (hunters.length === 0 || preys.length === 0) continue;
        const report = below(2) === 0 ? {} : { hunted_at: ago };
        const { body } = await s.hunt(oneOf(hunters), (await s.see(oneOf(preys))).tag_code, report);
        if (body.interaction !== undefined) hunts.push(body.interaction.interaction_id);
      } else if (what === 5) {
        const { body } = await s.call("POST /player/report_tagged/{url_id}", {
          as: one,
          body: { tagged_at: ago },
        });
        if (body.interaction !== undefined) waiting.push(body.interaction.interaction_id);
      } else if (what === 6 && waiting.length > 0)
        await upon(gm, "name_hunter", { interaction_id: oneOf(waiting), player_id: other.id });
      else if (what === 7 && hunts.length > 0)
        await upon(gm, "void_hunt", { interaction_id: oneOf([...hunts, ...waiting]), reason: "No." });
      else if (what === 8) await upon(gm, oneOf(["corpsify", "cure"]), ref);
      else if (what === 9) await upon(gm, oneOf(["revive_h", "revive_z"]), ref);
      else if (what === 10) await s.sweep();
      else await read(gm);
      if (below(20) === 0) players.push(await s.join(`Late ${n}`));
    }
    const last = oneOf(players);
    await s.must("DELETE /delete_player/{url_id}", { as: last });
    await s.sweep();
    const { step, points, infections } = (await read(gm)).body;
    expect(step).toBe("hour");
    expect(points.length).toBeGreaterThan(12);
    expect({ points, infections }, `seed ${SEED}`).toEqual(await recomputed(points, HOUR));
    expect(hunts.length, "hunts").toBeGreaterThan(2);
  },
  60_000,
);

it("read each interaction of a closed hour once", async () => {
  const [gm, zed, ada, ben] = await s.game("Zed", "Ada", "Ben");
  await s.hunt(zed, ada);
  await s.call("POST /player/report_tagged/{url_id}", { as: ben });
  let found = 0;
  const { query } = s.store.db;
  s.store.db.query = async (range, ...rest) => {
    const page = await query(range, ...rest);
    if (range.pk.startsWith("INTERACTIONS")) found += page.items.length;
    return page;
  };
  const reads = async (): Promise<number> => {
    found = 0;
    await read(gm);
    return found;
  };
  expect(await reads()).toBe(4);
  expect(await reads(), "an open hour").toBe(4);
  pass(HOUR);
  expect(await reads()).toBe(4);
  expect(await reads(), "a closed hour").toBe(0);
  const before = (await read(gm)).body.infections;
  expect(before.find(({ generation }: { generation: number | null }) => generation === null).count).toBe(1);
  // The tag of a closed hour gets its hunter.
  expect((await s.hunt(ada, ben)).status).toBe(200);
  expect(await reads()).toBe(0);
  expect((await read(gm)).body.infections).toEqual([
    { generation: 0, count: 1 },
    { generation: 1, count: 1 },
    { generation: 2, count: 1 },
  ]);
});

it("are by the day in a game that is longer than two weeks, by the game's own clock", async () => {
  const [gm, zed, ada] = await s.game("Zed", "Ada");
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { time_zone: "Asia/Kolkata" } });
  await s.hunt(zed, ada);
  pass(15 * DAY);
  await s.sweep();
  const late = await s.login(gm.alias, gm.password);
  const { step, points } = (await read(late)).body;
  expect(step).toBe("day");
  expect(points).toHaveLength(16);
  const midnight = (day: number) => new Date(BEGAN - 14 * HOUR - 50 * MINUTE + day * DAY).toISOString();
  const none = { humans: 0, zombies: 0, corpses: 0, hunts: 0 };
  expect(points[0]).toEqual({ ...none, from: midnight(0), zombies: 2, hunts: 1 });
  expect(points.at(-1)).toEqual({ ...none, from: midnight(15), corpses: 2 });
});
