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
    "Makes `pending` players human, with a tag code. Name one by `alias` or `player_id`, or several by `aliases`; of these, players who are not pending, or about whom a game master has to decide (`reviews` of the alerts), are skipped. For one player with a review, `decision` says who they are; it is required if they may be a player who has left.",
  errors: ["wrong_state"],
  fields: {
    aliases: "Players to admit.",
    decision:
      "`newcomer`: somebody new, who becomes human; of a player who plays already, this closes the review. `returned`: a player who has left during the game and becomes that player again, under the former `player_id`, as if they had stayed; alias, names, password and sessions of the waiting account go with them.",
    departure_id: "With `returned`: which departure of the review, if there are several.",
    admitted: "The players who were admitted.",
    skipped: "The players of `aliases` who were not admitted.",
    code: "The reason, as an error code; `needs_decision` for a player with a review.",
  },
  example: { body: { aliases: ["Pia", "Ada"] } },
};
