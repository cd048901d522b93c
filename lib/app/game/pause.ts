/** Pauses and resumes the game. Both are idempotent. */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import { newInteraction } from "../../domain/players/transitions.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { Timestamp } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { reloadOnRetry } from "../currentState.ts";

export const PauseResponse = z.object({ paused: z.boolean(), since: z.nullable(Timestamp) });
type PauseResponse = z.infer<typeof PauseResponse>;

/** Pauses or resumes the game clock. Without a change, no interaction is recorded. */
export const changeGameClock = (
  call: Call<"administrator", unknown, unknown, PauseResponse>,
  kind: "pause" | "resume",
  change: (game: Game, now: number) => Game,
): Promise<CommandResponse> => {
  const { context, now } = call;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const { player, game: before } = await reload();
    const after = change(before, now);
    const response = {
      paused: after.paused_at !== null,
      since: after.paused_at === null ? null : rfc3339(after.paused_at),
    };
    if (after === before) return { changes: {}, result: response };
    const interactions = [newInteraction(kind, null, player.player_id, context)];
    return { changes: { game: { before, after }, interactions }, result: response };
  });
};
