import { describe, expect, it } from "vitest";
import {
  addDayToClock,
  dropCuts,
  type Game,
  gameTime,
  latestPossiblyStarved,
  pauseClock,
  resumeClock,
  secondsLeft,
  starvedAt,
  timeLeft,
} from "../../lib/domain/clock.ts";
import { starvation, stateOf } from "../../lib/domain/player.ts";
import { aGame } from "./builders.ts";
import { deepFreeze } from "./support.ts";
import { DAY, HOUR, SECOND, T0 } from "./times.ts";

describe("the game clock", () => {
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
