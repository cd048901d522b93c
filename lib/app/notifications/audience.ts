/** Selects the subscriptions in the audience of a notification at the time of delivery. */
import type { Game } from "../../domain/game/game.ts";
import { type Audience, isAddressed } from "../../domain/notifications/push.ts";
import type { Services } from "../../lambda/services.ts";
import type { Target } from "./deliverBatch.ts";

/** The targets whose players are in the audience now. */
export const addressedTargets = async (
  { store, clock }: Pick<Services, "store" | "clock">,
  game: Game,
  audience: Audience,
  targets: readonly Target[],
): Promise<readonly Target[]> => {
  if (audience === "all" || targets.length === 0) return targets;
  const ids = targets.map(({ subscription }) => subscription.player_id);
  const players = await store.listeners(ids, { consistent: true });
  const now = clock();
  return targets.filter(({ subscription }) => {
    const player = players.get(subscription.player_id);
    return player !== undefined && isAddressed(audience, player, game, now);
  });
};
