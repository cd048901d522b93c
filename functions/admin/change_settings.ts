/** POST /admin/settings/{url_id}: changes settings of the game. */
import { changeSettings } from "../../lib/app/game/settings.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { SettingsRequest, SettingsView } from "../../lib/http/settings.ts";

export const handler = endpoint({
  route: "POST /admin/settings/{url_id}",
  access: "administrator",
  request: { body: SettingsRequest },
  response: { schema: SettingsView },
  idempotency: { scope: "player" },
  run: async (call) => {
    const response = await call.decide((attempt) => changeSettings(attempt, attempt.body));
    if (call.body.unique_email === true) {
      // The setting is saved first, so that new accounts are checked meanwhile. After a failure (503), a retry completes this.
      const { reserveEmails } = await import("../../lib/app/accounts/uniqueEmail.ts");
      await reserveEmails(call);
    }
    return response;
  },
});

export const docs: EndpointDocs = {
  summary: "Change settings",
  errors: ["changed_meanwhile", "wrong_state"],
  fields: {
    name: "What the game is called.",
    description: "What the public page says of the game below its name; `null` for nothing.",
    versions:
      "The versions of the settings that are changed, as they were read. Without them, nothing is compared.",
  },
  description:
    "Changes the given settings and keeps the others; `null` restores a default. `starts_at`, `ends_at` and `reveal_originals_at` may be `now`: the time of the request by the service's clock. Rejects settings that contradict each other. A changed schedule takes effect at once, and each zombie keeps the play time that it has left before it starves. With `versions`, a setting that somebody else has changed since is 409 `changed_meanwhile`, and nothing is changed; what they have changed of other settings stays.",
  example: {
    body: { name: "Autumn game", time_zone: "Europe/Zurich", play_hours: { monday: [["08:00", "22:00"]] } },
  },
};
