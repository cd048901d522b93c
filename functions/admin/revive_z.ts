/** POST /admin/revive_z/{url_id}: makes a corpse or a spectator a zombie, which can start an outbreak. */
import { ChangeStateResponse, changePlayerState } from "../../lib/app/game/changeState.ts";
import { reviveZombie } from "../../lib/domain/transitions.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "POST /admin/revive_z/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  run: (call) => changePlayerState(call, reviveZombie),
});

export const docs: EndpointDocs = {
  summary: "Revive a player as a zombie",
  description: "Makes a corpse or a spectator an original zombie.",
  errors: ["wrong_state"],
  example: { body: { alias: "Cora" } },
};
