/** POST /admin/draw_originals/{url_id}: draws original zombies among the volunteers. */
import * as z from "zod/mini";
import { drawOriginals, MAX_DRAWN } from "../../lib/app/game/drawOriginals.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

const DrawRequest = z.strictObject({
  n: z.int().check(z.minimum(1), z.maximum(MAX_DRAWN)),
  dry_run: z.optional(z.boolean()),
});

const DrawResponse = z.object({
  volunteers: z.int(),
  /** In a repeated response, `alias` is `null` if the account has been deleted since. */
  drawn: z.array(z.object({ alias: z.nullable(z.string()) })),
  seed: z.nullable(z.string()),
  dry_run: z.boolean(),
});

export const handler = endpoint({
  route: "POST /admin/draw_originals/{url_id}",
  access: "administrator",
  request: { body: DrawRequest },
  response: { schema: DrawResponse },
  idempotency: { scope: "player" },
  decide: (call) => drawOriginals(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Draw original zombies",
  description:
    "Draws `n` humans with `wants_original` at random and makes them zombies with a full feeding period. The service chooses a seed when it draws, and the log has every draw with its seed, so that it can be verified. While originals are hidden, game masters who play, or have played, cannot draw.",
  errors: ["wrong_state", "too_few_volunteers"],
  fields: {
    n: "How many players to draw; at most 32 while originals are hidden.",
    dry_run: "`true` changes nothing, and says only whether the draw is possible.",
    seed: "The seed of the draw, in hexadecimal; `null` with `dry_run`, because it is chosen by the draw.",
    volunteers: "How many humans want to be an original zombie.",
    drawn: "The players who were drawn; with `dry_run` nobody, because a draw is known once it is made.",
  },
  example: { body: { n: 1, dry_run: true } },
};
