/** GET /admin/get_players/{url_id}: every player with everything, by alias. */
import * as z from "zod/mini";
import { listPlayers } from "../../lib/app/accounts/listPlayers.ts";
import { State } from "../../lib/domain/player.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { paging } from "../../lib/http/fields.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /admin/get_players/{url_id}",
  access: "administrator",
  query: z.strictObject({
    ...paging(),
    state: z.optional(State),
    passed: z.optional(z.enum(["true", "false"])),
  }),
  answer: z.object({ players: z.array(PlayerReturnInfo), next_cursor: z.nullable(z.string()) }),
  run: async (call) => call.answer(await listPlayers(call)),
});
