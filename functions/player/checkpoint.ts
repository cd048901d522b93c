/** GET /checkpoint/{url_id}: the checkpoint, and whether the player has passed it. */
import * as z from "zod/mini";
import { playerInfo } from "../../lib/app/shown.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { CheckpointView, Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /checkpoint/{url_id}",
  access: "player",
  response: {
    schema: z.object({
      checkpoint: z.nullable(CheckpointView),
      passed: z.boolean(),
      passed_at: z.nullable(Timestamp),
    }),
  },
  read: async ({ game, now, player }) => {
    const { passed_at } = playerInfo(player, player, game, now, null);
    return { checkpoint: game.checkpoint, passed: passed_at !== null, passed_at };
  },
});

export const docs: EndpointDocs = {
  summary: "Read the checkpoint",
  description: "The current checkpoint, and whether the player has passed it.",
  fields: { passed: "Whether the player has passed it." },
  example: {},
};
