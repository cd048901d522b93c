/** POST /admin/feed/{url_id}: feeds the `n` living zombies that are closest to starving. */
import * as z from "zod/mini";
import { feedHungriest } from "../../lib/app/starvation/feedHungriest.ts";
import { FeedResponse } from "../../lib/app/starvation/feedResponse.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/feed/{url_id}",
  access: "administrator",
  request: { body: z.strictObject({ n: z.int().check(z.minimum(1), z.maximum(1_000)) }) },
  response: { schema: FeedResponse },
  idempotency: { scope: "player" },
  run: (call) => feedHungriest(call),
});
