/** Games of any size: accounts by the thousand, a third of them zombies who have infected one another. */

import { randomUUID } from "node:crypto";
import { newSpectator, type Player } from "../../lib/domain/player.ts";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { asHuman, asZombie } from "../../lib/domain/transitions.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { interactionItem, playerItem } from "../../lib/store/items.ts";
import { COUNTER_SLOTS, keys } from "../../lib/store/keys.ts";
import { fill } from "../../tests/support/table.ts";
import type { Game, Someone } from "./game.ts";

/** Those whom the operations are played with, on top of a crowd. */
export interface Scene {
  game: Game;
  gm: Someone;
  hunter: Someone;
  /** A human each time. */
  human: () => Promise<Someone>;
  zombie: () => Promise<Someone>;
}

/** Each zombie has infected so many. */
const BRANCHES = 3;

/** How many hours ago the zombie of a number has fed. */
type Fed = (nth: number) => number;

/** All of them a while ago: nobody is hungry. */
const LATELY: Fed = () => 10;

/** Fills a game; the alias guards of the crowd are left out, for nobody looks them up. */
const fillCrowd = async ({ services, place }: Game, size: number, fed: Fed): Promise<void> => {
  const game = await services.store.game();
  const now = services.clock();
  const began = now - 40 * HOUR;
  const zombies: Player[] = [];
  const items = Array.from({ length: size }, (_, n) => {
    const moment = commandContext(services, began + n);
    const account = newSpectator(randomUUID(), n % game.shards, { alias: `Player ${n} x` }, rfc3339(began));
    const human = asHuman(account, moment);
    if (n % 3 > 0) return [playerItem(human)];
    const at = rfc3339(moment.now);
    const hunter = zombies.length === 0 ? null : zombies[Math.floor((zombies.length - 1) / BRANCHES)];
    const id = moment.newId();
    const infection = { id, at, by: hunter?.player_id ?? null };
    const meal = { ...moment, now: now + n - fed(zombies.length) * HOUR };
    const infected = asZombie(human, game, meal, infection);
    const zombie = { ...infected, kills: BRANCHES, last_kill_at: at };
    zombies.push(zombie);
    const interaction = {
      interaction_id: id,
      kind: hunter === null || hunter === undefined ? ("revive_zombie" as const) : ("hunt" as const),
      at,
      recorded_at: at,
      actor: hunter?.player_id ?? null,
      target: zombie.player_id,
      parent: hunter?.infection_id ?? null,
    };
    return [playerItem(zombie), interactionItem(interaction, n % game.shards)];
  });
  await fill(place, items.flat());
  // As after a week: every slot has been counted in.
  const counters = Array.from({ length: COUNTER_SLOTS * game.shards }, (_, n) => {
    const own =
      n === 0 ? { zombies: zombies.length, humans: size - zombies.length } : { zombies: 0, humans: 0 };
    const key = keys.count(Math.floor(n / COUNTER_SLOTS), n % COUNTER_SLOTS);
    return { ...key, ...own, corpses: 0, spectators: 0 };
  });
  await fill(place, counters);
};

/** A game with a crowd of a size, and somebody to play it with. */
export const sceneOf = async (game: Game, size: number, fed = LATELY): Promise<Scene> => {
  const gm = await game.admin("Game Master");
  await fillCrowd(game, size, fed);
  let joined = 0;
  const human = (): Promise<Someone> => {
    joined += 1;
    return game.join(`Newcomer ${joined} y`);
  };
  const zombie = async (): Promise<Someone> => {
    const someone = await human();
    await game.outbreak(gm, someone);
    return someone;
  };
  return { game, gm, hunter: await zombie(), human, zombie };
};
