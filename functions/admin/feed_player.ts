/** POST /admin/feed_player/{url_id}: feeds a zombie. */
import { changePlayerState } from "../../lib/app/game/changeState.ts";
import { feedPlayer } from "../../lib/domain/players/transitions.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/feed_player/{url_id}",
  access: "moderator",
  request: { body: PlayerRef },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => changePlayerState(call, call.body, feedPlayer),
});

export const docs: EndpointDocs = {
  summary: "Feed a zombie",
  description: "Gives a zombie one feeding period from now. Moderators cannot feed themselves.",
  errors: ["wrong_state", "ask_game_master"],
  example: { body: { alias: "Yan" } },
};
