/** POST /admin/settings/{url_id}: changes settings of the game. */
import { changeSettings, SettingsRequest, SettingsView } from "../../lib/app/game/settings.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/settings/{url_id}",
  access: "administrator",
  request: { body: SettingsRequest },
  response: { schema: SettingsView },
  idempotency: { scope: "player" },
  run: async (call) => {
    const response = await changeSettings(call);
    if (call.body.unique_email === true) {
      const { guardAddresses } = await import("../../lib/app/accounts/uniqueEmail.ts");
      await guardAddresses(call);
    }
    return response;
  },
});
