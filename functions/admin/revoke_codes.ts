/** POST /admin/revoke_codes/{url_id}: revokes codes that are not used up. */
import * as z from "zod/mini";
import { revokeCodes } from "../../lib/app/rewards/revokeCodes.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";
import { BATCH_PROSE, BatchView, RewardCode } from "../../lib/http/rewards.ts";

export const handler = endpoint({
  route: "POST /admin/revoke_codes/{url_id}",
  access: "administrator",
  request: { body: z.strictObject({ batch_id: EventId, code: z.optional(RewardCode) }) },
  response: { schema: z.object({ batch: BatchView, revoked: z.int() }) },
  idempotency: { scope: "player" },
  decide: (call) => revokeCodes(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Revoke codes",
  description:
    "Revokes all codes of a batch, or one: nobody can redeem them any more. What was redeemed stays; `POST /admin/undo_redemption` takes that back.",
  errors: ["not_found"],
  fields: {
    ...BATCH_PROSE,
    code: "The only code to revoke; by default all of the batch.",
    batch: "The batch afterwards.",
    revoked: "How many codes this request has revoked; of a batch, how many were in all.",
  },
  example: { body: ({ batch }) => ({ batch_id: batch }) },
};
