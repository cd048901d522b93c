/** The hunt: a zombie reports the tag code of a human whom it has tagged (contract, "Zombie"). */
import type { Game } from "./clock.ts";
import { DomainError } from "./domainError.ts";
import type { Interaction } from "./interaction.ts";
import { withKill } from "./kills.ts";
import type { CommandContext, Outcome } from "./outcome.ts";
import type { Player } from "./player.ts";
import { HOUR, instantOf, MINUTE, rfc3339 } from "./time.ts";
import { applyStarvation, asFed, asZombie, newInteraction, requireState } from "./transitions.ts";

/** A hunt is reported at most this long after it happened; in milliseconds. */
export const HUNT_REPORT_WINDOW = 6 * HOUR;

/** So many unknown codes within the window, and no more hunts are taken until the first of them is past. */
export const MAX_MISSES = 10;
export const MISS_WINDOW = 10 * MINUTE;

/** What a hunter reports. */
export interface HuntReport {
  /** When the tag happened, as an instant. */
  huntedAt: number;
  note?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

/** A tag code, and what the game knows of it. */
export interface TagCodeContext {
  /** The code as reported, in its one form. */
  code: string;
  /** Whose code it is or was: `unknown` to the game, `gone` with a deleted account, or the player. */
  prey: Player | "unknown" | "gone";
}

/** What a hunt is judged by. */
export interface HuntContext extends TagCodeContext {
  game: Game;
  hunter: Player;
  /** Those who are to be fed too, by alias; `null` for an alias that nobody has. */
  sharers: { alias: string; player: Player | null }[];
}

const recentMisses = (hunter: Player, now: number): string[] =>
  hunter.misses.filter((miss) => instantOf(miss) > now - MISS_WINDOW);

/**
 * Passes when the player may hunt at all, before any code is looked at.
 * @throws DomainError `paused`, `wrong_state`, `too_many_attempts`
 */
export const requireCanHunt = (hunter: Player, game: Game, moment: CommandContext): void => {
  if (game.paused_at !== null) {
    throw new DomainError("paused", "The game is paused: no hunt is taken until it goes on.");
  }
  requireState(applyStarvation(hunter, game, moment).player, ["zombie"], "hunt");
  const misses = recentMisses(hunter, moment.now);
  if (misses.length >= MAX_MISSES) {
    const oldest = instantOf(misses[misses.length - MAX_MISSES] ?? rfc3339(moment.now));
    throw new DomainError(
      "too_many_attempts",
      "Too many tag codes that nobody has. Ask your prey to read it out again.",
      {
        retryAfter: Math.max(1, Math.ceil((oldest + MISS_WINDOW - moment.now) / 1000)),
      },
    );
  }
};

/** What an unknown code comes to: the hunter's misses are counted, nothing else changes. */
export const recordMiss = (hunter: Player, moment: CommandContext): Outcome => ({
  players: [
    {
      before: hunter,
      after: {
        ...hunter,
        misses: [...recentMisses(hunter, moment.now), rfc3339(moment.now)].slice(-MAX_MISSES),
      },
    },
  ],
  interactions: [],
});

export const unknownTagCode = (): DomainError =>
  new DomainError("unknown_tag_code", "No player has this tag code.");

/**
 * The human who carries a tag code now.
 * @throws DomainError `unknown_tag_code`, `already_tagged`, `wrong_state`
 */
export const requireLivePrey = (scene: TagCodeContext): Player => {
  const { prey, code } = scene;
  if (prey === "unknown") throw unknownTagCode();
  if (prey === "gone")
    throw new DomainError("wrong_state", "The player who had this tag code has left the game.");
  if (prey.tag_code !== code) {
    throw new DomainError(
      "already_tagged",
      "This tag code has been used: whoever carried it was tagged before.",
    );
  }
  if (prey.state !== "human") {
    throw new DomainError(
      "wrong_state",
      `The player with this tag code is a ${prey.state}, and not by a tag.`,
    );
  }
  return prey;
};

/** What a hunt that counts comes to. */
export interface HuntOutcome extends Outcome {
  hunter: Player;
  prey: Player;
  interaction: Interaction;
}

/**
 * Judges a hunt. Its refusals come in the contract's order.
 * @throws DomainError `paused`, `wrong_state`, `too_many_attempts`, `unknown_tag_code`, `already_tagged`,
 *   `too_early`, `player_not_found`
 */
export const hunt = (scene: HuntContext, report: HuntReport, moment: CommandContext): HuntOutcome => {
  const { game, hunter } = scene;
  const { huntedAt } = report;
  requireCanHunt(hunter, game, moment);
  const prey = requireLivePrey(scene);
  if (huntedAt < instantOf(hunter.infected_at ?? "")) {
    throw new DomainError("too_early", "You were not a zombie yet at that time.");
  }
  if (huntedAt < instantOf(prey.code_since ?? "")) {
    throw new DomainError("too_early", "Your prey did not have this tag code yet at that time.");
  }
  const sharers = scene.sharers.map(({ alias, player }) => {
    if (player === null) throw new DomainError("player_not_found", `No player is called ${alias}.`);
    requireState(applyStarvation(player, game, moment).player, ["zombie"], "share a meal");
    return player;
  });

  const at = rfc3339(huntedAt);
  // A meal from before the clock last changed counts from the change: the hunter did not know it would come.
  const meal = Math.max(huntedAt, game.changed_at ?? huntedAt);
  const interaction: Interaction = {
    ...newInteraction("hunt", prey, hunter.player_id, moment, at),
    parent: hunter.infection_id,
    shared_with: sharers.map(({ player_id }) => player_id),
    ...(report.note === undefined ? {} : { note: report.note }),
    ...(report.latitude === undefined ? {} : { latitude: report.latitude }),
    ...(report.longitude === undefined ? {} : { longitude: report.longitude }),
  };
  const { interaction_id: id } = interaction;
  const fed = (player: Player): Player => asFed(player, game, meal, moment.period, id);
  const fedHunter = withKill(fed(hunter), { hunt: id, at });
  const infected = asZombie(prey, game, moment, {
    id,
    at,
    by: hunter.player_id,
  });
  return {
    players: [
      { before: hunter, after: fedHunter },
      { before: prey, after: infected },
      ...sharers.map((before) => ({ before, after: fed(before) })),
    ],
    interactions: [interaction],
    hunter: fedHunter,
    prey: infected,
    interaction,
  };
};
