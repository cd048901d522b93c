/** POST /admin/revive_h/{url_id}: makes a corpse or a spectator human. */
import { changePlayerState } from "../../lib/app/game/changeState.ts";
import { reviveHuman } from "../../lib/domain/players/transitions.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/revive_h/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => changePlayerState(call, call.body, reviveHuman),
});

export const docs: EndpointDocs = {
  summary: "Revive a player as a human",
  description: "Makes a corpse or a spectator human, with a new tag code.",
  errors: ["wrong_state"],
  example: { body: { alias: "Cora" } },
};
