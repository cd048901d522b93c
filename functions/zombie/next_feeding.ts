/** GET /zombie/next_feeding/{url_id}: the time by which a zombie must feed. */
import * as z from "zod/mini";
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { secondsLeft, wallDeadline } from "../../lib/domain/game/clock.ts";
import { livingZombie } from "../../lib/domain/players/player.ts";
import { applyStarvation, requireState } from "../../lib/domain/players/transitions.ts";
import { nullableRfc3339 } from "../../lib/domain/time.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /zombie/next_feeding/{url_id}",
  access: "player",
  response: {
    schema: z.object({
      next_feeding: z.nullable(Timestamp),
      seconds_left: z.int(),
      last_fed_at: z.nullable(Timestamp),
    }),
  },
  run: async (call) => {
    const { context, now } = call;
    const load = reloadOnRetry(call);
    let loaded = await load();
    // The first read may be stale: the player may have been infected just now.
    if (livingZombie(loaded.player, loaded.game, now) === null) loaded = await load();
    const { game } = loaded;
    const { player } = applyStarvation(loaded.player, game, context);
    const { deadline, last_fed_at } = requireState(player, ["zombie"], "be due for a feeding");
    return call.respond({
      next_feeding: nullableRfc3339(wallDeadline(game, deadline, now)),
      seconds_left: secondsLeft(game, deadline, now),
      last_fed_at,
    });
  },
});

export const docs: EndpointDocs = {
  summary: "Read your deadline",
  description: "The time by which the zombie must feed.",
  errors: ["wrong_state"],
  fields: { next_feeding: "When the zombie starves; `null` if the game ends first." },
  example: { as: "zed" },
};
