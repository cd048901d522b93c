/** The cuts of the game clock: what they remember, and when nobody needs them any more. */
import { describe, expect, it } from "vitest";
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
} from "../../lib/domain/clock.ts";
import { starvation, stateOf } from "../../lib/domain/player.ts";
import { secondsLeft } from "../../lib/domain/transitions.ts";
import { aGame, DAY, deepFreeze, HOUR, SECOND, T0 } from "./support.ts";

describe("an added day", () => {
  const before = deepFreeze(
    aGame({ offset: 5, cuts: [{ epoch: 1, at: 1, offset: 0, made_at: 1 }], epoch: 1 }),
  );

  it("is one more cut, a later offset, and nothing else", () => {
    expect(addDayToClock(before, T0)).toEqual({
      ...before,
      epoch: 2,
      cuts: [...before.cuts, { epoch: 2, at: T0 - 5, offset: 5, made_at: T0 }],
      offset: 5 + DAY,
      changed_at: T0,
    });
  });
});

describe("a pause and its end", () => {
  const paused = pauseClock(deepFreeze(aGame({ offset: 5 })), T0);

  it("are a clock that stands, and one that goes on where it stood", () => {
    expect(paused).toEqual(aGame({ offset: 5, paused_at: T0, changed_at: T0 }));
    expect(gameTime(paused, T0 + HOUR)).toBe(T0 - 5);
    const resumed = resumeClock(deepFreeze(paused), T0 + HOUR);
    expect(resumed).toEqual(
      aGame({
        offset: 5 + HOUR,
        epoch: 1,
        cuts: [{ epoch: 1, at: T0 - 5, offset: 5, made_at: T0 + HOUR }],
        changed_at: T0 + HOUR,
      }),
    );
    expect(gameTime(resumed, T0 + HOUR)).toBe(T0 - 5);
  });

  it("cost nothing when the clock that ends it is behind the one that began it", () => {
    expect(resumeClock(paused, T0 - HOUR).offset).toBe(5);
  });
});

describe("a cut", () => {
  const added: Game = addDayToClock(aGame(), T0);
  const due = { deadline: T0 - HOUR, epoch: 0 };

  it("keeps dead who was due in it, at the deadline as it stood then", () => {
    expect(starvedAt(added, due, T0 + 1)).toBe(T0 - HOUR);
    expect(starvedAt(added, { ...due, epoch: 1 }, T0 + 1)).toBeNull();
    expect(starvedAt(added, { deadline: T0 + 1, epoch: 0 }, T0 + 1)).toBeNull();
  });

  it("is what the latest deadline that may have passed depends on", () => {
    expect(latestPossiblyStarved(aGame(), T0)).toBe(T0);
    expect(latestPossiblyStarved(added, T0 + HOUR)).toBe(T0);
    expect(latestPossiblyStarved(added, T0 + DAY + HOUR)).toBe(T0 + HOUR);
  });

  it("goes when it was made at or before the instant from which all has been swept: that drops the cuts, and no younger ones", () => {
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

  it("is that of a corpse for a zombie from its deadline on", () => {
    expect(stateOf(zombie, game, T0 - 1)).toBe("zombie");
    expect(stateOf(zombie, game, T0)).toBe("corpse");
    expect(starvation(zombie, game, T0 - 1)).toBeNull();
    expect(starvation(zombie, game, T0 + HOUR)).toBe(T0);
  });

  it("is what is stored for anyone else, whatever deadline is left on them", () => {
    for (const state of ["human", "corpse", "spectator"] as const) {
      expect(stateOf({ ...zombie, state }, game, T0 + HOUR)).toBe(state);
      expect(starvation({ ...zombie, state }, game, T0 + HOUR)).toBeNull();
    }
    for (const odd of [{ deadline: null }, { epoch: null }, { deadline: null, epoch: null }]) {
      expect(stateOf({ ...zombie, ...odd }, game, T0 + HOUR)).toBe("zombie");
    }
  });
});

it("what is left of a life is in game time, and never more whole seconds than there are", () => {
  const game = aGame({ offset: HOUR });
  expect(timeLeft(game, T0, T0)).toBe(HOUR);
  expect(secondsLeft(game, T0, T0)).toBe(3_600);
  expect(secondsLeft(game, T0 + SECOND - 1, T0)).toBe(3_600);
  expect(secondsLeft(game, T0 - 1, T0)).toBe(3_599);
});
