/** POST /admin/new_tag_code/{url_id}: replaces a human's tag code. */
import { newTagCode } from "../../lib/app/accounts/tagCode.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/new_tag_code/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: PlayerReturnInfo },
  idempotency: { scope: "player" },
  decide: (call) => newTagCode(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Replace a leaked tag code",
  description:
    "Replaces the tag code of a human. Hunts with the old code are rejected with 409 `code_replaced`.",
  errors: ["wrong_state"],
  example: { body: { alias: "Ada" } },
};
