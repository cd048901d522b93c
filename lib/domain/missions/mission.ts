/**
 * Missions: what game masters stage. Each side has briefings of its own, which are revealed at a time, and a mission exists
 * for a player only if one of them is (decision 123).
 */
import * as z from "zod/mini";
import { DomainError } from "../domainError.ts";
import type { Game } from "../game/game.ts";
import { isAddressed } from "../notifications/push.ts";
import type { Player } from "../players/player.ts";
import { counterOf, TAKING_PART } from "../players/states.ts";
import { latestReopened } from "../reopened.ts";
import { Effect, Side as RewardSide } from "../rewards/reward.ts";
import { boolean, integer, nullableNumber, nullableText, optionalText, text } from "../schemas.ts";
import { instantOf, MINUTE, rfc3339 } from "../time.ts";

/** Whom a briefing or a reward is for. */
export const SIDES = ["all", ...TAKING_PART.map(counterOf)] as const;
export const Side = z.enum(SIDES);
export type Side = z.infer<typeof Side>;

/** Whether attendance is taken, at a desk. */
export const ATTENDANCES = ["none", "desk"] as const;

export const RESULTS = ["humans", "zombies", "both", "none", "cancelled"] as const;
export const MissionResult = z.enum(RESULTS);
export type MissionResult = z.infer<typeof MissionResult>;

/** How long before its start those who know a mission are reminded. */
export const REMIND_BEFORE = 30 * MINUTE;

const Briefing = z.looseObject({
  audience: Side,
  text,
  /** RFC 3339. */
  reveal_at: text,
  /** Shown to the audience when the mission is closed. */
  outcome_text: nullableText,
  /** Whether its reveal was announced, after which it stays revealed. */
  announced: boolean,
});
export type Briefing = z.infer<typeof Briefing>;

/** What those who attended get, by their side when the mission began. */
const MissionReward = z.looseObject({ audience: RewardSide, effect: Effect });

/** A closing of the mission, which stays when the mission is reopened. */
const Closing = z.looseObject({
  at: text,
  actor: text,
  result: MissionResult,
  note: nullableText,
  /** How many attended; nobody is entered until it is reopened. Absent if an earlier version closed it. */
  attended_count: z.optional(integer),
  reopened_at: optionalText,
  reopened_by: optionalText,
});

/** A mission as stored. Times are RFC 3339. */
export const Mission = z.looseObject({
  mission_id: text,
  /** Counts the writes of the item, each of which is conditional on it. */
  rev: integer,
  /** Counts the changes by game masters. */
  version: integer,
  title: text,
  starts_at: text,
  ends_at: text,
  place: nullableText,
  latitude: nullableNumber,
  longitude: nullableNumber,
  briefings: z.array(Briefing),
  picture_hash: nullableText,
  attendance: z.enum(ATTENDANCES),
  rewards: z.array(MissionReward),
  required: boolean,
  required_to_play: boolean,
  draft: boolean,
  /** Whether the start in half an hour was announced. */
  reminded: boolean,
  /** The player id of the game master who has changed it last. */
  changed_by: text,
  closings: z.array(Closing),
  /** The job that gives or takes back the rewards. */
  job: nullableText,
  /** When all who attended were in the index by player, RFC 3339. It is of an earlier closing if it is before the latest. */
  listed_at: optionalText,
});
export type Mission = z.infer<typeof Mission>;

type Closing = z.infer<typeof Closing>;

/** Why a mission cannot be changed, or the season ended, while a job closes or reopens it. */
export const atWork = ({ title }: Pick<Mission, "title">): string =>
  `${title} is being closed or reopened: wait until that has ended.`;

/** Whom the service knows nothing of a mission to, in words that fit one that does not exist as well. */
export const noSuchMission = (): DomainError => new DomainError("not_found", "There is no such mission.");

/** The closing that is in force; `null` for a mission that is not closed. */
export const closingOf = ({ closings }: Mission): Closing | null => {
  const last = closings.at(-1);
  return last === undefined || last.reopened_at !== undefined ? null : last;
};

/** Whether the index by player has all who attended. An entry is in the index within seconds. */
export const isListed = (mission: Mission, now: number): boolean => {
  const { listed_at } = mission;
  const closing = closingOf(mission);
  if (closing === null || listed_at === undefined) return false;
  return listed_at >= closing.at && now >= instantOf(listed_at) + MINUTE;
};

export const isCancelled = (mission: Mission): boolean => closingOf(mission)?.result === "cancelled";

/** Whether a mission is an orientation: whoever plays has to attend it. */
export const isOrientation = (mission: Mission): boolean =>
  mission.required_to_play && mission.attendance === "desk" && !mission.draft && !isCancelled(mission);

const isRevealed = ({ reveal_at }: Briefing, now: number): boolean => instantOf(reveal_at) <= now;

/** Whoever looks: a player, or somebody without an account, who sees what is for all. */
export type Onlooker = Player | null;

/** Whether something is for a player as they are now. A hidden original zombie sees both sides (decision 55). */
export const isForSide = (side: Side, viewer: Onlooker, game: Game, now: number): boolean =>
  side === "all" || (viewer !== null && isAddressed(side, viewer, game, now));

/** The briefings that a player may read now. Game masters read all. */
export const visibleBriefings = (mission: Mission, viewer: Onlooker, game: Game, now: number): Briefing[] =>
  viewer?.is_admin === true
    ? mission.briefings
    : mission.draft
      ? []
      : mission.briefings.filter((one) => isRevealed(one, now) && isForSide(one.audience, viewer, game, now));

/** Whether a mission exists for a player now. */
export const isVisible = (mission: Mission, viewer: Onlooker, game: Game, now: number): boolean =>
  viewer?.is_admin === true || visibleBriefings(mission, viewer, game, now).length > 0;

/** The sides to whom a mission is known now: each of them has a revealed briefing. `all` stands for every side. */
export const knownTo = (mission: Pick<Mission, "briefings">, now: number): Side[] => {
  const sides = new Set(
    mission.briefings.filter((one) => isRevealed(one, now)).map(({ audience }) => audience),
  );
  return sides.has("all") ? ["all"] : [...sides];
};

/** Whether a side is among these, of which `all` stands for every side. */
export const isAmong = (side: Side, sides: readonly Side[]): boolean =>
  sides.includes("all") || sides.includes(side);

/** The briefings whose reveal is due and not announced yet. */
export const dueBriefings = ({ briefings }: Mission, now: number): Briefing[] =>
  briefings.filter((one) => !one.announced && isRevealed(one, now));

/**
 * When something about a mission has to be announced next, in milliseconds since 1970; `null` if nothing has. Nothing is
 * announced of a draft or of a mission that is closed.
 */
export const nextDue = (mission: Mission): number | null => {
  if (mission.draft || closingOf(mission) !== null) return null;
  const reveals = mission.briefings.filter(({ announced }) => !announced);
  const times = [
    ...reveals.map(({ reveal_at }) => instantOf(reveal_at)),
    ...(mission.reminded ? [] : [instantOf(mission.starts_at) - REMIND_BEFORE]),
  ];
  return times.length === 0 ? null : Math.min(...times);
};

/** Whether the reminder of the start is due. @param now in milliseconds since 1970 */
export const isReminderDue = ({ reminded, starts_at }: Mission, now: number): boolean =>
  !reminded && now >= instantOf(starts_at) - REMIND_BEFORE;

/** The mission after everything that is due was announced. */
export const afterAnnouncing = (mission: Mission, now: number): Mission => ({
  ...mission,
  reminded: mission.reminded || isReminderDue(mission, now),
  briefings: mission.briefings.map((one) => (isRevealed(one, now) ? { ...one, announced: true } : one)),
});

/** The mission as somebody closes it. */
export const withClosing = (
  mission: Mission,
  closing: Pick<Closing, "actor" | "result" | "note" | "attended_count">,
  now: number,
): Mission => ({ ...mission, closings: [...mission.closings, { at: rfc3339(now), ...closing }] });

/** The mission as somebody reopens it. Its closing stays, marked. */
export const withReopening = (mission: Mission, actor: string, now: number): Mission => ({
  ...mission,
  closings: latestReopened(mission.closings, actor, now),
});
