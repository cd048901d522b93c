/** POST /player/sign/{url_id}: signs the waiver. */
import * as z from "zod/mini";
import { signWaiver } from "../../lib/app/waiver/sign.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerReturnInfo, Timestamp } from "../../lib/http/views.ts";
import { NewSignature } from "../../lib/http/waiver.ts";

export const handler = endpoint({
  route: "POST /player/sign/{url_id}",
  access: "player",
  request: { body: NewSignature },
  response: {
    schema: z.object({
      version: z.string(),
      full_name: z.string(),
      signed_at: Timestamp,
      repeated: z.boolean(),
      player: PlayerReturnInfo,
    }),
  },
  idempotency: { scope: "player" },
  decide: (call) => signWaiver(call, call.body, call.clientAddress.address),
});

export const docs: EndpointDocs = {
  summary: "Sign the waiver",
  description:
    "Signs the version that the player has read; another than the present one is 409 `changed_meanwhile`: show the text of `GET /waiver` again, which has its version. Who waited only for this becomes human, with a tag code. Who is under the minimum age waits for a game master, or for their birthday. Signing the same version again changes nothing.",
  errors: ["changed_meanwhile", "ask_game_master"],
  fields: {
    version: "The version that was read, of `GET /waiver`.",
    full_name: "The name as it is typed to sign.",
    signed_at: "When it was signed.",
    repeated: "Whether the player had signed this version before.",
    player: "The player afterwards.",
  },
  example: { body: ({ waiver }) => ({ version: waiver, full_name: "Ada Lovelace" }) },
};
