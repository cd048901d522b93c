/**
 * Deadlines over time: random schedules of everything that moves a deadline, in six time zones, each across a change
 * to or from daylight saving time. The model's clock is moved by hand, and predicts every response to the millisecond.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, HOUR, SECOND } from "../../lib/domain/time.ts";
import { IS_LARGE, part } from "../support/battery.ts";
import { type Actions, inState } from "./model/actors.ts";
import { type Kinds, runActions, sequences } from "./model/commands.ts";
import { Dice } from "./model/dice.ts";
import * as plans from "./model/gameCommands.ts";
import { opening } from "./model/opening.ts";
import { newStats } from "./model/stats.ts";
import { requestOneView } from "./model/views.ts";
import { BEGINNING, newWorld, type World } from "./model/world.ts";
import { changesBetween, inZone, ZONES } from "./time/zones.ts";

/** Feeding periods, the usual one more often than others. */
const PERIODS = [48 * HOUR, 48 * HOUR, 48 * HOUR, 72 * HOUR, 24 * HOUR, 5 * HOUR, HOUR, SECOND] as const;

/** Pauses the game for weeks or months, past a change of the local offset. */
function* longPause(world: World, dice: Dice): Actions {
  yield* plans.pause(world, dice);
  const { now } = world.model();
  const next = world.stops.find((stop) => stop > now);
  yield { pass: (next === undefined ? 0 : next - now) + dice.below(2 * 24) * HOUR };
  return yield* plans.resume(world, dice);
}

const KINDS: Kinds = {
  time: [12, plans.wait],
  revive_z: [3, plans.upon("revive_z", "corpse")],
  feed_player: [3, plans.upon("feed_player", "zombie")],
  feed: [2, plans.feedMany],
  hunt: [4, plans.hunt],
  zombies_add_day: [3, plans.addDay],
  pause_game: [2, plans.pause],
  resume_game: [2, plans.resume],
  sweep: [3, plans.sweep],
  cure: [1, plans.upon("cure", "zombie")],
  set_checkpoint: [1, plans.setCheckpoint],
  player_at_checkpoint: [1, plans.passCheckpoint],
  long_pause: [1, longPause],
};

const stats = newStats();
/** Without push keys there are no starvation warnings. */
const world = newWorld(stats, HOUR, {
  services: ({ push }) => ({ push: { ...push, vapid: null } }),
  servesReads: true,
});

describe("time", () => {
  const schedules = part("time", {
    full: 5_000,
    of: "schedules",
    also: () => `${stats.steps} commands, the table compared with the model ${stats.tableChecks} times`,
  });
  const each = Math.ceil(schedules.cases / ZONES.length);

  it("has every deadline of the model's clock, whatever the local time does", async () => {
    await world.begin(opening({ humans: ["Ada", "Ben", "Cid"], corpses: ["Xan", "Yan", "Zed"] }));
    for (const zone of ZONES) {
      let livedThrough = 0;
      const schedule = fc.record({
        period: fc.constantFrom(...PERIODS),
        before: fc.nat(DAY),
        numbers: fc.array(fc.nat(9_999), { minLength: 12, maxLength: 12 }),
        change: fc.nat(3),
        commands: sequences(stats, KINDS, { min: 4, max: 9 }),
      });
      await inZone(zone, async () => {
        const changes = changesBetween(BEGINNING, BEGINNING + 2 * 366 * DAY);
        world.stops = changes;
        const play = fc.asyncProperty(schedule, async ({ period, before, numbers, change, commands }) => {
          const at = changes[change] ?? BEGINNING;
          const dice = new Dice(numbers);
          await world.restart(period);
          world.note(`in ${zone}, with a feeding period of ${period} ms`);
          await world.perform({ pass: at - 1 - (before % Math.min(period, DAY)) - world.model().now });
          await runActions(world, plans.upon("revive_z", "corpse")(world, dice));
          await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
          const { now } = world.model();
          if (inState(world.model(), "zombie").length > 0) livedThrough += 1;
          if (now < at) await world.perform({ pass: at - now + dice.below(2) });
          for (let n = 0; n < 2; n += 1) await runActions(world, requestOneView(world, dice));
          await world.perform({ sweep: true });
          await world.end();
          schedules.ran();
        });
        await fc.assert(play, { seed: schedules.seed, numRuns: each });
      });
      if (IS_LARGE) expect(livedThrough, "schedules in which a zombie is alive").toBeGreaterThan(each / 5);
    }
  });
});
