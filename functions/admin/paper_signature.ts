/** POST /admin/paper_signature/{url_id}: enters a signature of the waiver on paper. */
import * as z from "zod/mini";
import { enterPaperSignature } from "../../lib/app/waiver/sign.ts";
import { State } from "../../lib/domain/players/player.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { exactlyOnePlayer, PLAYER_REF_FIELDS } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";
import { paperFields } from "../../lib/http/waiver.ts";

export const handler = endpoint({
  route: "POST /admin/paper_signature/{url_id}",
  access: "moderator",
  request: { body: z.strictObject({ ...PLAYER_REF_FIELDS, ...paperFields() }).check(exactlyOnePlayer) },
  response: {
    schema: z.object({
      alias: z.string(),
      version: z.string(),
      full_name: z.string(),
      guardian_name: z.nullable(z.string()),
      signed_at: Timestamp,
      state: State,
      pending: z.boolean(),
      repeated: z.boolean(),
    }),
  },
  idempotency: { scope: "player" },
  decide: (call) => enterPaperSignature(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Enter a signature on paper",
  description:
    "For the present waiver. The birth date is required if the game has a minimum age and it is not known yet; other answers may stay on the paper. With `guardian_name`, a guardian has signed for somebody under age: if a game master enters it, they need not wait any more. A second entry changes nothing unless it adds a guardian, or a game master corrects something; the signature before stays stored.",
  errors: ["wrong_state", "ask_game_master"],
  fields: {
    full_name: "The player's name on the paper.",
    guardian_name: "The guardian's name on the paper; `null` for none.",
    version: "The version that is signed.",
    signed_at: "When it was entered.",
    state: "What the player is afterwards.",
    pending: "Whether the player waits for a game master or for their birthday.",
    repeated: "Whether it was stored before, so that nothing has changed.",
  },
  example: { body: { alias: "Ada", full_name: "Ada Lovelace" } },
};
