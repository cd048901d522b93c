/** DELETE /delete_player/{url_id}: a player leaves; everything personal is removed. */
import { removal } from "../../lib/auth/accounts.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { freshly } from "../../lib/http/scene.ts";

export const handler = endpoint({
  route: "DELETE /delete_player/{url_id}",
  access: "player",
  answer: null,
  logged: true,
  run: async (call) => {
    const again = freshly(call);
    return call.decide(async () => {
      const { player, game } = await again();
      call.note.target = player.player_id;
      return { changes: await removal(call.services.store, player, game, call.moment), answer: null };
    });
  },
});
