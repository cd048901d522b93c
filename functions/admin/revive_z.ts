/** POST /admin/revive_z/{url_id}: makes a corpse or a spectator a zombie, which can start an outbreak. */
import * as z from "zod/mini";
import { changePlayerState } from "../../lib/app/game/changeState.ts";
import { reviveZombie } from "../../lib/domain/players/transitions.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { exactlyOnePlayer, PLAYER_REF_FIELDS } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

const ReviveRequest = z
  .strictObject({ ...PLAYER_REF_FIELDS, hidden: z.optional(z.boolean()) })
  .check(exactlyOnePlayer);

export const handler = endpoint({
  route: "POST /admin/revive_z/{url_id}",
  access: "administrator",
  request: { body: ReviveRequest },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => changePlayerState(call, call.body, reviveZombie),
});

export const docs: EndpointDocs = {
  summary: "Revive a player as a zombie",
  description:
    "Makes a corpse or a spectator an original zombie. While original zombies are hidden, others see a human until the reveal, unless `hidden` is `false` or they have known the player as a zombie in this season.",
  errors: ["wrong_state"],
  fields: {
    hidden:
      "While original zombies are hidden: whether others see a human until the reveal; `true` by default. Without effect for whoever was known as a zombie in this season: others see that they are one again.",
  },
  example: { body: { alias: "Cora" } },
};
