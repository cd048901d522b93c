/** POST /admin/revive_z/{url_id}: makes a corpse or a spectator a zombie, which can start an outbreak. */
import { ChangeStateResponse, changePlayerState } from "../../lib/app/game/changeState.ts";
import { reviveZombie } from "../../lib/domain/transitions.ts";
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
