/** GET /admin/alerts/{url_id}: lists alerts for game masters, and the state of the sweep. */
import * as z from "zod/mini";
import { Alerts, listAlerts } from "../../lib/app/alarms/listAlerts.ts";
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
    "What a game master should look at, newest first: tags of newcomers from one address by one zombie; and whether the service looks for starved zombies each minute.",
  fields: {
    alerts: "A page of alerts.",
    alert_id: "The id of the alert.",
    kind: "`newcomers`: they had registered from one address.",
    at: "When the tag was recorded, or the alert raised.",
    hunter: "The alias of the hunter; `null` if they have left.",
    hunts: "The tags.",
    alias: "Who was tagged; `null` if they have left.",
    resolved_at: "When the hunts of the alert were voided; `null` before.",
    sweeps: "The sweeps, which record starvations and start what is scheduled; `null` before the first one.",
    last_at: "When the last one ran that was not held. One runs each minute.",
    held: "Since the clock jumped: starvations wait until whoever operates the service has decided; `null` if not.",
    since: "When the first sweep was held.",
    due: "How many starvations wait.",
  },
  example: {},
};
