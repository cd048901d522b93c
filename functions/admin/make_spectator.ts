/** POST /admin/make_spectator/{url_id}: takes a player out of play, but keeps their record. */
import { changePlayerState } from "../../lib/app/game/changeState.ts";
import { makeSpectator } from "../../lib/domain/players/transitions.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/make_spectator/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => changePlayerState(call, call.body, makeSpectator),
});

export const docs: EndpointDocs = {
  summary: "Take a player out of play",
  description:
    "Makes a human, zombie or corpse a spectator, who keeps their record. Only a revival or a new season brings them back into play.",
  errors: ["wrong_state"],
  example: { body: { alias: "Ben" } },
};
