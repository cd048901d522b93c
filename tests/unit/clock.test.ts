/** The clock at its edges. What pauses, days and schedules do to deadlines is in tests/battery/time.test.ts. */
import { describe, expect, it } from "vitest";
import { addDayToClock, dropCuts, type Game, pauseClock, resumeClock } from "../../lib/domain/clock.ts";
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
