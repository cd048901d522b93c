/** The clock at its edges. What pauses, days and schedules do to deadlines is in tests/battery/time.test.ts. */
import { describe, expect, it } from "vitest";
import {
  addDayToClock,
  dropCuts,
  type Game,
  gameTime,
  pauseClock,
  resumeClock,
} from "../../lib/domain/clock.ts";
import { aGame } from "./builders.ts";
import { deepFreeze } from "./support.ts";
import { HOUR, T0 } from "./times.ts";

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

  it("is dropped once a sweep that began at or after it has finished", () => {
    const twice = deepFreeze(addDayToClock(added, T0 + HOUR));
    expect(dropCuts(twice, T0 - 1)).toEqual(twice);
    expect(dropCuts(twice, T0)).toEqual({ ...twice, cuts: twice.cuts.slice(1) });
    expect(dropCuts(twice, T0 + HOUR - 1).cuts).toHaveLength(1);
    expect(dropCuts(twice, T0 + HOUR)).toEqual({ ...twice, cuts: [] });
  });
});
