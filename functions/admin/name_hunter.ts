/** POST /admin/name_hunter/{url_id}: sets the hunter of a tag that the prey reported. */
import { ChangeStateResponse } from "../../lib/app/game/changeState.ts";
import { NameHunterRequest, nameHunter } from "../../lib/app/hunts/enterHunt.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/name_hunter/{url_id}",
  access: "administrator",
  request: { body: NameHunterRequest },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  run: (call) => nameHunter(call),
});

export const docs: EndpointDocs = {
  summary: "Name the hunter of a reported tag",
  description:
    "Completes a tag that the prey reported. The hunter gets the kill and, unless they have died or been cured since, the feeding. Name the hunter by exactly one of `alias` and `player_id`.",
  errors: ["not_found", "wrong_state", "too_early"],
  fields: { player: "The hunter." },
  example: { body: ({ reported }) => ({ interaction_id: reported, alias: "Zed" }) },
};
