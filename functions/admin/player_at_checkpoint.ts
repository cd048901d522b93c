/** POST /admin/player_at_checkpoint/{url_id}: records that a player passed the checkpoint. */
import * as z from "zod/mini";
import { registerAtCheckpoint } from "../../lib/app/checkpoint/checkpoint.ts";
import { State } from "../../lib/domain/players/player.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, exactlyOneOf, PlayerId, TagCode } from "../../lib/http/fields.ts";
import { NoteText } from "../../lib/http/textFields.ts";
import { Timestamp } from "../../lib/http/views.ts";

/** `late`, with a reason, registers after closing, from a list on paper. */
const AtCheckpointRequest = z
  .strictObject({
    alias: z.optional(AliasRef),
    player_id: z.optional(PlayerId),
    tag_code: z.optional(TagCode),
    checkpoint_id: z.optional(z.guid("must be the id of a checkpoint, a UUID")),
    late: z.optional(z.boolean()),
    reason: z.optional(NoteText),
  })
  .check(exactlyOneOf("alias", "player_id", "tag_code"))
  .check(
    z.refine(({ late, reason }) => late !== true || reason !== undefined, {
      error: "is missing: say why the pass is entered late",
      path: ["reason"],
    }),
  );

/** An earlier version stored responses without the optional fields. */
const AtCheckpointResponse = z.object({
  alias: z.string(),
  checkpoint_id: z.string(),
  passed_at: Timestamp,
  repeated: z.optional(z.boolean()),
  state: z.optional(State),
  applies: z.optional(z.boolean()),
});

export const handler = endpoint({
  route: "POST /admin/player_at_checkpoint/{url_id}",
  access: "moderator",
  request: { body: AtCheckpointRequest },
  response: { schema: AtCheckpointResponse },
  takesReason: false,
  idempotency: { scope: "player" },
  decide: (call) => registerAtCheckpoint(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Register a player at the checkpoint",
  description:
    "Name a living player by exactly one of `alias`, `player_id` and `tag_code`. Idempotent. Moderators cannot register themselves. Moderators, and game masters who play, can enter ten unknown tag codes in ten minutes.",
  errors: [
    "too_many_attempts",
    "ask_game_master",
    "unknown_tag_code",
    "already_tagged",
    "code_replaced",
    "no_checkpoint",
    "checkpoint_changed",
    "wrong_state",
    "closed",
  ],
  fields: {
    checkpoint_id:
      "The checkpoint at which the player was. Refuses the pass if it is not the current one any more, such as one that waited for a network.",
    late: "`true` enters a pass from a list on paper after the checkpoint has closed; `reason` is then required.",
    reason: "Why the pass is entered late.",
    repeated: "Whether the player had passed before.",
    state: "The player's state, as others see it.",
    applies:
      "Whether the checkpoint applies to the player, such as one for humans to a human. The pass counts in any case.",
  },
  example: { body: { alias: "Ben" } },
};
