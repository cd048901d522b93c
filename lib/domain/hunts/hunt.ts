/** Hunts: a zombie reports the tag code of a human it has tagged (docs/api.md, "Zombies"). */
import { tooManyAttempts } from "../backoff.ts";
import { DomainError } from "../domainError.ts";
import { isInPlay } from "../game/clock.ts";
import { type Game, phaseOf } from "../game/game.ts";
import { nextChange } from "../game/schedule.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import { asHunter, type Hunter, hunterAt } from "../players/lives.ts";
import type { Human, Player, Zombie } from "../players/player.ts";
import { TRANSITIONS } from "../players/states.ts";
import { applyStarvation, requireState } from "../players/transitions.ts";
import { publicPlay } from "../players/visibility.ts";
import { instantOf, MINUTE, rfc3339 } from "../time.ts";
import type { Interaction } from "./interaction.ts";
import { type EarlierTag, type HuntOutcome, requireEarlierTag, type Tag, tagBy, waitingTag } from "./tag.ts";

/** After this many unknown codes within {@link MISS_WINDOW}, hunts are rejected until fewer are within it. */
export const MAX_MISSES = 10;
export const MISS_WINDOW = 10 * MINUTE;

/** A hunter's report of a tag. */
export interface HuntReport {
  /** When the tag happened, as an instant. */
  huntedAt: number;
  note?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

export interface TagCodeContext {
  /** The reported code, normalized. */
  code: string;
  /** The player who has or had this code; `unknown` if nobody ever had it, `gone` if the account was deleted. */
  prey: Player | "unknown" | "gone";
  /** The tag that is stored with the code, see {@link EarlierTag}; `null` if there is none, absent if not looked up. */
  earlier?: EarlierTag | null;
  /** Whether a game master has given its player another code. */
  isReplaced?: boolean;
}

/** The data that a hunt is validated against. */
export interface HuntContext extends TagCodeContext {
  game: Game;
  hunter: Hunter;
  /** The players to share the feeding with, by alias; `null` for an unknown alias. */
  sharers: { alias: string; player: Player | null }[];
}

const recentMisses = (hunter: Player, now: number): string[] =>
  hunter.misses.filter((miss) => instantOf(miss) > now - MISS_WINDOW);

/** The error for a tag or a code at an instant at which the game was not played. */
const notRunning = (game: Game, now: number, what: "tag" | "code"): DomainError => {
  const next = nextChange(game.schedule, now);
  const message = (): string => {
    if (phaseOf(game, now) === "ended") return `The game has ended: a ${what} after its end does not count.`;
    if (isInPlay(game, now) || next === null)
      return `The game was not played at that time: such a ${what} does not count.`;
    return `The game is not played now: ${what}s count again from ${rfc3339(next)}.`;
  };
  return new DomainError("not_running", message());
};

/** Requires that a tag, or a code that is redeemed, counts at this instant. @throws DomainError `paused`, `not_running` */
export const requireInPlay = (game: Game, at: number, now: number, what: "tag" | "code" = "tag"): void => {
  if (game.paused_at !== null) {
    throw new DomainError("paused", `The game is paused: ${what}s are not accepted until it resumes.`);
  }
  if (!isInPlay(game, at)) throw notRunning(game, now, what);
};

/**
 * Requires that a player has not entered too many unknown codes.
 * @param hint what to do about it
 * @throws DomainError `too_many_attempts`
 */
export const requireNoLockout = (
  player: Player,
  command: CommandContext,
  hint = "Too many unknown tag codes. Ask your prey to read the code out again.",
): void => {
  const misses = recentMisses(player, command.now);
  if (misses.length >= MAX_MISSES) {
    const oldest = instantOf(misses[misses.length - MAX_MISSES] ?? rfc3339(command.now));
    throw tooManyAttempts(oldest + MISS_WINDOW - command.now, hint);
  }
};

/**
 * The hunter of a tag that a player reports, if they may hunt. They are judged at the time of the tag: one who starves
 * before the report is still its hunter (decision 97).
 * @param huntedAt when the tag happened, as an instant
 * @param readEvents as for {@link hunterAt}
 * @throws DomainError `paused`, `not_running`, `wrong_state`, `too_many_attempts`
 */
export const reportingHunter = async (
  player: Player,
  huntedAt: number,
  game: Game,
  command: CommandContext,
  readEvents: () => Promise<readonly Interaction[]>,
): Promise<Hunter> => {
  requireInPlay(game, huntedAt, command.now);
  // A tag of this moment needs no look at the past.
  const events = huntedAt < command.now ? readEvents : async () => [];
  const then = await hunterAt(player, { from: huntedAt, until: huntedAt }, game, command, events);
  // A tag that a zombie dates before their infection is too early only if its code is right.
  const hunter =
    then ?? asHunter(requireState(applyStarvation(player, game, command).player, ["zombie"], "hunt"));
  requireNoLockout(hunter.stored, command);
  return hunter;
};

/** Counts an unknown tag code, or a code that could not be redeemed. Nothing else changes. */
export const recordMiss = (hunter: Player, command: CommandContext): Outcome => ({
  players: [
    {
      before: hunter,
      after: {
        ...hunter,
        misses: [...recentMisses(hunter, command.now), rfc3339(command.now)].slice(-MAX_MISSES),
      },
    },
  ],
  interactions: [],
});

export const unknownTagCode = (): DomainError =>
  new DomainError("unknown_tag_code", "No player has this tag code.");

/**
 * When a game master or a checkpoint made the player a zombie in their present life, RFC 3339; `null` if another did.
 * @param player as others see them: a hidden original zombie is none
 */
const madeZombieAt = ({ infection_id, infected_at, infected_by, reported }: Player): string | null =>
  infection_id === null || infected_by !== null || reported === true ? null : infected_at;

/**
 * The human who has this tag code now.
 * @throws DomainError `unknown_tag_code`, `code_replaced`, `already_tagged`, `wrong_state`
 */
export const requireLivePrey = (context: TagCodeContext): Human => {
  const { prey, code, isReplaced = false } = context;
  if (prey === "unknown") throw unknownTagCode();
  if (isReplaced)
    throw new DomainError(
      "code_replaced",
      "This tag code is not valid any more: a game master has given its player a new one. Ask for the new one.",
    );
  if (prey === "gone")
    throw new DomainError("wrong_state", "The player who had this tag code has left the game.");
  if (prey.tag_code !== code) {
    const madeAt = madeZombieAt(prey);
    throw new DomainError(
      "already_tagged",
      madeAt === null
        ? "This tag code has been used: its player was tagged before."
        : `This tag code is not valid any more: its player was made a zombie by a game master at ${madeAt}. If you tagged them, ask a game master to name you as the hunter.`,
    );
  }
  if (prey.state !== "human") {
    throw new DomainError(
      "wrong_state",
      `The player with this tag code is a ${prey.state}, but was not tagged.`,
    );
  }
  return prey;
};

const tagOfHuman = (human: Human): Tag => ({
  target: human.player_id,
  prey: human,
  codeSince: instantOf(human.code_since),
  until: null,
  waiting: null,
});

/** The tag that a code stands for. @throws DomainError as {@link requireLivePrey} and {@link requireEarlierTag} */
const requireTag = (context: HuntContext, now: number): Tag => {
  const { earlier = null, game, prey } = context;
  if (earlier !== null) return requireEarlierTag(earlier, typeof prey === "string" ? null : prey, game, now);
  return tagOfHuman(requireLivePrey(context));
};

/** The living zombies to share a feeding with. @throws DomainError `player_not_found`, `wrong_state` */
const requireSharers = (
  { game, sharers }: Pick<HuntContext, "game" | "sharers">,
  command: CommandContext,
): Zombie[] =>
  sharers.map(({ alias, player }) => {
    if (player === null) throw new DomainError("player_not_found", `No player is called ${alias}.`);
    const requireLivingZombie = (sharer: Player) =>
      requireState(applyStarvation(sharer, game, command).player, ["zombie"], "share a feeding");
    // A hidden original zombie is rejected like a human. Otherwise, a hunter could find originals by naming everybody.
    requireLivingZombie(publicPlay(player, game, command.now));
    return requireLivingZombie(player);
  });

/**
 * Decides a hunt of a {@link reportingHunter}. Errors are checked in the order of docs/api.md.
 * @throws DomainError `unknown_tag_code`, `code_replaced`, `already_tagged`, `wrong_state`, `too_early`, `player_not_found`
 */
export const hunt = (context: HuntContext, report: HuntReport, command: CommandContext): HuntOutcome => {
  const { game, hunter } = context;
  const tag = requireTag(context, command.now);
  return tagBy(tag, { hunter, sharers: () => requireSharers(context, command), ...report }, game, command);
};

/** A tag that a game master enters in place of the hunter. */
export interface EnteredHunt extends Pick<HuntContext, "game" | "hunter" | "sharers"> {
  prey: Player;
  /** The infection that the prey has reported and that waits for its hunter; `null` if there is none. */
  waiting: Interaction | null;
  huntedAt: number;
  /** The game master's player id. */
  enteredBy: string;
}

/**
 * Decides a hunt that a game master enters. The rules of a hunt apply, except for the tag code and the report window.
 * @throws DomainError `wrong_state`, `too_early`, `player_not_found`
 */
export const decideEnteredHunt = (entered: EnteredHunt, command: CommandContext): HuntOutcome => {
  const { game, prey, waiting, ...hunters } = entered;
  const tag =
    waiting === null
      ? tagOfHuman(requireState(prey, TRANSITIONS.hunt.from, "be tagged"))
      : waitingTag(waiting, prey);
  return tagBy(tag, { ...hunters, sharers: () => requireSharers(entered, command) }, game, command);
};
