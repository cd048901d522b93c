/** POST /admin/draw_originals/{url_id}: draws original zombies among the players who want to be one. */
import { DrawRequest, DrawResponse, drawOriginals } from "../../lib/app/game/drawOriginals.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/draw_originals/{url_id}",
  access: "administrator",
  request: { body: DrawRequest },
  response: { schema: DrawResponse },
  idempotency: { scope: "player" },
  run: (call) => drawOriginals(call),
});
