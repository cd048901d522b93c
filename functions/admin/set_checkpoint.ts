/** POST /admin/set_checkpoint/{url_id}: sets the checkpoint that players must pass, or clears it. */
import * as z from "zod/mini";
import { SetCheckpointRequest, setCheckpoint } from "../../lib/app/checkpoint/checkpoint.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { CheckpointView } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/set_checkpoint/{url_id}",
  access: "administrator",
  request: { body: SetCheckpointRequest },
  response: { schema: z.nullable(CheckpointView) },
  idempotency: { scope: "player" },
  run: (call) => setCheckpoint(call),
});

export const docs: EndpointDocs = {
  summary: "Set, correct or clear the checkpoint",
  description:
    "A new checkpoint requires a `name`. With the `checkpoint_id` of the current checkpoint, the given fields are corrected and all passes are kept; with `was`, only if these fields still are what they were when they were read, otherwise 409 `changed_meanwhile`. `clear: true` alone removes the checkpoint; the response is then `null`.",
  errors: ["busy", "no_checkpoint", "checkpoint_changed", "changed_meanwhile"],
  fields: {
    clear: "`true` removes the checkpoint.",
    checkpoint_id: "The id of the current checkpoint, to correct it.",
    name: "The name of the checkpoint.",
    description: "Where the checkpoint is, and what players do there.",
    closes_at: "When it closes; not in the past.",
    was: "What the fields to correct were when they were read. Without it, nothing is compared.",
    applies_to: "Whom the checkpoint applies to; `all` by default. It cannot be corrected.",
  },
  example: { body: { name: "The bridge", latitude: 47.3769, longitude: 8.5417 } },
};
