/** POST /player/enrol/{url_id}: lets a spectator join the current season. */
import { isOnlyMaster, reloadOnRetry } from "../../lib/app/currentState.ts";
import { newLogEntry } from "../../lib/app/logEntry.ts";
import { showPlayer } from "../../lib/app/lookups.ts";
import { enrol } from "../../lib/domain/accounts/registration.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "POST /player/enrol/{url_id}",
  access: "player",
  response: { schema: PlayerReturnInfo },
  idempotency: { scope: "player" },
  run: (call) => {
    const { context, requestId, services } = call;
    const load = reloadOnRetry(call);
    return call.decide(async () => {
      const { player: before, game } = await load();
      const after = enrol(before, game, context, await isOnlyMaster(services.store, before));
      // Until now, a game master could see all tag codes.
      const actor = before.player_id;
      const log = newLogEntry(context, requestId, { action: "enrol", actor, target: actor });
      return {
        changes: { players: [{ before, after }], seen: game, ...(before.is_admin ? { log } : {}) },
        result: await showPlayer(call.services.store, after, game, call.now),
      };
    });
  },
});

export const docs: EndpointDocs = {
  summary: "Enrol in this season",
  description:
    "Makes a spectator human, before the start or while registration is open. A game master who sees all tag codes needs another game master, unless there is none; their enrolment is in the audit log.",
  errors: ["registration_closed", "wrong_state"],
  example: { as: "sue" },
};
