/** POST /admin/feed/{url_id}: feeds the `n` living zombies that are closest to starving. */
import * as z from "zod/mini";
import { feedHungriest } from "../../lib/app/starvation/feedHungriest.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";

const FeedResponse = z.object({
  /** In a repeated response, `alias` is `null` if the account has been deleted since. */
  fed: z.array(z.object({ alias: z.nullable(z.string()), starves_at: z.nullable(Timestamp) })),
  count: z.int(),
  /** `false` while the job continues through the queue; absent otherwise. */
  complete: z.optional(z.boolean()),
  /** The job, if it continues. */
  job_id: z.optional(z.string()),
});

export const handler = endpoint({
  route: "POST /admin/feed/{url_id}",
  access: "administrator",
  request: { body: z.strictObject({ n: z.int().check(z.minimum(1), z.maximum(1_000)) }) },
  response: { schema: FeedResponse, incompleteStatus: 202 },
  idempotency: { scope: "player" },
  run: (call) => feedHungriest(call, call.body.n),
});

export const docs: EndpointDocs = {
  summary: "Feed the hungriest zombies",
  description: "Feeds the `n` living zombies that are closest to starving.",
  errors: ["in_progress"],
  success: {
    200: "All of them are fed.",
    202: "The job continues in the background. A retry with the same `Idempotency-Key` returns the complete result.",
  },
  fields: {
    n: "How many zombies to feed.",
    fed: "The zombies that were fed; none of them for a game master from whom originals are hidden. The alias is `null` for players who have left since.",
    count: "How many were fed, of those whom the game master may know as zombies.",
    complete: "`false` while the job continues; absent otherwise.",
  },
  example: { body: { n: 2 } },
};
