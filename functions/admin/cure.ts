/** POST /admin/cure/{url_id}: makes a zombie human again, with a new tag code. */
import { changePlayerState } from "../../lib/app/game/changeState.ts";
import { cure } from "../../lib/domain/players/transitions.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/cure/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => changePlayerState(call, call.body, cure),
});

export const docs: EndpointDocs = {
  summary: "Cure a zombie",
  description: "Makes a zombie human again, with a new tag code.",
  errors: ["wrong_state"],
  example: { body: { alias: "Yan" } },
};
