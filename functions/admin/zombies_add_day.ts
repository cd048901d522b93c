/** POST /admin/zombies_add_day/{url_id}: gives every living zombie the play time of the next 24 hours. */
import * as z from "zod/mini";
import { addDay } from "../../lib/app/game/addDay.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/zombies_add_day/{url_id}",
  access: "administrator",
  response: { schema: z.object({ zombies: z.int(), added_seconds: z.int() }) },
  idempotency: { scope: "player" },
  decide: addDay,
});

export const docs: EndpointDocs = {
  summary: "Give every zombie a day",
  description: "Gives every living zombie the play time of the next 24 hours.",
  errors: ["wrong_state"],
  fields: {
    zombies: "How many living zombies there are.",
    added_seconds: "The play time that was added, in seconds.",
  },
  example: {},
};
