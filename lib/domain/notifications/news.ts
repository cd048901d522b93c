/** What is announced to webhooks that is no interaction: missions for all, and the result of a season. */
import * as z from "zod/mini";
import { closingOf, type Mission } from "../missions/mission.ts";
import { optionalText } from "../schemas.ts";
import { instantOf } from "../time.ts";
import { type MISSION_NEWS, NEWS } from "./newsNames.ts";

export type MissionNews = (typeof MISSION_NEWS)[number];

/** What a stored notification announces to webhooks as well. Never rename a name: items contain it. */
export const News = z.object({
  what: z.enum(NEWS),
  /** Of a mission, its id. */
  mission_id: optionalText,
});
export type News = z.infer<typeof News>;

/** Whether news of a mission are still true. They may be delivered hours later. */
const IS_TRUE: Readonly<Record<MissionNews, (mission: Mission, now: number) => boolean>> = {
  mission_revealed: (mission) => closingOf(mission) === null,
  mission_soon: (mission, now) => closingOf(mission) === null && now < instantOf(mission.starts_at),
  mission_changed: (mission) => closingOf(mission) === null,
  mission_result: (mission) => closingOf(mission) !== null,
};

/** Whether news of a mission are still true. @param now in milliseconds since 1970 */
export const isStillTrue = (what: MissionNews, mission: Mission, now: number): boolean =>
  IS_TRUE[what](mission, now);
