/** GET /admin/season/{url_id}: tells how far the reset is that is under way. */
import * as z from "zod/mini";
import { FINISH_WARNINGS, seasonEndInfo } from "../../lib/app/game/finishSeason.ts";
import { resetStatus } from "../../lib/app/game/resetSeason.ts";
import { SEASON_RESULTS } from "../../lib/domain/game/seasonResult.ts";
import { nullableText } from "../../lib/domain/schemas.ts";
import { AWARDS_PROSE, GivenAward } from "../../lib/http/awards.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";
import { ResetCounts } from "../../lib/store/seasonCounts.ts";

export const handler = endpoint({
  route: "GET /admin/season/{url_id}",
  access: "administrator",
  response: {
    schema: z.object({
      finish: z.nullable(
        z.object({
          season_id: z.string(),
          result: z.enum(SEASON_RESULTS),
          note: nullableText,
          final_at: Timestamp,
          is_final: z.boolean(),
          warnings: z.array(z.enum(FINISH_WARNINGS)),
          given: z.array(GivenAward),
        }),
      ),
      finishes: z.array(
        z.object({
          at: Timestamp,
          by: nullableText,
          result: z.enum(SEASON_RESULTS),
          note: nullableText,
          ended_at: Timestamp,
          final_at: Timestamp,
          reopened_at: z.nullable(Timestamp),
          reopened_by: nullableText,
        }),
      ),
      reset: z.nullable(
        z.object({
          job_id: nullableText,
          started_at: Timestamp,
          by: nullableText,
          ...ResetCounts.shape,
          removed: z.record(z.string(), z.int()),
        }),
      ),
    }),
  },
  read: async (call) => ({ ...(await resetStatus(call)), ...(await seasonEndInfo(call)) }),
});

export const docs: EndpointDocs = {
  summary: "Read the end of the season, and how far a new one is",
  description:
    "The end of the present season, and the reset that is under way with what it has done so far. During the grace, `warnings` say whether late tags contradict the result.",
  fields: {
    ...AWARDS_PROSE,
    finish: "How the season ends; `null` unless it is finished.",
    season_id: "The id of the season, also in `GET /seasons`.",
    result: "Who has won.",
    note: "What players read beside the result.",
    ended_at: "When play was over.",
    final_at: "When the grace is over, or was.",
    is_final: "Whether everybody knows the result.",
    warnings: "What speaks against the result by now.",
    finishes: "Every time that this season was finished, the latest first.",
    at: "When it was finished.",
    reopened_at: "When it was reopened; `null` if it was not.",
    reopened_by: "Who has reopened it.",
    reset: "The reset; `null` if none is under way.",
    job_id: "The id of the job; `null` for a reset by `npm run reset`, which counts nothing here.",
    started_at: "The start of the new season.",
    humans: "How many players have become human so far, each with a new tag code.",
    unenrolled: "How many players have become spectators until they enrol.",
    removed: "How many items of each kind were removed so far.",
    by: "The alias of the game master who did it; `null` if they have left, and for a reset by `npm run reset`.",
  },
  example: {},
};
