/** What the unit tests build their scenes from. Nothing here is read from the rules under test. */
import { expect } from "vitest";
import { type Game, NEW_GAME } from "../../lib/domain/clock.ts";
import { DomainError } from "../../lib/domain/domainError.ts";
import type { CommandContext } from "../../lib/domain/outcome.ts";
import { newSpectator, type Player } from "../../lib/domain/player.ts";

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** A Saturday morning of the game. */
export const T0 = Date.UTC(2026, 10, 21, 7, 24);

export const iso = (instant: number): string => new Date(instant).toISOString();

/** Freezes a value through and through: whoever changes it hears of it. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
};

export const aGame = (more: Partial<Game> = {}): Game => ({ ...NEW_GAME, ...more });

/** A game to which two days were added, five hours ago and one hour ago. */
export const DAYS_ADDED = aGame({
  rev: 9,
  offset: 2 * DAY,
  epoch: 2,
  changed_at: T0 - HOUR,
  cuts: [
    { epoch: 1, at: T0 - 5 * HOUR, offset: 0, made_at: T0 - 5 * HOUR },
    { epoch: 2, at: T0 - HOUR - DAY, offset: DAY, made_at: T0 - HOUR },
  ],
});

let players = 0;

/** A player of some state, with everything that must survive a transition filled in. */
export const aPlayer = (more: Partial<Player> = {}): Player => {
  players += 1;
  const id = `00000000-0000-4000-8000-${String(players).padStart(12, "0")}`;
  const newcomer = {
    alias: `Player ${players}`,
    first_name: "Ann",
    last_name: "Other",
    email: "a@example.org",
  };
  return { ...newSpectator(id, 0, newcomer, iso(T0 - 30 * DAY)), rev: 7, seen: 3, kills: 2, ...more };
};

/** A moment whose ids and codes are counted, so that a test can say which were used. */
export const aMoment = (
  more: Partial<CommandContext> = {},
): CommandContext & { ids: string[]; codes: string[] } => {
  const ids: string[] = [];
  const codes: string[] = [];
  return {
    now: T0,
    period: 48 * HOUR,
    newId: () => {
      const id = `01900000-0000-7000-8000-${String(ids.length + 1).padStart(12, "0")}`;
      ids.push(id);
      return id;
    },
    newCode: () => {
      const code = `NEWC2DE${"23456789"[codes.length] ?? "Z"}`;
      codes.push(code);
      return code;
    },
    ids,
    codes,
    ...more,
  };
};

/** The refusal that a deed throws; anything else fails the test. */
export const refusalOf = (deed: () => unknown): DomainError => {
  let value: unknown;
  try {
    value = deed();
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    if (error instanceof DomainError) {
      // Whatever is refused is told in a sentence, but for faults, which are listed.
      if (error.code !== "invalid_request") expect(error.detail).toMatch(/^\S.*\.$/);
      return error;
    }
  }
  throw new Error(`was not refused: ${JSON.stringify(value)}`);
};
