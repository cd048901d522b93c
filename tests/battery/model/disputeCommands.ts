/** The commands of disputes. */
import { type Actions, credentialsOf, masterCredentials, send } from "./actors.ts";
import type { Dice } from "./dice.ts";
import { playerOf } from "./game.ts";
import * as commands from "./gameCommands.ts";
import type { World } from "./world.ts";

/** A side of a hunt disputes it, mostly of a recent one. */
export function* dispute(world: World, dice: Dice): Actions {
  const m = world.model();
  const hunts = m.record.filter(({ kind, voided }) => kind === "hunt" && !voided).slice(-6);
  if (hunts.length === 0 && !dice.chance(20)) return yield* commands.hunt(world, dice);
  const event = dice.prefer(hunts, m.record);
  const sides = [event.actor, event.target].map((id) => playerOf(m, id)).filter((side) => side !== undefined);
  const who = dice.prefer(sides, m.players);
  return yield* send("POST /interactions/dispute/{url_id}", yield* credentialsOf(world, dice, who), {
    interaction_id: event.id,
    reason: `statement ${world.fresh()}`,
  });
}

/** A game master resolves a dispute or comments on it, mostly of an open one. */
export function* resolve(world: World, dice: Dice): Actions {
  if (world.model().disputes.every(({ status }) => status !== "open")) yield* dispute(world, dice);
  const m = world.model();
  const open = m.disputes.filter(({ status }) => status === "open");
  const chosen = dice.of(dice.chance(80) ? open : m.disputes);
  const event = chosen === undefined ? dice.one(m.record) : m.record[chosen.n];
  const dispute_id = event?.id ?? "";
  const credentials = yield* masterCredentials(world, dice);
  if (dice.chance(30)) {
    const comment = `statement ${world.fresh()}`;
    return yield* send("POST /admin/comment_dispute/{url_id}", credentials, { dispute_id, comment });
  }
  const outcome = dice.pick(["void", "stands"] as const);
  return yield* send("POST /admin/resolve_dispute/{url_id}", credentials, {
    dispute_id,
    outcome,
    note: "Two saw it.",
  });
}
