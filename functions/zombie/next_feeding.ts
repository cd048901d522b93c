/** GET /zombie/next_feeding/{url_id}: the time by which a zombie must feed. */
import * as z from "zod/mini";
import { readNextFeeding } from "../../lib/app/starvation/nextFeeding.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /zombie/next_feeding/{url_id}",
  access: "player",
  response: {
    schema: z.object({
      next_feeding: z.nullable(Timestamp),
      seconds_left: z.int(),
      last_fed_at: z.nullable(Timestamp),
    }),
  },
  read: readNextFeeding,
});

export const docs: EndpointDocs = {
  summary: "Read your deadline",
  description: "The time by which the zombie must feed.",
  errors: ["wrong_state"],
  fields: {
    next_feeding: "When the zombie starves; `null` if the game ends first.",
    seconds_left: "The play time that is left, in seconds.",
  },
  example: { as: "zed" },
};
