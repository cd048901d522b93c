/** What somebody got by attending a mission. Apart from the giving, which pages of missions need not load. */
import type { Interaction } from "../hunts/interaction.ts";
import type { Badge } from "../rewards/reward.ts";
import type { Mission } from "./mission.ts";

/** What somebody got by attending, as they see it. */
export interface Earned {
  fed?: true;
  cured?: true;
  points?: number | undefined;
  badge?: Badge | undefined;
  message?: string | undefined;
}

/** What a reward did, beside its points and message: as little as possible, because it is stored with the attendance. */
export interface RewardDone {
  /** The place of the reward among those of the mission, from 0. A closed mission keeps its rewards. */
  reward: number;
  fed?: true | undefined;
  cured?: true | undefined;
  badge?: true | undefined;
}

/** What a reward gave, by what is stored with the attendance. */
export const earnedBy = ({ rewards }: Mission, { reward, fed, cured, badge }: RewardDone): Earned => {
  const effect = rewards[reward]?.effect;
  return {
    ...(fed === undefined ? {} : { fed }),
    ...(cured === undefined ? {} : { cured }),
    points: effect?.points,
    badge: badge === undefined ? undefined : effect?.badge,
    message: effect?.message,
  };
};

/** What a reward gave, by the interaction that records it. */
export const recordedAsEarned = ({ kind, reward }: Interaction): Earned => ({
  ...(reward?.fed === true ? { fed: true as const } : {}),
  ...(kind === "cure" ? { cured: true as const } : {}),
  points: reward?.points,
  badge: reward?.badge,
  message: reward?.message,
});
