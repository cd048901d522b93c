/** The game clock, compared with a naive one that moves each zombie's own wall-clock deadline. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  addDayToClock,
  dropCuts,
  type Game,
  gameTime,
  latestPossiblyStarved,
  pauseClock,
  resumeClock,
  starvedAt,
  timeLeft,
  wallDeadline,
} from "../../lib/domain/clock.ts";
import { starvation, stateOf, type Zombie } from "../../lib/domain/player.ts";
import { applyStarvation, asFed, asZombie, secondsLeft } from "../../lib/domain/transitions.ts";
import { NaiveClock } from "../support/naiveClock.ts";
import { aContext, aGame, aPlayer } from "./builders.ts";
import { deepFreeze, SLOW } from "./support.ts";
import { DAY, HOUR, iso, MINUTE, SECOND, T0 } from "./times.ts";

/** After some time one action: `who` is a zombie, `number` how long ago a hunt was or how many a sweep records. */
interface Step {
  after: number;
  action: "infect" | "feed" | "hunt" | "addDay" | "pause" | "resume" | "sweep" | "sweepSome" | "read";
  who: number;
  number: number;
}

const WEIGHTS: Record<Step["action"], number> = {
  ...{ infect: 4, feed: 4, hunt: 2, addDay: 3, pause: 2, resume: 2, sweep: 2, sweepSome: 1, read: 2 },
};

/** `expect(got).toBe(wanted)`, a hundred times faster where it holds. */
const same = (got: unknown, wanted: unknown, explain: () => string): void => {
  if (!Object.is(got, wanted)) expect(got, explain()).toBe(wanted);
};

const counts = { read: 0, deaths: 0, droppedCuts: 0 };

/** The product's clock and the naive one, taken through the same steps. */
class Comparison {
  readonly model: NaiveClock;
  readonly period: number;
  game: Game = deepFreeze(aGame());
  players: Zombie[] = [];
  history: string[] = [];

  constructor(period: number) {
    this.period = period;
    this.model = new NaiveClock(T0, period);
  }

  run({ after, action, who, number }: Step): void {
    this.model.pass(after);
    this.history.push(`+${after} ${action}`);
    this[action](who, number);
    deepFreeze(this.game);
    this.check();
  }

  infect(): void {
    const { now } = this.model;
    this.model.infect();
    const infection = { id: "i", at: iso(now), by: null };
    const context = aContext({ now, feedingPeriod: () => this.period });
    this.players.push(asZombie(aPlayer(), this.game, context, infection));
  }
  feed(who: number): void {
    this.#feedAt(who, this.model.now);
  }
  hunt(who: number, ago: number): void {
    // A hunt in the past feeds from the last change of the clock at the earliest.
    const at = Math.max(this.model.now - ago, this.model.changedAt ?? 0);
    if (!this.model.paused) this.#feedAt(who, at);
  }
  #feedAt(who: number, at: number): void {
    const index = who % Math.max(1, this.players.length);
    const [player, zombie] = [this.players[index], this.model.zombies[index]];
    if (player === undefined || zombie?.diedAt !== null) return;
    this.model.feed(zombie, at);
    this.players[index] = asFed(player, this.game, at, this.period);
  }
  addDay(): void {
    this.model.addDay();
    this.game = addDayToClock(this.game, this.model.now);
  }
  pause(): void {
    this.model.pause();
    this.game = pauseClock(this.game, this.model.now);
  }
  resume(): void {
    this.model.resume();
    this.game = resumeClock(this.game, this.model.now);
  }
  /** Records all deaths, and drops the cuts that are older than an hour. */
  sweep(): void {
    this.sweepSome(0, Number.POSITIVE_INFINITY);
    const before = this.game.cuts.length;
    this.game = dropCuts(this.game, this.model.now - HOUR);
    counts.droppedCuts += before - this.game.cuts.length;
  }
  sweepSome(_who: number, most: number): void {
    const due = this.model.zombies.filter((zombie) => !zombie.recorded && zombie.diedAt !== null);
    for (const zombie of due.slice(0, most)) {
      zombie.recorded = true;
      counts.deaths += 1;
    }
  }
  read(): void {}

  check(): void {
    const { game, model } = this;
    const explain = () => `at ${iso(model.now)} after ${this.history.join(", ")}`;
    same(game.changed_at, model.changedAt, explain);
    same(game.paused_at !== null, model.paused, explain);
    for (const [who, zombie] of model.zombies.entries()) {
      const player = this.players[who];
      if (player === undefined) throw new Error("a player is missing");
      counts.read += 1;
      if (zombie.recorded) continue;
      same(starvedAt(game, player, model.now), zombie.diedAt, explain);
      same(stateOf(player, game, model.now), zombie.diedAt === null ? "zombie" : "corpse", explain);
      if (zombie.diedAt === null) {
        const left = zombie.deadline - model.now;
        same(wallDeadline(game, player.deadline, model.now), zombie.deadline, explain);
        same(timeLeft(game, player.deadline, model.now), left, explain);
        same(secondsLeft(game, player.deadline, model.now), Math.floor(left / SECOND), explain);
      } else {
        // The index proposes candidates up to here.
        same(player.deadline <= latestPossiblyStarved(game, model.now), true, explain);
        const { deaths } = applyStarvation(player, game, aContext({ now: model.now }));
        same(deaths.map(({ kind, at }) => `${kind} ${at}`).join(), `starve ${iso(zombie.diedAt)}`, explain);
      }
    }
  }
}

const durations = (period: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(0, 1, period - 1, period, period + 1, MINUTE, HOUR, DAY - 1, DAY, DAY + 1, 3 * DAY),
    fc.integer({ min: 0, max: 2 * period }),
    fc.integer({ min: 0, max: 2 * DAY }),
  );

const ACTIONS = Object.entries(WEIGHTS).map(([action, weight]) => ({
  ...{ weight, arbitrary: fc.constant(action as Step["action"]) },
}));

const schedule = fc.constantFrom(SECOND, HOUR, 5 * HOUR, 48 * HOUR).chain((period) => {
  const action = fc.oneof(...ACTIONS);
  const [who, number] = [fc.nat(30), fc.oneof(fc.nat(3), fc.nat(6 * HOUR))];
  const step: fc.Arbitrary<Step> = fc.record({ after: durations(period), action, who, number });
  return fc.tuple(fc.constant(period), fc.array(step, { minLength: 3, maxLength: 40, size: "max" }));
});

describe("the game clock", () => {
  it("agrees with a naive clock about every zombie, to the millisecond", SLOW, () => {
    fc.assert(
      fc.property(schedule, ([period, steps]) => {
        const comparison = new Comparison(period);
        for (const step of steps) comparison.run(step);
      }),
      { numRuns: 1_500 },
    );
  });

  afterAll(() => {
    expect(counts.read).toBeGreaterThan(25_000);
    expect(counts.deaths).toBeGreaterThan(2_500);
    expect(counts.droppedCuts).toBeGreaterThan(500);
  });

  it("ignores a second pause, and a resume while it runs", () => {
    const running = deepFreeze(aGame());
    const paused = deepFreeze(pauseClock(running, T0));
    expect(pauseClock(paused, T0 + HOUR)).toBe(paused);
    expect(resumeClock(running, T0 + HOUR)).toBe(running);
  });

  it("does not go back when the machine that resumes it has a slow clock", () => {
    expect(resumeClock(pauseClock(aGame({ offset: 5 }), T0), T0 - HOUR).offset).toBe(5);
  });

  it("rounds the time left down to whole seconds", () => {
    const game = aGame({ offset: HOUR });
    expect(timeLeft(game, T0, T0)).toBe(HOUR);
    const left = [0, SECOND - 1, -1].map((more) => secondsLeft(game, T0 + more, T0));
    expect(left).toEqual([3_600, 3_600, 3_599]);
  });
});

describe("an added day", () => {
  it("adds a cut and a day of offset, and changes nothing else", () => {
    const cuts = [{ epoch: 1, at: 1, offset: 0, made_at: 1 }];
    const before = deepFreeze(aGame({ offset: 5, cuts, epoch: 1 }));
    expect(addDayToClock(before, T0)).toEqual({
      ...{ ...before, epoch: 2, offset: 5 + DAY, changed_at: T0 },
      cuts: [...cuts, { epoch: 2, at: T0 - 5, offset: 5, made_at: T0 }],
    });
  });

  it("does not revive a zombie that is due in the same millisecond", () => {
    const hunger = { deadline: T0 + HOUR, epoch: 0 };
    expect(starvedAt(addDayToClock(aGame(), T0 + HOUR - 1), hunger, T0 + HOUR)).toBeNull();
    for (const now of [T0 + HOUR, T0 + 5 * DAY]) {
      expect(starvedAt(addDayToClock(aGame(), T0 + HOUR), hunger, now)).toBe(T0 + HOUR);
    }
  });
});

it("a pause stops the clock, which continues from there", () => {
  const paused = deepFreeze(pauseClock(deepFreeze(aGame({ offset: 5 })), T0));
  expect(paused).toEqual(aGame({ offset: 5, paused_at: T0, changed_at: T0 }));
  const resumed = resumeClock(paused, T0 + HOUR);
  const cuts = [{ epoch: 1, at: T0 - 5, offset: 5, made_at: T0 + HOUR }];
  const pauses = [{ from: T0, until: T0 + HOUR }];
  expect(resumed).toEqual(aGame({ offset: 5 + HOUR, epoch: 1, cuts, pauses, changed_at: T0 + HOUR }));
  for (const game of [paused, resumed]) expect(gameTime(game, T0 + HOUR)).toBe(T0 - 5);
});

describe("a cut", () => {
  const added: Game = addDayToClock(aGame(), T0);

  it("bounds the deadlines that may have passed", () => {
    expect(latestPossiblyStarved(aGame(), T0)).toBe(T0);
    expect(latestPossiblyStarved(added, T0 + HOUR)).toBe(T0);
    expect(latestPossiblyStarved(added, T0 + DAY + HOUR)).toBe(T0 + HOUR);
  });

  it("is dropped once a sweep that began at or after it has finished", () => {
    const twice = deepFreeze(addDayToClock(added, T0 + HOUR));
    expect(dropCuts(twice, T0 - 1)).toEqual(twice);
    expect(dropCuts(twice, T0)).toEqual({ ...twice, cuts: twice.cuts.slice(1) });
    expect(dropCuts(twice, T0 + HOUR - 1).cuts).toHaveLength(1);
    expect(dropCuts(twice, T0 + HOUR)).toEqual({ ...twice, cuts: [] });
  });
});

describe("the state of a player", () => {
  const game = aGame();
  const zombie = { state: "zombie", deadline: T0, epoch: 0 } as const;

  it("is the stored one for everybody else, also with a deadline", () => {
    for (const state of ["human", "corpse", "spectator"] as const) {
      expect(stateOf({ ...zombie, state }, game, T0 + HOUR)).toBe(state);
      expect(starvation({ ...zombie, state }, game, T0 + HOUR)).toBeNull();
    }
  });
});
