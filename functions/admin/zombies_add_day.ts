/** POST /admin/zombies_add_day/{url_id}: gives every living zombie the play time of the next 24 hours. */
import * as z from "zod/mini";
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { addDayToClock, playTimeOfNextDay } from "../../lib/domain/game/clock.ts";
import { newInteraction } from "../../lib/domain/players/transitions.ts";
import { SECOND } from "../../lib/domain/time.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { hiddenFrom, shownCounts } from "../../lib/store/hunts/hiddenOriginals.ts";

export const handler = endpoint({
  route: "POST /admin/zombies_add_day/{url_id}",
  access: "administrator",
  response: { schema: z.object({ zombies: z.int(), added_seconds: z.int() }) },
  idempotency: { scope: "player" },
  run: async (call) => {
    const { context, audit, now, services } = call;
    const load = reloadOnRetry(call);
    return call.decide(async () => {
      const { player, game: before } = await load();
      const { store } = services;
      const hidden = hiddenFrom(store.db, player, before, now);
      const { zombies } = await shownCounts(await store.counts(before, now), hidden, before, now);
      audit.details = { zombies };
      return {
        changes: {
          game: { before, after: addDayToClock(before, now) },
          interactions: [newInteraction("add_day", null, player.player_id, context)],
        },
        result: { zombies, added_seconds: Math.round(playTimeOfNextDay(before, now) / SECOND) },
      };
    });
  },
});

export const docs: EndpointDocs = {
  summary: "Give every zombie a day",
  description: "Gives every living zombie the play time of the next 24 hours.",
  fields: {
    zombies: "How many living zombies there are.",
    added_seconds: "The play time that was added, in seconds.",
  },
  example: {},
};
