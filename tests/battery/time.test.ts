/**
 * Deadlines over time, through the service: schedules of all that moves a deadline, in six time zones, each over a
 * change of the clocks on the wall. A clock kept by hand says what every answer must say, to the millisecond.
 */
import { describe, expect, it } from "vitest";
import { noQueue } from "../../lib/queue/queue.ts";
import { IS_LARGE, part } from "../support/battery.ts";
import { testEnvironment } from "../support/service.ts";
import { restore, snapshot } from "../support/snapshot.ts";
import { writtenDown } from "./fuzz/written.ts";
import { looked } from "./time/looks.ts";
import { type Crossings, play } from "./time/schedule.ts";
import { makeScene } from "./time/world.ts";
import { changesIn, standingIn, ZONES } from "./time/zones.ts";

/** When the scenes are made, and up to when the clocks on the wall are looked at. */
const FIRST = Date.UTC(2025, 0, 15);
const LAST = Date.UTC(2027, 0, 1);

/** A game of its own: while one waits for its engine, another is played. */
const newGame = () => {
  const written = writtenDown();
  // Who is warned of starving is another matter: without keys for push, nobody is.
  const s = testEnvironment({
    services: ({ push }) => ({ clock: () => FIRST, push: { ...push, vapid: null }, queue: noQueue }),
    database: written.database,
  });
  return { s, written };
};

const games = [newGame(), newGame()];

describe("time", () => {
  const schedules = part("time", {
    full: 5_000,
    of: "schedules",
    also: () => `${looked.deadlines} deadlines and ${looked.deaths} deaths compared`,
  });
  const each = Math.ceil(schedules.cases / ZONES.length);

  it.each(ZONES)("says in %s what a clock kept by hand says", async (zone) => {
    const first = ZONES.indexOf(zone) * each;
    const crossings: Crossings = { forward: 0, back: 0 };
    const left = Array.from({ length: each }, (_, n) => first + n).values();
    await standingIn(zone, async () => {
      const changes = changesIn(FIRST, LAST);
      const playAll = async ({ s, written }: (typeof games)[number]): Promise<void> => {
        const scene = await makeScene(s, FIRST);
        const begun = await snapshot(s);
        for (const nth of left) {
          const { crowd } = await play(s, scene, { zone, changes, crossings, nth });
          // A crowd is put straight into the table, and nobody has written it down.
          if (crowd.size > 0) await restore(s, begun);
          await written.takeBack(s, begun);
          schedules.ran();
        }
      };
      // Nobody stands anywhere else before both are done.
      const played = await Promise.allSettled(games.map(playAll));
      for (const one of played) if (one.status === "rejected") throw one.reason;
    });
    // Half of the schedules begin before a change of either kind, and somebody lives through most of them.
    if (!IS_LARGE) return;
    expect(crossings.forward).toBeGreaterThan(each / 5);
    expect(crossings.back).toBeGreaterThan(each / 5);
  });
});
