/** GET /admin/alerts/{url_id}: lists alerts for game masters, and the state of the sweep. */
import * as z from "zod/mini";
import { Alerts, listAlerts } from "../../lib/app/alerts/listAlerts.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { wholeNumber } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "GET /admin/alerts/{url_id}",
  access: "administrator",
  request: { query: z.strictObject({ limit: wholeNumber(1, 100, 20) }) },
  response: { schema: Alerts },
  run: async (call) => call.respond(await listAlerts(call)),
});

export const docs: EndpointDocs = {
  summary: "List alerts",
  description:
    "Alerts for game masters, newest first: one zombie tagged several newcomers who had registered from one address. Also returns the state of the sweep, which looks for starved zombies every minute.",
  fields: {
    alerts: "A page of alerts.",
    alert_id: "The id of the alert.",
    kind: "`newcomers`: one zombie tagged several newcomers from one address.",
    at: "When the tag was recorded or the alert was raised.",
    hunter: "The alias of the hunter; `null` if they have left, or are a hidden original zombie.",
    hunts: "The tags.",
    alias: "Who was tagged; `null` if they have left.",
    resolved_at: "When the hunts of the alert were voided; `null` before.",
    sweeps:
      "The state of the sweep, which records starvations and starts scheduled work; `null` before the first sweep.",
    last_at: "When the last sweep that was not on hold ran. A sweep runs every minute.",
    held: "Set after more than an hour between two sweeps: starvations are on hold until the operator of the service decides; otherwise `null`.",
    since: "When the hold began.",
    due: "How many starvations are on hold.",
  },
  example: {},
};
