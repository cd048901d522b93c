/** POST /admin/player_at_checkpoint/{url_id}: records that a player passed the checkpoint. */
import {
  AtCheckpointRequest,
  AtCheckpointResponse,
  registerAtCheckpoint,
} from "../../lib/app/checkpoint/checkpoint.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/player_at_checkpoint/{url_id}",
  access: "moderator",
  request: { body: AtCheckpointRequest },
  response: { schema: AtCheckpointResponse },
  takesReason: false,
  idempotency: { scope: "player" },
  run: (call) => registerAtCheckpoint(call),
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
    "wrong_state",
    "closed",
  ],
  fields: {
    late: "`true` enters a pass from a list on paper after the checkpoint has closed; `reason` is then required.",
    reason: "Why the pass is entered late.",
    repeated: "Whether the player had passed before.",
    state: "The player's state, as others see it.",
    applies:
      "Whether the checkpoint applies to the player, such as one for humans to a human. The pass counts in any case.",
  },
  example: { body: { alias: "Ben" } },
};
