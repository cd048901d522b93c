/** POST /player/report_tagged/{url_id}: a human reports having been tagged, and becomes a zombie. */
import * as z from "zod/mini";
import { reportBeingTagged } from "../../lib/app/hunts/reportTagged.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, TagTime } from "../../lib/http/fields.ts";
import { ChangeStateResponse } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /player/report_tagged/{url_id}",
  access: "player",
  changesPlay: true,
  request: {
    body: z.strictObject({ by_alias: z.optional(AliasRef), tagged_at: z.optional(TagTime) }),
  },
  response: { schema: ChangeStateResponse },
  idempotency: { scope: "player" },
  decide: (call) => reportBeingTagged(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Report that you were tagged",
  description: "Makes a human a zombie without a known hunter. The hunter's own report completes the tag.",
  errors: ["paused", "not_running", "wrong_state", "too_early"],
  fields: {
    by_alias: "The presumed hunter, which only game masters see.",
    tagged_at: "When it happened; now by default.",
  },
  example: { body: { by_alias: "Zed" } },
};
