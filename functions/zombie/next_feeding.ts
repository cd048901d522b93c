/** GET /zombie/next_feeding/{url_id}: until when a zombie must have fed. */
import * as z from "zod/mini";
import { wallDeadline } from "../../lib/domain/clock.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { requireState, secondsLeft, settle } from "../../lib/domain/transitions.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /zombie/next_feeding/{url_id}",
  access: "player",
  answer: z.object({
    next_feeding: Timestamp,
    seconds_left: z.int(),
    last_fed_at: z.nullable(Timestamp),
  }),
  run: async (call) => {
    const { game, moment, now } = call;
    const { player } = settle(call.player, game, moment);
    requireState(player, ["zombie"], "be due for a meal");
    const deadline = player.deadline ?? 0;
    return call.answer({
      next_feeding: rfc3339(wallDeadline(game, deadline, now)),
      seconds_left: secondsLeft(game, deadline, now),
      last_fed_at: player.last_fed_at,
    });
  },
});
