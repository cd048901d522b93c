/** POST /admin/reopen_mission/{url_id}: reopens a mission that was closed, and takes its rewards back. */
import * as z from "zod/mini";
import { reopenMission } from "../../lib/app/missions/closeMission.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { MissionId } from "../../lib/http/missions.ts";

export const handler = endpoint({
  route: "POST /admin/reopen_mission/{url_id}",
  access: "administrator",
  request: { body: z.strictObject({ mission_id: MissionId }) },
  response: {
    schema: z.object({
      mission_id: z.string(),
      count: z.int(),
      skipped: z.int(),
      kept: z.optional(z.int()),
      complete: z.boolean(),
      job_id: z.nullable(z.string()),
    }),
    incompleteStatus: 202,
  },
  idempotency: { scope: "player" },
  run: (call) => reopenMission(call, call.body.mission_id),
});

export const docs: EndpointDocs = {
  summary: "Reopen a mission",
  description:
    "Takes back what closing the mission gave: points, badges, food that was not needed to survive other feedings, and cures of players who are still the humans whom they made. Everything else stays, and `kept` counts the players concerned. Attendance can be entered again, and the mission can be closed again. Both entries stay in `closings`. A mission of an imported game whose closing was not finished has no job any more; it can be reopened too.",
  errors: ["not_found", "wrong_state", "in_progress"],
  success: {
    200: "The mission was reopened.",
    202: "Rewards are still being taken back in the background, and the log shows the end.",
  },
  fields: {
    count: "From how many players rewards were taken back.",
    skipped: "How many have left since.",
    kept: "From how many of them not everything could be taken back.",
    complete: "`false` while the job continues.",
  },
  example: { body: ({ closedMission }) => ({ mission_id: closedMission }) },
};
