/** POST /admin/admit/{url_id}: admits pending newcomers. */
import { AdmitRequest, AdmitResponse, admitPlayers } from "../../lib/app/accounts/admit.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/admit/{url_id}",
  access: "administrator",
  request: { body: AdmitRequest },
  response: { schema: AdmitResponse },
  idempotency: { scope: "player" },
  run: (call) => admitPlayers(call),
});

export const docs: EndpointDocs = {
  summary: "Admit newcomers",
  description:
    "Makes `pending` players human, with a tag code. Name one by `alias` or `player_id`, or several by `aliases`; of these, players who are not pending are skipped.",
  errors: ["wrong_state"],
  fields: {
    aliases: "Players to admit.",
    admitted: "The players who were admitted.",
    skipped: "The players of `aliases` who were not admitted.",
    code: "The reason, as an error code.",
  },
  example: { body: { aliases: ["Pia", "Ada"] } },
};
