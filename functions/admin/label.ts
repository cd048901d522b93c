/** POST /admin/label/{url_id}: adds labels to players and removes them. */
import { LabelRequest, LabelResponse, labelPlayers } from "../../lib/app/accounts/labelPlayers.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/label/{url_id}",
  access: "administrator",
  request: { body: LabelRequest },
  response: { schema: LabelResponse },
  idempotency: { scope: "player" },
  run: (call) => labelPlayers(call),
});

export const docs: EndpointDocs = {
  summary: "Label players",
  description: "Adds labels to up to 50 players or removes them. If an alias is unknown, nobody is changed.",
  fields: {
    aliases: "The players.",
    add: "The labels to add.",
    remove: "The labels to remove.",
    players: "The players afterwards.",
  },
  example: { body: { aliases: ["Ada", "Ben"], add: ["waiver"] } },
};
