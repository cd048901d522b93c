/** POST /admin/create_codes/{url_id}: makes codes that give players something. */
import * as z from "zod/mini";
import { createCodes } from "../../lib/app/rewards/createCodes.ts";
import { MAX_CODES, MAX_USES } from "../../lib/domain/rewards/limits.ts";
import { Side } from "../../lib/domain/rewards/reward.ts";
import { text } from "../../lib/domain/schemas.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { ZonedTime } from "../../lib/http/fields.ts";
import { BATCH_PROSE, NewEffect } from "../../lib/http/rewards.ts";
import { text as textOf } from "../../lib/http/textFields.ts";

const upTo = (max: number) => z.int().check(z.minimum(1), z.maximum(max));

const CreateCodesRequest = z.strictObject({
  label: textOf(1, 80, "line"),
  n: upTo(MAX_CODES),
  effect: NewEffect,
  audience: Side,
  uses: upTo(MAX_USES),
  uses_per_player: upTo(MAX_CODES),
  valid_from: z.optional(ZonedTime),
  valid_until: z.optional(ZonedTime),
  place: z.optional(textOf(1, 200, "line")),
});

export const handler = endpoint({
  route: "POST /admin/create_codes/{url_id}",
  access: "administrator",
  request: { body: CreateCodesRequest },
  response: { schema: z.object({ batch_id: text, codes: z.array(z.object({ code: text })) }) },
  idempotency: { scope: "player" },
  decide: (call) => createCodes(call, call.body),
  view: ({ batch: { batch_id }, codes }) => ({ batch_id, codes: codes.map((code) => ({ code })) }),
});

export const docs: EndpointDocs = {
  summary: "Make codes",
  description:
    "Makes codes that players redeem with `POST /player/redeem`: food, antidotes, points, badges, messages. A code is ten letters and digits, the last of which shows typing errors. The table has a keyed hash of each, and one sheet of the batch, which game masters can read again. The game master who has made or read codes cannot redeem them.",
  errors: ["wrong_state"],
  fields: {
    ...BATCH_PROSE,
    valid_from: "From when; at once by default.",
    valid_until: "Until just before when; until the end of the game by default.",
    codes: "The codes, in the order of the sheet.",
    code: "The code, as it is printed.",
  },
  example: {
    body: {
      ...{ label: "Crates", n: 2, effect: { feed_seconds: 43_200, points: 1 }, audience: "zombies" },
      ...{ uses: 1, uses_per_player: 1, place: "Behind the gym" },
    },
  },
};
