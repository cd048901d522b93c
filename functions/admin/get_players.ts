/** GET /admin/get_players/{url_id}: every player, by alias: with all fields, or those that moderators may see. */
import * as z from "zod/mini";
import { listPlayers } from "../../lib/app/accounts/listPlayers.ts";
import { State } from "../../lib/domain/player.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Label, pagingFields } from "../../lib/http/fields.ts";
import { text } from "../../lib/http/textFields.ts";
import { StaffPlayer } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /admin/get_players/{url_id}",
  access: "moderator",
  request: {
    query: z.strictObject({
      ...pagingFields(),
      state: z.optional(State),
      search: z.optional(text(1, 60, "line")),
      label: z.optional(Label),
      passed: z.optional(z.enum(["true", "false"])),
      pending: z.optional(z.enum(["true", "false"])),
    }),
  },
  response: { schema: z.object({ players: z.array(StaffPlayer), next_cursor: z.nullable(z.string()) }) },
  run: async (call) => call.respond(await listPlayers(call)),
});
