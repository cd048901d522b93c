/** Builders for the unit tests. None of them uses the rules under test. */
import { type Game, NEW_GAME } from "../../lib/domain/game/game.ts";
import type { Interaction } from "../../lib/domain/hunts/interaction.ts";
import type { CommandContext } from "../../lib/domain/outcome.ts";
import { type Human, newSpectator, type PlayerIn, type Zombie } from "../../lib/domain/players/player.ts";
import { DAY, HOUR, iso, PERIOD, T0 } from "./times.ts";

export const aGame = (more: Partial<Game> = {}): Game => ({ ...NEW_GAME, ...more });

let players = 0;

/** A spectator, with every field filled that must survive a transition. */
export const aPlayer = (more: Partial<PlayerIn<"spectator">> = {}): PlayerIn<"spectator"> => {
  players += 1;
  const id = `00000000-0000-4000-8000-${String(players).padStart(12, "0")}`;
  const account = {
    alias: `Player ${players}`,
    first_name: "Ann",
    last_name: "Other",
    email: "a@example.org",
  };
  return { ...newSpectator(id, 0, account, iso(T0 - 30 * DAY)), rev: 7, seen: 3, kills: 2, ...more };
};

export const CODE = "ABCD2345";

export const aHuman = (more: Partial<Human> = {}): Human => ({
  ...aPlayer(),
  ...{ state: "human", tag_code: CODE, code_since: iso(T0 - DAY) },
  ...more,
});

export const aZombie = (more: Partial<Zombie> = {}): Zombie => ({
  ...aPlayer(),
  ...{ state: "zombie", infection_id: "i", infected_at: iso(T0 - DAY), deadline: T0 + DAY, epoch: 0 },
  ...more,
});

export const aCorpse = (more: Partial<PlayerIn<"corpse">> = {}): PlayerIn<"corpse"> => ({
  ...aPlayer(),
  state: "corpse",
  ...more,
});

export const anInteraction = (more: Partial<Interaction> = {}): Interaction => ({
  ...{ interaction_id: "an-id", kind: "hunt", at: iso(T0 - HOUR), recorded_at: iso(T0), actor: "ada" },
  ...{ target: "ben", ...more },
});

let ids = 0;
let codes = 0;

/** A command context with new ids and tag codes. */
export const aContext = (more: Partial<CommandContext> = {}): CommandContext => ({
  ...{ now: T0, feedingPeriod: () => PERIOD },
  newId: () => `01900000-0000-7000-8000-${String(++ids).padStart(12, "0")}`,
  newCode: () => `NEWC2DE${"23456789"[codes++ % 8]}`,
  ...more,
});
