/** POST /admin/corpsify/{url_id}: kills a living player. */
import { changePlayerState } from "../../lib/app/game/changeState.ts";
import { corpsify } from "../../lib/domain/players/transitions.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/corpsify/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => changePlayerState(call, call.body, corpsify),
});

export const docs: EndpointDocs = {
  summary: "Kill a player",
  description: "A human or a zombie becomes a corpse.",
  errors: ["wrong_state"],
  example: { body: { alias: "Ben", reason: "Was seen without a bandana." } },
};
