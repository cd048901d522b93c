/** Gives somebody who attended a mission what it is worth, and takes that back. */
import type { Game } from "../game/game.ts";
import type { Interaction } from "../hunts/interaction.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import type { Player, State } from "../players/player.ts";
import { counterOf } from "../players/states.ts";
import { isCovered, publicPlay } from "../players/visibility.ts";
import { applyEffect } from "../rewards/effect.ts";
import { type TakeBack, type TakeBackContext, takeBackReward } from "../rewards/takeBack.ts";
import type { RewardDone } from "./earned.ts";
import type { Mission } from "./mission.ts";
import type { Sides } from "./sides.ts";

/** A player with a chain of changes, each of which begins with the result of the one before. */
interface Chain extends Outcome {
  player: Player;
}

const chained = (
  stored: Player,
  { player, interactions }: Pick<Chain, "player" | "interactions">,
): Chain => ({
  players: [{ before: stored, after: player }],
  interactions,
  player,
});

/**
 * The rewards for somebody who was on a side. A hidden original zombie gets those of both sides: without what others got,
 * they would be known. `isHidden` are those of which others must not know.
 */
export const rewardsFor = (
  { rewards }: Mission,
  { side, shown }: Sides,
): (Mission["rewards"][number] & { place: number; isHidden: boolean })[] => {
  const isOn = (audience: string, state: State): boolean =>
    audience === "all" || audience === counterOf(state);
  const placed = rewards.map((one, place) => ({ ...one, place, isHidden: !isOn(one.audience, shown) }));
  return placed.filter(({ audience, isHidden }) => isOn(audience, side) || !isHidden);
};

/**
 * Gives a player the rewards of a mission.
 * @returns in `recorded`, the interactions that record them, each with what it did; `null` if none of them does anything
 */
export const giveRewards = (
  stored: Player,
  mission: Mission,
  sides: Sides,
  game: Game,
  command: CommandContext,
): (Outcome & { player: Player; recorded: { interaction: Interaction; did: RewardDone }[] }) | null => {
  const source = { kind: "mission" as const, id: mission.mission_id };
  let player = stored;
  const interactions: Interaction[] = [];
  const recorded: { interaction: Interaction; did: RewardDone }[] = [];
  for (const { audience, effect, place, isHidden } of rewardsFor(mission, sides)) {
    const applied = applyEffect({ game, player, effect, audience, source, isHidden }, command);
    if (applied === null) continue;
    const { given, interaction } = applied;
    player = applied.player;
    interactions.push(...applied.interactions);
    const did: RewardDone = {
      reward: place,
      ...(given.fed ? { fed: true as const } : {}),
      ...(given.cured ? { cured: true as const } : {}),
      ...(given.badge === null ? {} : { badge: true as const }),
    };
    recorded.push({ interaction, did });
  }
  return recorded.length === 0 ? null : { ...chained(stored, { player, interactions }), recorded };
};

/**
 * Gives a player what they would get if they were what others take them for. Nothing of it is to be stored.
 * @returns `null` if that is nothing
 */
export const giveKnownRewards = (
  player: Player,
  mission: Mission,
  { shown }: Sides,
  game: Game,
  command: CommandContext,
): ReturnType<typeof giveRewards> => {
  const known = publicPlay(player, game, command.now);
  const unsaved = { ...command, newId: () => "", newCode: () => "" };
  return giveRewards(known, mission, { side: shown, shown }, game, unsaved);
};

/** Whether others must not know that a player got anything by these interactions, which record rewards of one mission. */
export const isUnknown = (rewarded: readonly Interaction[], game: Game, now: number): boolean =>
  rewarded.every((one) => {
    const { hidden, points, badge, message } = one.reward ?? {};
    return hidden === true || (isCovered(one, game, now) && (points ?? badge ?? message) === undefined);
  });

/** Effects that show that something could not be taken back. */
const KEPT: readonly string[] = ["meal_kept", "unchanged"];

/**
 * Takes back what a player got by a mission, the latest first.
 * @param rewarded the interactions that record it, none of which is voided, with the infections that they have ended
 * @returns `kept`: whether something of it could not be taken back
 */
export const takeRewardsBack = (
  stored: Player,
  rewarded: readonly Pick<TakeBackContext, "rewarded" | "infection">[],
  actor: string,
  game: Game,
  command: CommandContext,
): Outcome & { player: Player; voids: { rewarded: Interaction; by: Interaction }[]; kept: boolean } => {
  let player = stored;
  let kept = false;
  const interactions: Interaction[] = [];
  const voids: { rewarded: Interaction; by: Interaction }[] = [];
  for (const one of rewarded.toReversed()) {
    const { effects, ...taken }: TakeBack = takeBackReward({ game, ...one, player, actor }, command);
    const { kind } = one.rewarded;
    player = taken.player ?? player;
    interactions.push(...taken.interactions);
    voids.push({ rewarded: one.rewarded, by: taken.interaction });
    const isCureKept = kind === "cure" && effects.every(({ effect }) => effect !== "zombie_again");
    kept ||= isCureKept || (kind !== "reward" && effects.some(({ effect }) => KEPT.includes(effect)));
  }
  return { ...chained(stored, { player, interactions }), voids, kept };
};
