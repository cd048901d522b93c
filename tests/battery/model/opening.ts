/** How every sequence begins: a game master and some players, all logged in. */

import { PASSWORD } from "./accountCommands.ts";
import { type Actions, credentialsOf, HOME } from "./actors.ts";
import { runActions } from "./commands.ts";
import { Dice } from "./dice.ts";
import type { World } from "./world.ts";

type Players = Partial<Record<"humans" | "corpses" | "zombies", readonly string[]>>;

function* plan(world: World, { humans = [], corpses = [], zombies = [] }: Players): Actions {
  for (const alias of [...humans, ...corpses, ...zombies]) {
    const nobody = { by: null, token: null, key: null, from: HOME };
    yield { route: "POST /new", ...nobody, body: { alias, password: PASSWORD } };
    yield { route: "POST /login", ...nobody, body: { alias, password: PASSWORD } };
    yield { pass: 1_234 };
  }
  const [master] = world.model().players;
  if (master === undefined) throw new Error("there is no game master");
  const credentials = yield* credentialsOf(world, new Dice([0]), master);
  for (const alias of [...corpses, ...zombies])
    yield { route: "POST /admin/corpsify/{url_id}", ...credentials, body: { alias } };
  for (const alias of zombies)
    yield { route: "POST /admin/revive_z/{url_id}", ...credentials, body: { alias } };
  yield { pass: 3_600_000 };
  return true;
}

export const opening =
  (players: Players) =>
  async (world: World): Promise<void> => {
    await runActions(world, plan(world, players));
  };
