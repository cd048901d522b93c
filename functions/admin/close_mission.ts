/** POST /admin/close_mission/{url_id}: closes a mission, and gives its rewards. */
import * as z from "zod/mini";
import { MissionResult } from "../../lib/domain/missions/mission.ts";
import { State } from "../../lib/domain/players/player.ts";
import { Side } from "../../lib/domain/rewards/reward.ts";
import { commandOrDryRun, DRY_RUN_FIELDS, pageOfDryRun } from "../../lib/http/bulkCommand.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { MissionId } from "../../lib/http/missions.ts";
import { EffectView } from "../../lib/http/rewardViews.ts";
import { NoteText } from "../../lib/http/textFields.ts";

export const handler = endpoint({
  route: "POST /admin/close_mission/{url_id}",
  access: "administrator",
  request: {
    body: z
      .strictObject({
        ...DRY_RUN_FIELDS,
        mission_id: MissionId,
        result: MissionResult,
        note: z.optional(NoteText),
      })
      .check(pageOfDryRun),
  },
  response: {
    schema: z.object({
      mission_id: z.string(),
      count: z.int(),
      skipped: z.int(),
      complete: z.boolean(),
      job_id: z.nullable(z.string()),
      /** `players` and `next_cursor` are only in the response to a dry run. */
      players: z.optional(
        z.array(
          z.object({
            alias: z.nullable(z.string()),
            state: State,
            becomes: State,
            side: State,
            rewards: z.array(z.object({ audience: Side, effect: EffectView })),
          }),
        ),
      ),
      next_cursor: z.optional(z.nullable(z.string())),
    }),
    incompleteStatus: 202,
  },
  idempotency: { scope: "player" },
  run: (call) => {
    const { mission_id, result, note } = call.body;
    return commandOrDryRun(
      call,
      { list: "close_mission", filters: { mission_id, result } },
      async (attempt, page) => {
        const { previewClosing } = await import("../../lib/app/missions/previewClosing.ts");
        return previewClosing(attempt, { mission_id, result }, page);
      },
      async () => {
        const { closeMission } = await import("../../lib/app/missions/closeMission.ts");
        return closeMission(call, { mission_id, result, note });
      },
    );
  },
});

export const docs: EndpointDocs = {
  summary: "Close a mission",
  description:
    "Gives the rewards exactly once each, to those who attended, by their side at `starts_at`; shows the outcome texts; and tells the sides who know the mission. A cancelled mission gives nothing, counts for nobody, and lowers by one how many missions are required. The job stores its progress and resumes after an interruption.",
  errors: ["not_found", "wrong_state", "in_progress"],
  success: {
    200: "The mission was closed or, with `dry_run`, would be.",
    202: "The rewards are still being given in the background, and the log shows the end.",
  },
  fields: {
    result: "Who has won; `cancelled` counts for nobody. `null` while it is not closed.",
    note: "What players who know the mission read beside the result.",
    dry_run: "`true` changes nothing and returns the players who would be rewarded.",
    limit: "The page size of a dry run; 100 by default.",
    count: "How many players were rewarded.",
    skipped: "How many others attended, for whom there was no reward.",
    complete: "`false` while the job continues.",
    players: "Only in a dry run: a page of the players who would be rewarded.",
    becomes: "The state that the player would have afterwards.",
    side: "The side at the start of the mission, by which rewards are given.",
    rewards: "The rewards for that side.",
  },
  example: { body: ({ mission }) => ({ mission_id: mission, result: "humans", dry_run: true, limit: 1 }) },
};
