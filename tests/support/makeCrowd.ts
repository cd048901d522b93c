/** Players by the thousand, for `crowd` of the test environment. */
import { randomUUID } from "node:crypto";
import { newSpectator, type Player } from "../../lib/domain/players/player.ts";
import { asHuman, asZombie } from "../../lib/domain/players/transitions.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import type { TestEnvironment } from "./service.ts";

/** Makes players of one state, with different names. @param at when they registered and, as zombies, were infected */
export const makeCrowd = async (
  { services }: Pick<TestEnvironment, "services">,
  count: number,
  state: "human" | "zombie",
  at: number,
): Promise<Player[]> => {
  const context = commandContext(services, at);
  const since = rfc3339(at);
  const game = await services.store.game();
  return Array.from({ length: count }, (_, n) => {
    const alias = `Player ${String(n).padStart(5, "0")} x`;
    const human = asHuman(newSpectator(randomUUID(), 0, { alias }, since), context);
    if (state === "human") return human;
    return asZombie(human, game, context, { id: context.newId(), at: since, by: null });
  });
};
