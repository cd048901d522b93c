/** GET /admin/alerts/{url_id}: what a game master should look at. */
import * as z from "zod/mini";
import { Alerts, listAlerts } from "../../lib/app/alarms/listAlerts.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "GET /admin/alerts/{url_id}",
  access: "administrator",
  request: { query: z.strictObject(pagingFields(20, 100)) },
  response: { schema: Alerts },
  run: async (call) => call.respond(await listAlerts(call)),
});
