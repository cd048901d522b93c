/** Gives a player what a code or a mission gives: food, an antidote, points, a badge, a message. */
import { gameTimeLeft } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { Interaction } from "../hunts/interaction.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import { changeInLife, type Revival } from "../players/lateChange.ts";
import { asHunter, type Hunter } from "../players/lives.ts";
import type { Player, Zombie } from "../players/player.ts";
import { applyStarvation, asHuman, newInteraction } from "../players/transitions.ts";
import { coverOfLife } from "../players/visibility.ts";
import { asFed } from "../starvation/feeding.ts";
import { rfc3339, SECOND } from "../time.ts";
import { type Effect, MAX_BADGES, type Reward, type Side } from "./reward.ts";

/** What an effect is applied to. */
export interface EffectContext {
  game: Game;
  /** As stored. */
  player: Player;
  effect: Effect;
  /** For whom the effect is: what zombies alone get, others do not see of a hidden original zombie. */
  audience: Side;
  /** What gives it, and its id. */
  source: { kind: "code" | "mission"; id: string };
  /** Whether others do not see points and badge while originals are hidden; by default of what zombies alone get in such a life. */
  isHidden?: boolean;
  /** When the player got it, as an instant; now by default. */
  at?: number;
  /** The life as a zombie in which the player got it; by default the present one. `null` for a player who was no zombie. */
  life?: Hunter | null;
}

/** What an effect has done. */
export interface Given {
  /** The feeding deadline has moved. */
  fed: boolean;
  /** The player is human, with a new tag code. */
  cured: boolean;
  points: number;
  /** `null` if the effect has none, or the player has as many badges as a player can have. */
  badge: { name: string; symbol: string } | null;
  message: string | null;
}

/** A player who got something. `revival` is that of a zombie who starved since `at`, and would not have with it. */
export interface Rewarded extends Outcome {
  player: Player;
  interaction: Interaction;
  given: Given;
  revival: Revival | null;
}

/**
 * Whether a zombie is an original one: a game master or a draw has made them a zombie. A missed checkpoint makes no original,
 * and neither does a tag whose hunter is not known yet.
 */
const isOriginal = ({
  infection_id,
  infected_by,
  reported,
  before_checkpoint,
}: Pick<Zombie, "infection_id" | "infected_by" | "reported" | "before_checkpoint">): boolean =>
  infected_by === null && reported !== true && before_checkpoint?.infection_id !== infection_id;

/** Whether an antidote makes a zombie human: once a season, and an original only if the game allows it. */
const mayBeCured = (zombie: Zombie, { settings }: Game): boolean =>
  zombie.antidote === null && (settings.originals_cured || !isOriginal(zombie));

/** The zombie with a deadline that has moved by so many milliseconds of game time, at most to a full period. */
const asFedBy = (
  zombie: Zombie,
  { game, at, hunt }: { game: Game; at: number; hunt: string },
  milliseconds: number,
  period: number,
): Zombie => {
  const left = Math.max(0, gameTimeLeft(game, zombie.deadline, at));
  if (left >= period) return zombie;
  return asFed(zombie, game, at, Math.min(left + milliseconds, period), hunt);
};

/** The present life of a player as a zombie; `null` if they are none. */
const presentLife = (stored: Player, game: Game, command: CommandContext): Hunter | null => {
  const { player, deaths } = applyStarvation(stored, game, command);
  return player.state === "zombie" ? { ...asHunter(player), stored, deaths } : null;
};

/** Adds points and a badge. @param hidden whether others do not see them while originals are hidden */
const withPrizes = (
  player: Player,
  { points = 0, badge }: Effect,
  interaction: Interaction,
  hidden: boolean,
): Player => {
  const { cover } = player;
  const by = interaction.interaction_id;
  const isFull = player.badges.length >= MAX_BADGES;
  return {
    ...player,
    points: player.points + points,
    ...(badge === undefined || isFull
      ? {}
      : { badges: [...player.badges, { ...badge, by, ...(hidden ? { hidden: true as const } : {}) }] }),
    ...(hidden && cover !== null
      ? { cover: { ...cover, hidden_points: (cover.hidden_points ?? 0) + points } }
      : {}),
  };
};

/**
 * Gives a player an effect. What does not apply is left out: food and an antidote do nothing to a human or a corpse.
 * `given` says what it did. The same outcome records it as one interaction: a cure, a feeding, or a `reward`, which only the
 * player and game masters see.
 * @returns `null` if it does nothing
 */
export const applyEffect = (context: EffectContext, command: CommandContext): Rewarded | null => {
  const { game, player: stored, effect, audience, source, at = command.now } = context;
  const { feed_seconds, cure, points = 0, badge = null, message = null } = effect;
  const life = context.life === undefined ? presentLife(stored, game, command) : context.life;
  // If the game clock was changed since, the time counts from that change: earlier game time is not known.
  const from = Math.max(at, game.changed_at ?? at);
  const interaction = newInteraction("reward", stored, null, command, rfc3339(at));
  const { interaction_id: id } = interaction;
  let fed = false;
  let before: Reward["before"];
  const change = (zombie: Zombie): Player => {
    if (cure === true && mayBeCured(zombie, game)) {
      const { infection_id, infected_by, infected_by_original_since, last_fed_at, deadline } = zombie;
      const hunger = gameTimeLeft(game, deadline, from);
      before = { infection_id, infected_by, infected_by_original_since, last_fed_at, hunger };
      return { ...asHuman(zombie, command), antidote: id };
    }
    if (feed_seconds === undefined) return zombie;
    const feeding = { game, at: from, hunt: id };
    const after = asFedBy(zombie, feeding, feed_seconds * SECOND, command.feedingPeriod(game));
    fed = after.deadline !== zombie.deadline;
    return fed ? after : zombie;
  };
  const unchanged = { ...applyStarvation(stored, game, command), revival: null };
  const changed =
    life === null
      ? { player: unchanged.player, interactions: unchanged.deaths, revival: null }
      : changeInLife(life, id, change, game, command);
  const cured = before !== undefined;
  const infection_id = life?.life.infection_id ?? stored.infection_id;
  const isOfHidden = audience === "zombies" && coverOfLife({ cover: stored.cover, infection_id }) !== null;
  const { isHidden: hidden = isOfHidden } = context;
  const after = withPrizes(changed.player, effect, interaction, hidden);
  const gotBadge = after.badges.length > changed.player.badges.length ? badge : null;
  const given: Given = { fed, cured, points, badge: gotBadge, message };
  if (!fed && !cured && points === 0 && gotBadge === null && message === null) return null;
  const reward: Reward = {
    source: source.kind,
    source_id: source.id,
    ...(fed ? { fed } : {}),
    ...(points === 0 ? {} : { points }),
    ...(gotBadge === null ? {} : { badge: gotBadge }),
    ...(message === null ? {} : { message }),
    ...(hidden ? { hidden } : {}),
    ...(before === undefined ? {} : { before }),
  };
  const recorded: Interaction = {
    ...interaction,
    kind: cured ? "cure" : fed ? "feed" : "reward",
    reward,
    ...(cured || fed ? {} : { is_private: true }),
    ...(changed.revival === null ? {} : { revival: changed.revival.interaction.interaction_id }),
  };
  return {
    players: [{ before: stored, after }],
    interactions: [
      ...changed.interactions.map((one) =>
        one === changed.revival?.interaction
          ? { ...one, reward: { source: source.kind, source_id: source.id } }
          : one,
      ),
      recorded,
    ],
    player: after,
    interaction: recorded,
    given,
    revival: changed.revival,
  };
};
