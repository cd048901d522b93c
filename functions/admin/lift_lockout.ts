/** POST /admin/lift_lockout/{url_id}: lets a zombie enter tag codes again after too many unknown ones. */
import { liftLockout } from "../../lib/app/accounts/tagCode.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /admin/lift_lockout/{url_id}",
  access: "administrator",
  request: { body: PlayerRef },
  response: { schema: PlayerReturnInfo },
  idempotency: { scope: "player" },
  decide: (call) => liftLockout(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Lift the lock-out after mistyped tag codes",
  description: "Lets a player report hunts again after too many unknown tag codes. Idempotent.",
  example: { body: { alias: "Zed" } },
};
