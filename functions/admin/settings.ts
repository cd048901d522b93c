/** GET /admin/settings/{url_id}: reads all settings of the game. */
import { readSettings } from "../../lib/app/game/settingsView.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { SettingsView } from "../../lib/http/settings.ts";

export const handler = endpoint({
  route: "GET /admin/settings/{url_id}",
  access: "administrator",
  response: { schema: SettingsView },
  read: readSettings,
});

export const docs: EndpointDocs = {
  summary: "Read the settings",
  description: "All settings of the game, and the current state of its schedule.",
  example: {},
};
