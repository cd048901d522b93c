/** Pausing and resuming the game, which is harmless when repeated. */
import * as z from "zod/mini";
import type { Game } from "../../domain/clock.ts";
import { rfc3339 } from "../../domain/time.ts";
import { newInteraction } from "../../domain/transitions.ts";
import type { Call } from "../../http/definition.ts";
import { Timestamp } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { reloadOnRetry } from "../currentState.ts";

/** Whether the game is paused now, and since when. */
export const PauseResponse = z.object({ paused: z.boolean(), since: z.nullable(Timestamp) });
type PauseResponse = z.infer<typeof PauseResponse>;

/** Carries out a change of the clock; one that changes nothing is no interaction. */
export const changeGameClock = (
  call: Call<"administrator", unknown, unknown, PauseResponse>,
  kind: "pause" | "resume",
  change: (game: Game, now: number) => Game,
): Promise<CommandResponse> => {
  const { context: moment, now } = call;
  const again = reloadOnRetry(call);
  return call.decide(async () => {
    const { player, game: before } = await again();
    const after = change(before, now);
    const response = {
      paused: after.paused_at !== null,
      since: after.paused_at === null ? null : rfc3339(after.paused_at),
    };
    if (after === before) return { changes: {}, response };
    const interactions = [newInteraction(kind, null, player.player_id, moment)];
    return { changes: { game: { before, after }, interactions }, response };
  });
};
