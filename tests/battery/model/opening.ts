/** The opening of every sequence: a game master and some players, all logged in. */
import { PASSWORD } from "./accountCommands.ts";
import { type Actions, anonymous, masterCredentials, requestOf } from "./actors.ts";
import { runActions } from "./commands.ts";
import { Dice } from "./dice.ts";
import type { World } from "./world.ts";

type Players = Partial<Record<"humans" | "corpses" | "zombies", readonly string[]>>;

function* plan(world: World, { humans = [], corpses = [], zombies = [] }: Players): Actions {
  for (const alias of [...humans, ...corpses, ...zombies]) {
    const body = { alias, password: PASSWORD };
    yield requestOf("POST /new", anonymous(), body);
    yield requestOf("POST /login", anonymous(), body);
    yield { pass: 1_234 };
  }
  const master = yield* masterCredentials(world, new Dice([0]));
  for (const alias of [...corpses, ...zombies])
    yield requestOf("POST /admin/corpsify/{url_id}", master, { alias });
  for (const alias of zombies) yield requestOf("POST /admin/revive_z/{url_id}", master, { alias });
  yield { pass: 3_600_000 };
  return true;
}

/** Plays the opening, with these players. */
export const opening =
  (players: Players) =>
  async (world: World): Promise<void> => {
    await runActions(world, plan(world, players));
  };
