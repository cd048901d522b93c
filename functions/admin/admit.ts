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
    "Players who are `pending` become humans with a tag code. Names one of them by `alias` or `player_id`, or several by `aliases`, of whom those who do not wait are skipped.",
  errors: ["wrong_state"],
  fields: {
    aliases: "Players to admit.",
    admitted: "Those who play now.",
    skipped: "Those of a list who were not admitted.",
    code: "Why not.",
  },
  example: { body: { aliases: ["Pia", "Ada"] } },
};
