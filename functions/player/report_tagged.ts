/** POST /player/report_tagged/{url_id}: a human reports to be tagged, and becomes a zombie. */
import { ChangeStateResponse } from "../../lib/app/game/changeState.ts";
import { ReportTaggedRequest, reportBeingTagged } from "../../lib/app/hunts/reportTagged.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /player/report_tagged/{url_id}",
  access: "player",
  request: { body: ReportTaggedRequest },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  run: (call) => reportBeingTagged(call),
});
