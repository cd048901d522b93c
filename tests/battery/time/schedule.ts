/** A schedule: a few days of a small game about a change of the clocks on the wall, made of a seed and played. */

import { DAY, HOUR, SECOND } from "../../../lib/domain/time.ts";
import { type Random, randomFrom, SEED } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";
import type { TestEnvironment } from "../../support/service.ts";
import { enlist } from "./crowd.ts";
import { doSomething, infect, pause, resume, sweepAll, waitBefore } from "./deeds.ts";
import { lookAtAll, lookAtDeaths, lookAtOne } from "./looks.ts";
import { iso, type Scene, World } from "./world.ts";
import type { Change } from "./zones.ts";

/** Feeding periods, the usual one more often than others. */
const PERIODS = [48 * HOUR, 48 * HOUR, 48 * HOUR, 72 * HOUR, 24 * HOUR, 5 * HOUR, HOUR, SECOND] as const;

/** One in so many schedules has a crowd of zombies beside the few; one in so many stands still for months. */
const CROWDED = 25;
const LONG_PAUSE = 8;

/** How often a zombie has lived through a change of the clocks. */
export interface Crossings {
  forward: number;
  back: number;
}

class Schedule {
  readonly world: World;
  readonly random: Random;
  private readonly changes: readonly Change[];
  private readonly crossings: Crossings;

  constructor(world: World, random: Random, changes: readonly Change[], crossings: Crossings) {
    this.world = world;
    this.random = random;
    this.changes = changes;
    this.crossings = crossings;
  }

  pass(time: number): void {
    const { clock, story, now } = this.world;
    const alive = [...clock.living];
    clock.pass(time);
    if (time > 0) story.push(`${iso(clock.now)}:`);
    for (const { at, by } of this.changes) {
      // Somebody lived before it, and after.
      if (at <= now || at > clock.now || !alive.some(({ diedAt }) => diedAt === null || diedAt > at))
        continue;
      this.crossings[by > 0 ? "forward" : "back"] += 1;
    }
  }

  /** The game stands still over the next change, too. */
  async standStill(after: Change): Promise<void> {
    const next = this.changes.find(({ at, by }) => at > after.at && by > 0 !== after.by > 0);
    if (next === undefined) return;
    await pause(this.world, this.random);
    this.pass(Math.max(0, next.at + this.random.below(2 * DAY) - this.world.now));
    await lookAtAll(this.world, this.random);
    await resume(this.world, this.random);
  }

  async look(): Promise<void> {
    if (this.random.chance(0.5)) await lookAtAll(this.world, this.random);
    else await lookAtOne(this.world, this.random, oneOf(this.random, this.world.people));
  }

  /** In the end: everyone's deadline, and, some time later, every death. */
  async end(): Promise<void> {
    const { world, random } = this;
    await lookAtAll(world, random);
    const zombies = world.people.filter((person) => world.isZombie(person));
    await lookAtOne(world, random, oneOf(random, zombies.length > 0 ? zombies : world.people));
    if (random.chance(0.5)) {
      if (world.clock.paused) await resume(world, random);
      const last = Math.max(world.now, ...world.clock.living.map(({ deadline }) => deadline));
      this.pass(last + random.pick([0, 1, DAY]) - world.now);
    }
    await sweepAll(world, random);
    if (world.deaths.some(({ life }) => life.diedAt !== null) || random.chance(0.2))
      await lookAtDeaths(world);
  }
}

/** Plays a schedule where this process stands, and looks at every deadline on its way and at its end. */
export const play = async (
  s: TestEnvironment,
  scene: Scene,
  {
    zone,
    changes,
    crossings,
    nth,
  }: { zone: string; changes: readonly Change[]; crossings: Crossings; nth: number },
): Promise<World> => {
  const random = randomFrom(SEED, nth);
  const forward = random.chance(0.5);
  const change = oneOf(random, changes.filter(({ by }) => by > 0 === forward).slice(0, 2));
  const period = random.pick(PERIODS);
  const now = change.at - 1 - random.below(Math.min(period, DAY));
  const world = new World(s, scene, {
    now,
    period,
    name: `schedule ${nth}, ${zone}, feeding period ${period} ms`,
  });
  world.story.push(`${iso(now)}:`);
  s.services.period = period;
  s.services.clock = () => world.now;
  const schedule = new Schedule(world, random, changes, crossings);
  if (random.below(CROWDED) === 0) await enlist(world);

  const deeds = 4 + random.below(5);
  const half = Math.floor(deeds / 2);
  for (let step = 0; step < deeds; step += 1) {
    const wait = step === 0 ? 0 : waitBefore(world, random, change.at);
    schedule.pass(step === half ? Math.max(wait, change.at - world.now) : wait);
    if (step < 2) await infect(world, random);
    else await doSomething(world, random);
    if (step === half && random.below(LONG_PAUSE) === 0) await schedule.standStill(change);
    if (random.chance(0.2)) await schedule.look();
  }
  await schedule.end();
  return world;
};
