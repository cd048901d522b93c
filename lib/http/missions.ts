/** The fields of missions in requests and responses. */
import * as z from "zod/mini";
import { ATTENDANCES, MissionResult, Side } from "../domain/missions/mission.ts";
import { Side as RewardSide } from "../domain/rewards/reward.ts";
import {
  text as anyText,
  boolean,
  integer,
  nullableNumber,
  nullableText,
  optionalNumber,
  optionalText,
  type Prose,
} from "../domain/schemas.ts";
import { isRecord } from "../runtime/objects.ts";
import { bothCoordinates, EventId, REMOVABLE_COORDINATES, ZonedTime } from "./fields.ts";
import { NewEffect } from "./rewards.ts";
import { BadgeView, EffectView } from "./rewardViews.ts";
import { text } from "./textFields.ts";
import { Timestamp } from "./views.ts";

const OptionalTime = z.nullable(Timestamp);

export const MissionId = EventId;

/** The most briefings of a mission. */
const MAX_BRIEFINGS = 8;
/** Each reward of a player is an interaction, and a batch of players has to fit into one transaction. */
const MAX_REWARDS = 4;

const NewBriefing = z.strictObject({
  audience: Side,
  text: text(1, 5_000, "text"),
  reveal_at: ZonedTime,
  outcome_text: z.optional(z.nullable(text(1, 2_000, "text"))),
});

/** What a new mission has to say. */
const REQUIRED = ["title", "starts_at", "ends_at", "briefings"] as const;

/** The check that a new mission is complete. It runs even where other fields are invalid. */
const completeIfNew = z.superRefine<Record<string, unknown>>((value, context) => {
  if (!isRecord(value) || value.mission_id !== undefined) return;
  for (const name of REQUIRED)
    if (value[name] === undefined)
      context.addIssue({ code: "custom", path: [name], message: "is missing: a new mission needs it" });
});

/** A new mission, or changes of one. */
export const SetMissionRequest = z.lazy(() =>
  z
    .strictObject({
      mission_id: z.optional(MissionId),
      version: z.optional(z.int().check(z.minimum(1), z.maximum(1_000_000))),
      title: z.optional(text(1, 80, "name")),
      starts_at: z.optional(ZonedTime),
      ends_at: z.optional(ZonedTime),
      place: z.optional(z.nullable(text(1, 200, "line"))),
      ...REMOVABLE_COORDINATES,
      briefings: z.optional(z.array(NewBriefing).check(z.minLength(1), z.maxLength(MAX_BRIEFINGS))),
      attendance: z.optional(z.enum(ATTENDANCES)),
      rewards: z.optional(
        z.array(z.strictObject({ audience: RewardSide, effect: NewEffect })).check(z.maxLength(MAX_REWARDS)),
      ),
      required: z.optional(boolean),
      required_to_play: z.optional(boolean),
      draft: z.optional(boolean),
      clear_picture: z.optional(z.literal(true)),
    })
    .check(bothCoordinates)
    .check(completeIfNew)
    .check(
      z.refine(({ mission_id, version }) => version === undefined || mission_id !== undefined, {
        error: "is only for a change of a mission",
        path: ["version"],
      }),
    ),
);

const BriefingView = z.object({
  audience: Side,
  text: anyText,
  reveal_at: Timestamp,
  outcome_text: nullableText,
});

const missionFields = () => ({
  mission_id: anyText,
  title: anyText,
  starts_at: Timestamp,
  ends_at: Timestamp,
  place: nullableText,
  latitude: nullableNumber,
  longitude: nullableNumber,
  picture_url: nullableText,
  attendance: z.enum(ATTENDANCES),
  required: boolean,
  required_to_play: boolean,
  briefings: z.array(BriefingView),
  result: z.nullable(MissionResult),
  note: nullableText,
  closed_at: OptionalTime,
});

/** A mission as somebody without an account may know it. */
export const PublicMission = z.lazy(() => z.object(missionFields()));

/** A mission as its viewer may know it. */
export const MissionView = z.lazy(() =>
  z.object({
    ...missionFields(),
    rewards: z.array(z.object({ audience: RewardSide, effect: EffectView })),
    attended: boolean,
    earned: z.array(
      z.object({
        fed: z.optional(z.literal(true)),
        cured: z.optional(z.literal(true)),
        points: optionalNumber,
        badge: z.optional(BadgeView),
        message: optionalText,
      }),
    ),
    /** These are for game masters. */
    version: z.optional(integer),
    draft: z.optional(boolean),
    complete: z.optional(boolean),
    attended_count: z.optional(integer),
    closings: z.optional(
      z.array(
        z.object({ at: Timestamp, result: MissionResult, note: nullableText, reopened_at: OptionalTime }),
      ),
    ),
  }),
);
export type MissionView = z.infer<typeof MissionView>;

type Described = MissionView &
  z.infer<typeof BriefingView> &
  z.infer<typeof SetMissionRequest> &
  Record<"reopened_at" | "effect" | "fed" | "cured", unknown>;

export const MISSION_PROSE: Prose<Described> = {
  mission_id: "The id of a mission.",
  title: "The title.",
  starts_at: "When it starts.",
  ends_at: "When it ends.",
  place: "Where it is; `null` for nowhere in particular.",
  attendance: "`desk` if it is entered who attends.",
  required: "Whether it counts among the required missions.",
  required_to_play: "Whether players have to attend before they play, as an orientation.",
  briefings: "The texts, each for an audience.",
  audience: "For whom it is.",
  text: "The text, in Markdown.",
  picture_url: "The path of its picture, which needs no token; `null` for none.",
  effect: "What it does.",
  reveal_at: "When the audience can read it.",
  outcome_text: "What the audience reads when the mission is closed; `null` for none, or before.",
  rewards: "What those who attend get, by their side at the start.",
  result: "Who has won; `cancelled` counts for nobody. `null` while it is not closed.",
  note: "What game masters say about the result.",
  closed_at: "When it was closed; `null` while it is not.",
  attended: "Whether the caller attended.",
  earned: "What the caller got by attending, also on another side.",
  fed: "`true` if it fed the caller.",
  cured: "`true` if it made the caller human.",
  version: "How often it was changed, from 1; only for game masters.",
  draft: "Whether nobody but game masters knows of it, and nothing is announced; only for game masters.",
  complete: "`false` while rewards are given or taken back.",
  attended_count: "How many attended; only for game masters.",
  closings: "How it was closed, also before it was reopened; only for game masters.",
  reopened_at: "When it was reopened; `null` if it was not.",
  clear_picture: "`true` removes the picture.",
};
