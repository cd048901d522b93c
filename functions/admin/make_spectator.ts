/** POST /admin/make_spectator/{url_id}: takes a player out of play, who keeps their record. */
import { ChangeStateResponse, changePlayerState } from "../../lib/app/game/changeState.ts";
import { makeSpectator } from "../../lib/domain/transitions.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "POST /admin/make_spectator/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  run: (call) => changePlayerState(call, makeSpectator),
});
