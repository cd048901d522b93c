/** POST /admin/set_checkpoint/{url_id}: sets the checkpoint that players must pass, or clears it. */
import * as z from "zod/mini";
import { checkpointDetails, setCheckpoint } from "../../lib/app/checkpoint/checkpoint.ts";
import { CheckpointGroup } from "../../lib/domain/game/game.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { bothCoordinates, COORDINATES, EarlierText, ZonedTime } from "../../lib/http/fields.ts";
import { text } from "../../lib/http/textFields.ts";
import { CheckpointView } from "../../lib/http/views.ts";
import { isRecord } from "../../lib/runtime/objects.ts";

const SetCheckpointRequest = z
  .strictObject({
    clear: z.optional(z.literal(true)),
    checkpoint_id: z.optional(z.guid("must be the id of a checkpoint, a UUID")),
    name: z.optional(text(1, 80, "name")),
    description: z.optional(text(1, 1_000, "text")),
    ...COORDINATES,
    closes_at: z.optional(ZonedTime),
    applies_to: z.optional(CheckpointGroup),
    was: z.optional(
      z.strictObject({
        name: z.optional(EarlierText),
        description: z.optional(EarlierText),
        closes_at: z.optional(EarlierText),
      }),
    ),
  })
  .check(bothCoordinates)
  .check(
    z.refine<Record<string, unknown>>(
      ({ clear, name, checkpoint_id }) =>
        checkpoint_id !== undefined || (clear === undefined) !== (name === undefined),
      {
        error: "exactly one of name and clear is required",
        path: ["name"],
        when: ({ value }) => isRecord(value),
      },
    ),
  )
  .check(
    z.refine(
      ({ clear, ...rest }) =>
        clear === undefined || Object.values(rest).every((field) => field === undefined),
      { error: "must be the only field", path: ["clear"] },
    ),
  )
  .check(
    z.refine(({ checkpoint_id, applies_to }) => checkpoint_id === undefined || applies_to === undefined, {
      error: "cannot be corrected: set a new checkpoint",
      path: ["applies_to"],
    }),
  );

const SetCheckpointResponse = z.nullable(CheckpointView);

export const handler = endpoint({
  route: "POST /admin/set_checkpoint/{url_id}",
  access: "administrator",
  request: { body: SetCheckpointRequest },
  response: { schema: SetCheckpointResponse },
  idempotency: { scope: "player" },
  run: async (call) => {
    const response = await call.decide((attempt) => setCheckpoint(attempt, attempt.body));
    // The log entry of a repeated request names the checkpoint that the first request has set.
    const set = SetCheckpointResponse.parse(JSON.parse(response.body ?? "null"));
    call.audit.details = checkpointDetails(call.body, set);
    return response;
  },
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
