/** Takes back what a player got by a code or a mission. */
import { DomainError } from "../domainError.ts";
import { gameTime } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { Interaction } from "../hunts/interaction.ts";
import { withKnownHunter } from "../hunts/tag.ts";
import { revertFeeding, type Effect as TakenBack } from "../hunts/void.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import type { Player } from "../players/player.ts";
import { applyStarvation, newInteraction } from "../players/transitions.ts";
import type { Reward } from "./reward.ts";

/** The outcome of taking back a reward. The interaction that records it must be marked in the same transaction. */
export interface TakeBack extends Outcome {
  player: Player;
  interaction: Interaction;
  effects: TakenBack[];
}

/** What is taken back, and by whom. */
export interface TakeBackContext {
  game: Game;
  /** The interaction that records what the player got. */
  rewarded: Interaction;
  /** The present record of the infection that an antidote has ended; `null` if it was none. */
  infection: Interaction | null;
  /** The player who got it, as stored. */
  player: Player;
  /** The game master's player id. */
  actor: string;
}

/**
 * The reward that an interaction records, if it can be taken back.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const requireReward = (interaction: Interaction | null): { rewarded: Interaction; reward: Reward } => {
  if (interaction?.reward === undefined || interaction.kind === "void")
    throw new DomainError("not_found", "There is no such redemption or reward.");
  if (interaction.voided_by !== undefined)
    throw new DomainError("wrong_state", "This has already been taken back.");
  return { rewarded: interaction, reward: interaction.reward };
};

const withoutPrizes = (player: Player, { points = 0, hidden }: Reward, by: string): Player => {
  const { cover } = player;
  return {
    ...player,
    points: Math.max(0, player.points - points),
    badges: player.badges.filter((badge) => badge.by !== by),
    ...(hidden === true && cover !== null
      ? { cover: { ...cover, hidden_points: Math.max(0, (cover.hidden_points ?? 0) - points) } }
      : {}),
  };
};

/**
 * A human as the zombie whom an antidote had cured, with as much time left as then: they could not feed in between.
 * @returns `null` unless they are still the human whom it made, or if the infection has been voided since
 */
const uncured = (
  player: Player,
  { before }: Reward,
  { game, infection, rewarded: { recorded_at } }: TakeBackContext,
  now: number,
): Player | null => {
  if (infection?.voided_by !== undefined) return null;
  if (before === undefined || player.state !== "human" || player.code_since !== recorded_at) return null;
  const { infected_at } = player;
  if (infected_at === null) return null;
  const { infection_id, infected_by, infected_by_original_since, last_fed_at, hunger } = before;
  const runsFrom = Math.max(now, game.changed_at ?? 0);
  const zombie = {
    ...player,
    state: "zombie" as const,
    ...{ tag_code: null, code_since: null, human_since: null },
    ...{ infection_id, infected_at, infected_by, infected_by_original_since, last_fed_at },
    deadline: gameTime(game, runsFrom) + (hunger ?? 0),
    epoch: game.epoch,
    meals: [],
  };
  return withKnownHunter(zombie, infection);
};

/**
 * Takes back a reward: its points and its badge, its feeding as the void of a hunt does, and the cure while the player is
 * still the human whom it made. The once-a-season antidote is free again.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const takeBackReward = (context: TakeBackContext, command: CommandContext): TakeBack => {
  const { game, player: stored, actor } = context;
  const { rewarded, reward } = requireReward(context.rewarded);
  const { interaction_id: voids, target, kind } = rewarded;
  const { source, source_id, points = 0, badge } = reward;
  const interaction: Interaction = {
    ...newInteraction("void", null, actor, command),
    ...{ target, voids, reward: { source, source_id } },
    ...(kind === "reward" ? { is_private: true } : {}),
    // Of a hidden original zombie, whom the field `hunter` protects.
    ...(rewarded.cover === undefined ? {} : { hunter: target, cover: { ...rewarded.cover, kind: null } }),
  };
  const { player: current, deaths } = applyStarvation(stored, game, command);
  const fed =
    reward.fed === true
      ? revertFeeding(current, { hunt: rewarded, game }, command)
      : { player: current, deaths: [], effects: [] };
  const zombie = uncured(fed.player, reward, context, command.now);
  // Their time may have run out meanwhile, if the clock was changed between the antidote and its record.
  const uncuredOne = applyStarvation(zombie ?? fed.player, game, command);
  const prizeless = withoutPrizes(uncuredOne.player, reward, voids);
  const after = prizeless.antidote === voids ? { ...prizeless, antidote: null } : prizeless;
  const { player_id, state } = after;
  const effects: TakenBack[] = [
    ...(zombie === null ? [] : [{ ...on(after), effect: "zombie_again" as const, deadline: after.deadline }]),
    ...fed.effects,
    ...uncuredOne.deaths.map(({ at }) => ({ ...on(after), effect: "starved" as const, at })),
    ...(points === 0 ? [] : [{ ...on(after), effect: "points_taken_back" as const, points: after.points }]),
    ...(badge === undefined ? [] : [{ ...on(after), effect: "badge_taken_back" as const }]),
  ];
  return {
    players: [{ before: stored, after }],
    interactions: [...deaths, ...fed.deaths, ...uncuredOne.deaths, interaction],
    player: after,
    interaction,
    effects: effects.length > 0 ? effects : [{ player: player_id, effect: "unchanged", state }],
  };
};

const on = ({ player_id, state }: Player) => ({ player: player_id, state });
