/** POST /player/enrol/{url_id}: lets a spectator join the current season. */
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { showPlayer } from "../../lib/app/lookups.ts";
import { enrol } from "../../lib/domain/registration.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /player/enrol/{url_id}",
  access: "player",
  response: { schema: PlayerReturnInfo },
  idempotency: { scope: "player" },
  run: (call) => {
    const load = reloadOnRetry(call);
    return call.decide(async () => {
      const { player: before, game } = await load();
      const after = enrol(before, game, call.context);
      return {
        changes: { players: [{ before, after }], seen: game },
        response: await showPlayer(call.services.store, after, game, call.now),
      };
    });
  },
});

export const docs: EndpointDocs = {
  summary: "Enrol in this season",
  description: "Makes a spectator human, before the start or while registration is open.",
  errors: ["registration_closed", "wrong_state"],
  example: { as: "sue" },
};
