/** POST /admin/mission_attendance/{url_id}: enters who attends a mission. */
import * as z from "zod/mini";
import { attendMission } from "../../lib/app/missions/attend.ts";
import { State } from "../../lib/domain/players/player.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, exactlyOneOf, Label, TagCode } from "../../lib/http/fields.ts";
import { MissionId } from "../../lib/http/missions.ts";
import { NoteText } from "../../lib/http/textFields.ts";
import { Timestamp } from "../../lib/http/views.ts";

const AttendanceRequest = z
  .strictObject({
    mission_id: MissionId,
    alias: z.optional(AliasRef),
    tag_code: z.optional(TagCode),
    aliases: z.optional(z.array(AliasRef).check(z.minLength(1), z.maxLength(500))),
    all_with_label: z.optional(Label),
    undo: z.optional(z.literal(true)),
    late: z.optional(z.boolean()),
    reason: z.optional(NoteText),
  })
  .check(exactlyOneOf("alias", "tag_code", "aliases", "all_with_label"))
  .check(
    z.refine(({ late, reason }) => late !== true || reason !== undefined, {
      error: "is missing: say why the attendance is entered late",
      path: ["reason"],
    }),
  );

export const handler = endpoint({
  route: "POST /admin/mission_attendance/{url_id}",
  access: "moderator",
  request: { body: AttendanceRequest },
  response: {
    schema: z.object({
      mission_id: z.string(),
      count: z.int(),
      repeated_count: z.int(),
      repeated: z.boolean(),
      players: z.optional(
        z.array(
          z.object({
            alias: z.nullable(z.string()),
            state: State,
            attended_at: z.nullable(Timestamp),
            repeated: z.boolean(),
          }),
        ),
      ),
    }),
  },
  takesReason: false,
  idempotency: { scope: "player" },
  decide: (call) => attendMission(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Enter who attends a mission",
  description:
    "Name players by exactly one of `alias`, `tag_code`, `aliases` and `all_with_label`. Idempotent. Moderators can enter attendance of the missions that they know themselves, but not their own. After the mission is closed, nothing can be entered until it is reopened.",
  errors: [
    "not_found",
    "wrong_state",
    "closed",
    "too_many_attempts",
    "ask_game_master",
    "unknown_tag_code",
    "already_tagged",
    "code_replaced",
  ],
  fields: {
    aliases: "Several players.",
    all_with_label: "Everybody with this label.",
    undo: "`true` takes the attendance back.",
    late: "`true` enters it after the end, from a list on paper; `reason` is then required.",
    reason: "Why it is entered late.",
    count: "How many players were named.",
    repeated_count: "How many of them were entered, or taken back, before.",
    repeated: "Whether all of them were.",
    players: "The players; absent for a label.",
    state: "The player's state, as the caller sees it.",
    attended_at: "When the attendance was entered; `null` if it was taken back.",
  },
  example: { body: ({ mission }) => ({ mission_id: mission, alias: "Ben" }) },
};
