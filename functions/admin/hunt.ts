/** POST /admin/hunt/{url_id}: enters a tag on behalf of a zombie. */
import * as z from "zod/mini";
import { enterHunt } from "../../lib/app/hunts/enterHunt.ts";
import { MAX_SHARERS } from "../../lib/domain/game/settings.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, ZonedTime } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

const EnterHuntRequest = z.strictObject({
  hunter: AliasRef,
  prey: AliasRef,
  hunted_at: z.optional(ZonedTime),
  share_with: z.optional(z.array(AliasRef).check(z.maxLength(MAX_SHARERS))),
});

export const handler = endpoint({
  route: "POST /admin/hunt/{url_id}",
  access: "administrator",
  request: { body: EnterHuntRequest },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => enterHunt(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Enter a tag for a zombie",
  description:
    "Follows the rules of a hunt, but without tag code and report window. The hunter must have been a zombie at the time; if they have starved or were cured since, they only get the kill.",
  errors: ["paused", "not_running", "wrong_state", "too_early"],
  fields: {
    hunter: "The alias or player id of the hunter.",
    prey: "The alias or player id of the prey.",
    hunted_at: "When it happened; now by default.",
    share_with: "The aliases of other zombies who are fed as well.",
    player: "The hunter.",
  },
  example: { body: { hunter: "Zed", prey: "Ben" } },
};
