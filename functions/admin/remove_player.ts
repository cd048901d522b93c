/** POST /admin/remove_player/{url_id}: removes an account, as its player could. */
import { removal } from "../../lib/auth/accounts.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { freshly, namedPlayer } from "../../lib/http/scene.ts";

export const handler = endpoint({
  route: "POST /admin/remove_player/{url_id}",
  access: "administrator",
  body: PlayerRef,
  answer: null,
  once: true,
  run: async (call) => {
    const { body, moment, note, services } = call;
    const { store } = services;
    const again = freshly(call);
    return call.decide(async () => {
      const [{ game: read }, target] = await Promise.all([again(), namedPlayer(store, body)]);
      note.target = target.player_id;
      const game = await store.gameFor(read, target);
      return { changes: await removal(store, target, game, moment), answer: null };
    });
  },
});
