/** What work upon many players costs, in units and seconds, by how many it concerns and how many there are. */

import { sweep } from "../lib/app/workers/sweep.ts";
import { HOUR } from "../lib/domain/time.ts";
import { type Scene, sceneOf } from "./capacity/crowd.ts";
import { type Game, openGame, type Units } from "./capacity/game.ts";
import { atMost, type Row, report, type Target } from "./support/report.ts";

const SIZES = [1_000, 10_000, 100_000];
const QUICK_SIZES = [1_000];

interface Done {
  /** How many it concerned. */
  done: number;
  units: Units;
  seconds: number;
}

const timed = async (game: Game, work: () => Promise<number>): Promise<Done> => {
  let done = 0;
  const started = performance.now();
  const units = await game.measured(async () => {
    done = await work();
  });
  return { done, units, seconds: (performance.now() - started) / 1_000 };
};

const sweepAll = async ({ services }: Game): Promise<number> => {
  let starved = 0;
  for (;;) {
    const swept = await sweep({ services, requestId: "bench", timeLeft: () => 600_000 });
    starved += swept.starved;
    if (swept.complete) return starved;
  }
};

interface Work {
  name: string;
  /** At most, in units, for this many among so many. */
  bound: (done: number, size: number) => { read: number; write: number };
  run: (scene: Scene, size: number) => Promise<number>;
  before?: (scene: Scene) => Promise<unknown>;
}

/** In this order, each upon what the one before has left. */
const WORK: readonly Work[] = [
  {
    name: "feed 300",
    bound: (done) => ({ read: 3 + done / 8, write: 8 * done + Math.ceil(done / 48) * 16 + 10 }),
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
    bound: (done) => ({ read: 4 + done / 18, write: 9 * done + 1 }),
    // Those infected first, of whom the crowd's clock is a millisecond apart, and not those fed just now.
    // Paused, so that nobody else starves while they are recorded.
    before: async ({ game, gm }) => {
      await game.pass(72 * HOUR - 10 * HOUR + 300);
      await game.call("POST /admin/pause_game/{url_id}", { as: gm });
    },
    run: ({ game }) => sweepAll(game),
  },
  {
    name: "sweep, nobody due",
    bound: () => ({ read: 4, write: 1 }),
    run: ({ game }) => sweepAll(game),
  },
  {
    name: "kill all",
    // Three passes over the roster, and every player's own item once; each death as a sweep's.
    bound: (done, size) => ({ read: 20 + size * 1.3, write: 9 * done + 60 }),
    before: async ({ game, gm }) => {
      await game.call("POST /admin/resume_game/{url_id}", { as: gm });
      await game.call("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Bridge" } });
    },
    run: async ({ game, gm }) => {
      const { killed, complete } = await game.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", {
        as: gm,
      });
      if (complete !== true) throw new Error("it was not ended");
      return killed;
    },
  },
];

const perThousand = (value: number, done: number): string => ((value / Math.max(1, done)) * 1_000).toFixed(0);

/**
 * Counts, prints, and writes bench/results/bulk.json.
 * @param quick whether a small game will do
 * @returns whether each keeps its bound
 */
export const bulkBench = async (quick: boolean): Promise<boolean> => {
  const table: Row[] = [];
  const targets: Target[] = [];
  for (const size of quick ? QUICK_SIZES : SIZES) {
    const game = await openGame({ timeLeft: () => 600_000 });
    try {
      const scene = await sceneOf(game, size);
      for (const { name, bound, run, before } of WORK) {
        await before?.(scene);
        const { done, units, seconds } = await timed(game, () => run(scene, size));
        const most = bound(done, size);
        const players = size.toLocaleString("en");
        table.push({
          work: name,
          players,
          concerned: done,
          read: units.read,
          write: units.write,
          "read per 1,000": perThousand(units.read, done),
          "write per 1,000": perThousand(units.write, done),
          "seconds per 1,000": ((seconds / Math.max(1, done)) * 1_000).toFixed(2),
        });
        targets.push(
          atMost(`${name}, ${players} players: read`, units.read, most.read),
          atMost(`${name}, ${players} players: write`, units.write, most.write),
        );
      }
    } finally {
      await game.close();
    }
  }
  await report({
    name: "bulk",
    quick,
    what: "units and seconds of work upon many, by how many it concerns among how many",
    tables: [table],
    targets,
  });
  return targets.every(({ held }) => held);
};
