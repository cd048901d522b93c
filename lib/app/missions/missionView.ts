/** A mission as somebody may know it now. */
import type { Game } from "../../domain/game/game.ts";
import type { Earned } from "../../domain/missions/earned.ts";
import {
  closingOf,
  isForSide,
  isVisible,
  type Mission,
  type Onlooker,
  visibleBriefings,
} from "../../domain/missions/mission.ts";

/** The path of a mission's picture; `null` without one. */
const picturePath = ({ mission_id, picture_hash }: Mission): string | null =>
  picture_hash === null ? null : `/pictures/${mission_id}.${picture_hash}`;

/** What only game masters see: it would tell of briefings that others may not know. */
const ownView = (mission: Mission, attended_count: number | undefined) => ({
  version: mission.version,
  draft: mission.draft,
  complete: mission.job === null,
  closings: mission.closings.map(({ at, result, note, reopened_at = null }) => ({
    ...{ at, result, note, reopened_at },
  })),
  ...(attended_count === undefined ? {} : { attended_count }),
});

/**
 * A mission for a viewer who may know it. Others see of its texts and rewards what is for their side.
 * @param known what the viewer got by attending, absent if they did not; and how many attended
 */
export const missionView = (
  mission: Mission,
  viewer: Onlooker,
  game: Game,
  now: number,
  known: { attended?: readonly Earned[] | undefined; count?: number | undefined } = {},
) => {
  const { mission_id, title, starts_at, ends_at, place, latitude, longitude } = mission;
  const { attendance, required, required_to_play, rewards } = mission;
  const isMaster = viewer?.is_admin === true;
  const closing = closingOf(mission);
  return {
    ...{ mission_id, title, starts_at, ends_at, place, latitude, longitude },
    picture_url: picturePath(mission),
    ...{ attendance, required, required_to_play },
    briefings: visibleBriefings(mission, viewer, game, now).map((one) => ({
      audience: one.audience,
      text: one.text,
      reveal_at: one.reveal_at,
      outcome_text: isMaster || closing !== null ? one.outcome_text : null,
    })),
    rewards: rewards
      .filter(({ audience }) => isMaster || isForSide(audience, viewer, game, now))
      .map(({ audience, effect }) => ({ audience, effect })),
    result: closing?.result ?? null,
    note: closing?.note ?? null,
    closed_at: closing?.at ?? null,
    attended: known.attended !== undefined,
    earned: [...(known.attended ?? [])],
    ...(isMaster ? ownView(mission, known.count) : {}),
  };
};

export type MissionView = ReturnType<typeof missionView>;

/** A mission as somebody without an account sees it; `null` if they do not know it. */
export const publicMission = (mission: Mission, game: Game, now: number) => {
  if (!isVisible(mission, null, game, now)) return null;
  const { attended: _, earned: _1, rewards: _2, ...view } = missionView(mission, null, game, now);
  return view;
};
