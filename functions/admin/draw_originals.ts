/** POST /admin/draw_originals/{url_id}: draws original zombies among the volunteers. */
import { DrawRequest, DrawResponse, drawOriginals } from "../../lib/app/game/drawOriginals.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/draw_originals/{url_id}",
  access: "administrator",
  request: { body: DrawRequest },
  response: { schema: DrawResponse },
  idempotency: { scope: "player" },
  run: (call) => drawOriginals(call),
});

export const docs: EndpointDocs = {
  summary: "Draw original zombies",
  description:
    "Makes zombies of `n` humans who have `wants_original`, drawn at random, with a full feeding period. The seed is in the log, so that the draw can be checked.",
  errors: ["too_few_volunteers"],
  fields: {
    n: "How many.",
    dry_run: "Whether nothing is changed.",
    seed: "The seed of the draw. In a request, that of a dry run: the draw then takes the same players, unless the volunteers have changed.",
    volunteers: "How many humans want to be an original zombie.",
    drawn: "Who was drawn; with `dry_run`, who would be.",
  },
  example: { body: { n: 1, dry_run: true } },
};
