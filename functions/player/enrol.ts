/** POST /player/enrol/{url_id}: lets a spectator join the current season. */
import { enrolPlayer } from "../../lib/app/accounts/enrol.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /player/enrol/{url_id}",
  access: "player",
  changesPlay: true,
  response: { schema: PlayerReturnInfo },
  idempotency: { scope: "player" },
  decide: enrolPlayer,
});

export const docs: EndpointDocs = {
  summary: "Enrol in this season",
  description:
    "Makes a spectator human, before the start or while registration is open. A game master who sees all tag codes needs another game master, unless there is none; their enrolment is in the audit log.",
  errors: ["registration_closed", "wrong_state"],
  example: { as: "sue" },
};
