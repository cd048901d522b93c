/** POST /admin/name_hunter/{url_id}: sets the hunter of an infection that has none. */
import * as z from "zod/mini";
import { nameHunter } from "../../lib/app/hunts/enterHunt.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, exactlyOnePlayer, PLAYER_REF_FIELDS, ZonedTime } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

const NameHunterRequest = z
  .strictObject({ interaction_id: EventId, ...PLAYER_REF_FIELDS, hunted_at: z.optional(ZonedTime) })
  .check(exactlyOnePlayer);

export const handler = endpoint({
  route: "POST /admin/name_hunter/{url_id}",
  access: "administrator",
  request: { body: NameHunterRequest },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => nameHunter(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Name the hunter of an infection",
  description:
    "Adds the hunter to a tag that its prey reported, or to the infection of a zombie whom a game master or a checkpoint has made, which becomes a hunt. Drawn original zombies have no hunter, and a zombie whom others still take for a human must be revealed first. The hunter gets the kill and, unless they have died or been cured since, the feeding. Name the hunter by exactly one of `alias` and `player_id`. `void_hunt` takes the tag back.",
  errors: ["not_found", "wrong_state", "too_early"],
  fields: {
    player: "The hunter.",
    hunted_at:
      "When the hunter tagged the prey; by default, and at the latest, when the infection was recorded.",
  },
  example: { body: ({ reported }) => ({ interaction_id: reported, alias: "Zed" }) },
};
