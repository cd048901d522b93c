/** GET /admin/codes/{url_id}: lists the batches of codes, or one with its redemptions. */
import * as z from "zod/mini";
import { listCodes } from "../../lib/app/rewards/listCodes.ts";
import { boolean, integer, nullableText, text } from "../../lib/domain/schemas.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId, pagingFields } from "../../lib/http/fields.ts";
import { BATCH_PROSE, BatchView } from "../../lib/http/rewards.ts";
import { Timestamp } from "../../lib/http/views.ts";

const Redemption = z.object({
  redemption_id: text,
  number: integer,
  alias: nullableText,
  player_ref: nullableText,
  at: Timestamp,
  recorded_at: Timestamp,
  undone_at: z.nullable(Timestamp),
});

const Codes = z.object({
  batches: z.array(BatchView),
  redeemed: z.optional(integer),
  redemptions: z.optional(z.array(Redemption)),
  codes: z.optional(z.array(z.object({ code: text, number: integer, used: integer, revoked: boolean }))),
  next_cursor: nullableText,
});

export const handler = endpoint({
  route: "GET /admin/codes/{url_id}",
  access: "administrator",
  request: {
    query: z.strictObject({
      ...pagingFields(),
      batch_id: z.optional(EventId),
      sheet: z.optional(z.literal("1")),
    }),
  },
  response: { schema: Codes },
  read: (call) => {
    const { cursor, batch_id, sheet, limit } = call.query;
    const scope = { list: "codes", filters: { batch_id, sheet } };
    const query = { batch_id, sheet: sheet === "1", limit };
    return paged(call.services, scope, cursor, (before) => listCodes(call, query, before));
  },
});

export const docs: EndpointDocs = {
  summary: "List codes",
  description:
    "The batches of codes, newest first; with `batch_id` one batch, and a page of its redemptions, the latest first. With `sheet` also the codes, to print them again: the log says so, and the game master cannot redeem them from then on. Game masters who play do not see what hidden originals have redeemed of zombies' codes.",
  errors: ["not_found"],
  fields: {
    ...BATCH_PROSE,
    sheet: "`1` returns the codes of the batch `batch_id`.",
    batches: "The batches.",
    redeemed: "Only with `batch_id`: how many redemptions were made and not undone.",
    redemptions: "Only with `batch_id`: a page of the redemptions.",
    redemption_id: "The id of the redemption, which is that of the event that records it.",
    number: "The place of the code on the sheet, from 1.",
    alias: "Who has redeemed the code; `null` if they have left.",
    at: "When the player entered the code.",
    undone_at: "When the redemption was undone; `null` if it was not.",
    codes: "Only with `sheet`: the codes, in their order.",
    code: "The code.",
    used: "How often it was redeemed.",
    revoked: "Of a code, whether it was revoked; of a batch, how many codes were.",
  },
  example: { query: ({ batch }) => ({ batch_id: batch, sheet: "1" }) },
};
