/** Measures units and seconds of bulk commands, by number of changed players and of all players. */
import { sweep } from "../lib/app/workers/sweep.ts";
import { HOUR, rfc3339 } from "../lib/domain/time.ts";
import { chunk } from "../lib/runtime/chunk.ts";
import { attendWrites } from "../lib/store/missions/attendance.ts";
import { INVITATIONS } from "./bulk/invitations.ts";
import { measureRecap } from "./bulk/recap.ts";
import { type Fixture, sizesFor, withPlayers } from "./support/players.ts";
import { allMet, atMost, type Bench, type Row, type Target } from "./support/report.ts";

const timeLeft = (): number => 600_000;

interface Work {
  name: string;
  /** Returns the maximum units for changing `changed` players in a game of `size` players. */
  bound: (changed: number, size: number) => { read: number; write: number };
  prepare?: (fixture: Fixture) => Promise<unknown>;
  /** @returns how many players it changed */
  run: (fixture: Fixture) => Promise<number>;
}

const sweepAll: Work["run"] = async ({ game: { services } }) => {
  let total = 0;
  for (;;) {
    const { starved, complete } = await sweep({ services, requestId: "bench", timeLeft });
    total += starved;
    if (complete) return total;
  }
};

/** The order matters: each command starts with the result of the previous one. */
const WORK: readonly Work[] = [
  {
    name: "feed 300",
    bound: (changed) => ({ read: 3 + changed / 8, write: 8 * changed + Math.ceil(changed / 48) * 16 + 10 }),
    run: async ({ game, gm }) =>
      (await game.call("POST /admin/feed/{url_id}", { as: gm, body: { n: 300 } })).count,
  },
  {
    name: "add a day",
    bound: () => ({ read: 5.5, write: 6 }),
    run: async ({ game, gm }) =>
      (await game.call("POST /admin/zombies_add_day/{url_id}", { as: gm })).zombies,
  },
  {
    name: "sweep, some due",
    bound: (changed) => ({ read: 4.5 + changed / 18, write: 9 * changed + 1 }),
    // Zombies were infected one millisecond apart, so the first ones are due. In a paused game no others starve.
    prepare: async ({ game, gm }) => {
      await game.pass(72 * HOUR - 10 * HOUR + 300);
      await game.call("POST /admin/pause_game/{url_id}", { as: gm });
    },
    run: sweepAll,
  },
  { name: "sweep, nobody due", bound: () => ({ read: 4.5, write: 1 }), run: sweepAll },
  {
    name: "kill all",
    // It reads the roster three times and every player's item once. A death costs as much as in a sweep.
    bound: (changed, size) => ({ read: 20 + size * 1.3, write: 9 * changed + 60 }),
    prepare: async ({ game, gm }) => {
      await game.call("POST /admin/resume_game/{url_id}", { as: gm });
      await game.call("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Bridge" } });
    },
    run: async ({ game, gm }) => {
      const route = "POST /admin/kill_all_not_at_checkpoint/{url_id}";
      const { killed, complete } = await game.call(route, { as: gm });
      if (complete !== true) throw new Error("kill all did not complete");
      return killed;
    },
  },
];

/** A mission that everybody attended, with a reward for each side. */
const attendedMission = async ({ game, gm, players }: Fixture): Promise<string> => {
  const { store, clock } = game.services;
  const [now, badge] = [clock(), { name: "Carrier", symbol: "📦" }];
  const { mission_id } = await game.call("POST /admin/set_mission/{url_id}", {
    as: gm,
    body: {
      ...{ title: "The bridge", starts_at: rfc3339(now - HOUR), ends_at: rfc3339(now + HOUR) },
      briefings: [{ audience: "all", text: "Hold the bridge.", reveal_at: rfc3339(now - HOUR) }],
      attendance: "desk",
      rewards: [
        { audience: "humans", effect: { points: 5, badge } },
        { audience: "zombies", effect: { points: 5, feed_seconds: 3_600 } },
      ],
    },
  });
  const [at, by, side] = [rfc3339(now - HOUR), gm.id, "human"] as const;
  const attended = players.map(({ player_id }) => ({ player_id, at, by, side_at_start: side, side }));
  for (const batch of chunk(attended, 95)) await store.commit(attendWrites(mission_id, batch), timeLeft);
  return mission_id;
};

/** Of each: the item, up to three entries of indexes, an interaction, and the attendance with its entry. */
const closeMission = (mission: { id: string }): Work => ({
  name: "close mission, all attended",
  bound: (changed) => ({ read: 20 + changed * 1.3, write: 60 + changed * 10 }),
  prepare: async (fixture) => {
    mission.id = await attendedMission(fixture);
  },
  run: async ({ game, gm }) => {
    const body = { mission_id: mission.id, result: "both" };
    const { count, complete } = await game.call("POST /admin/close_mission/{url_id}", { as: gm, body });
    if (complete !== true) throw new Error("the closing did not complete");
    return count;
  },
});

/** Fails if work exceeds its bound. @param quick whether a small game is enough */
export const bench: Bench = async (quick) => {
  const table: Row[] = [];
  const targets: Target[] = [];
  const measure = async (fixture: Fixture, size: number, { name, bound, prepare, run }: Work) => {
    await prepare?.(fixture);
    let changed = 0;
    const started = performance.now();
    const { read, write } = await fixture.game.measure(async () => {
      changed = await run(fixture);
    });
    const seconds = (performance.now() - started) / 1_000;
    const players = size.toLocaleString("en");
    const most = bound(changed, size);
    table.push({
      work: name,
      players,
      changed,
      read,
      write,
      "seconds per 1,000": ((seconds / Math.max(1, changed)) * 1_000).toFixed(2),
    });
    targets.push(
      atMost(`${name}, ${players} players: read`, read, most.read),
      atMost(`${name}, ${players} players: write`, write, most.write),
    );
  };
  for (const size of sizesFor(quick)) {
    await withPlayers(size, { timeLeft }, async (fixture) => {
      for (const work of WORK) await measure(fixture, size, work);
    });
  }
  for (const size of quick ? [300] : [1_000, 3_000])
    await withPlayers(size, { timeLeft }, (fixture) => measure(fixture, size, closeMission({ id: "" })));
  for (const size of quick ? [200] : [500, 5_000]) {
    await withPlayers(size, { timeLeft, named: true }, async (fixture) => {
      for (const work of INVITATIONS) await measure(fixture, size, work);
    });
  }
  const seasons: Row[] = [];
  const options = { timeLeft, days: 7, zombieEvery: 1 };
  await withPlayers(quick ? 300 : 5_000, options, async (fixture) => {
    const { row, targets: ofRecap } = await measureRecap(fixture);
    seasons.push(row);
    targets.push(...ofRecap);
  });
  return {
    what: "units and seconds of work on many players, by the number of players",
    tables: [table, seasons],
    targets,
    met: allMet(targets),
  };
};
