/** GET /missions/{url_id}: the missions that the caller may know. */
import * as z from "zod/mini";
import { findMission, listMissions } from "../../lib/app/missions/listMissions.ts";
import { State } from "../../lib/domain/players/player.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { MissionId, MissionView } from "../../lib/http/missions.ts";
import { Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /missions/{url_id}",
  access: "player",
  request: { query: z.strictObject({ ...pagingFields(20, 100), mission_id: z.optional(MissionId) }) },
  response: {
    schema: z.object({
      missions: z.array(MissionView),
      missions_required: z.nullable(z.int()),
      missions_counted_from: z.nullable(Timestamp),
      missions_attended: z.optional(z.int()),
      missions_needed: z.optional(z.int()),
      /** Only with `mission_id`, and only for game masters. */
      attendance: z.optional(
        z.array(
          z.object({
            alias: z.nullable(z.string()),
            side_at_start: z.nullable(State),
            side: State,
            attended_at: Timestamp,
            entered_by: z.nullable(z.string()),
            late: z.optional(z.literal(true)),
            reason: z.optional(z.string()),
          }),
        ),
      ),
      next_cursor: z.nullable(z.string()),
    }),
  },
  read: (call) => {
    const { limit, cursor, mission_id } = call.query;
    const scope = { list: "missions", filters: { mission_id } };
    return paged(call.services, scope, cursor, (position) =>
      mission_id === undefined
        ? listMissions(call, limit, position)
        : findMission(call, mission_id, limit, position),
    );
  },
});

export const docs: EndpointDocs = {
  summary: "Read missions",
  description:
    "The missions that the caller may know, newest first. A mission exists for a player once a briefing for all or for their side is revealed; with `mission_id`, any other is the same 404 as one that does not exist. Game masters see all, and with `mission_id` who attended, page by page.",
  errors: ["not_found"],
  fields: {
    mission_id: "One mission only.",
    limit: "The page size; with `mission_id`, of `attendance`.",
    missions: "A page of missions.",
    missions_required: "How many required missions a player has to attend; `null` for none.",
    missions_counted_from: "Missions that began before do not count; `null` counts all.",
    missions_attended:
      "Only on the first page, if missions are required: how many of those that count the caller attended, also on another side.",
    missions_needed:
      "Only beside `missions_attended`: how many the caller needs, less the cancelled ones that they know of.",
    attendance: "Who attended. In a mission: `desk` if that is entered.",
    side_at_start: "What the player was when the mission began; `null` if it was entered before that.",
    side: "What the player was when it was entered.",
    attended_at: "When it was entered.",
    entered_by: "The alias of who entered it; `null` if they have left.",
    late: "`true` if it was entered after the end.",
    reason: "Why it was entered late.",
  },
  example: { query: { limit: 1 } },
};
