/** POST /admin/show_secrets/{url_id}: shows a game master who plays everything of a player, which ends their own play. */
import * as z from "zod/mini";
import { showSecrets } from "../../lib/app/accounts/showSecrets.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { StaffPlayer } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/show_secrets/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: z.object({ player: StaffPlayer, withdrawn: z.boolean() }) },
  idempotency: { scope: "player" },
  decide: (call) => showSecrets(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Show a player's tag code and true state to a game master who plays",
  description:
    "Takes the calling game master out of play, as a spectator who keeps their record. From then on they see all tag codes and hidden originals. They return to play only if another game master revives or admits them, or in the next season.",
  errors: ["wrong_state"],
  fields: {
    player: "The player with everything that game masters who do not play see.",
    withdrawn: "Whether this request has taken the caller out of play.",
  },
  example: { body: { alias: "Ada" } },
};
