/** GET /admin/settings/{url_id}: reads all settings of the game. */
import { loadOtherSettings, SettingsView, settingsView } from "../../lib/app/game/settingsView.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /admin/settings/{url_id}",
  access: "administrator",
  response: { schema: SettingsView },
  run: async (call) => {
    const { game, now, services } = call;
    const others = await loadOtherSettings(services.store);
    return call.respond(settingsView(game, others, now, services));
  },
});

export const docs: EndpointDocs = {
  summary: "Read the settings",
  description: "All settings of the game, and the current state of its schedule.",
  example: {},
};
