/** GET /admin/season/{url_id}: tells how far the reset is that is under way. */
import * as z from "zod/mini";
import { resetStatus } from "../../lib/app/game/resetSeason.ts";
import { nullableText } from "../../lib/domain/schemas.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";
import { ResetCounts } from "../../lib/store/seasonCounts.ts";

export const handler = endpoint({
  route: "GET /admin/season/{url_id}",
  access: "administrator",
  response: {
    schema: z.object({
      reset: z.nullable(
        z.object({
          job_id: nullableText,
          started_at: Timestamp,
          by: nullableText,
          ...ResetCounts.shape,
          removed: z.record(z.string(), z.int()),
        }),
      ),
    }),
  },
  read: resetStatus,
});

export const docs: EndpointDocs = {
  summary: "Read how far a new season is",
  description: "The reset that is under way, with what it has done so far.",
  fields: {
    reset: "The reset; `null` if none is under way.",
    job_id: "The id of the job; `null` for a reset by `npm run reset`, which counts nothing here.",
    started_at: "The start of the new season.",
    humans: "How many players have become human so far, each with a new tag code.",
    unenrolled: "How many players have become spectators until they enrol.",
    removed: "How many items of each kind were removed so far.",
    by: "The alias of the game master who has begun it; `null` for a reset by `npm run reset`.",
  },
  example: {},
};
