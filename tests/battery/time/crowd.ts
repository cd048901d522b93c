/** A crowd of zombies beside the few of a schedule: more than one transaction takes. */
import { randomUUID } from "node:crypto";
import { newSpectator, type Player } from "../../../lib/domain/player.ts";
import { asHuman, asZombie } from "../../../lib/domain/transitions.ts";
import { commandContext } from "../../../lib/lambda/services.ts";
import { iso, type World } from "./world.ts";

const HEADS = 60;

/** Puts a crowd into the game, which has just begun; each was infected at another instant. */
export const enlist = async (world: World): Promise<void> => {
  const { s, clock } = world;
  const game = await s.store.game();
  const players = Array.from({ length: HEADS }, (_, head): Player => {
    const alias = `Head ${String.fromCharCode(97 + (head % 26))}${head}`;
    const at = clock.now - Math.floor((head * clock.period) / (2 * HEADS));
    const moment = commandContext(s.services, at);
    const human = asHuman(newSpectator(randomUUID(), 0, { alias }, iso(at)), moment);
    const life = clock.infect(at + clock.period);
    world.crowd.set(alias, life);
    world.deaths.push({ target: alias, life });
    return asZombie(human, game, moment, { id: moment.newId(), at: iso(at), by: null });
  });
  await s.crowd(players);
  world.story.push(`${HEADS} more zombies`);
};
