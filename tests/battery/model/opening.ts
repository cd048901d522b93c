/** The first scene of every sequence: a game master, six humans and two original zombies, all logged in. */
import { asking, type Deeds, HOME } from "./actors.ts";
import { carryOut } from "./commands.ts";
import { Dice } from "./dice.ts";
import { PASSWORD } from "./people.ts";
import type { World } from "./world.ts";

const HUMANS = ["Ada", "Ben", "Cid", "Dee", "Eve", "Fay"];
const ZOMBIES = ["Yan", "Zed"];

function* scene(world: World): Deeds {
  const dice = new Dice([0]);
  for (const alias of [...HUMANS, ...ZOMBIES]) {
    const nobody = { by: null, token: null, key: null, from: HOME };
    yield { route: "POST /new", ...nobody, body: { alias, password: PASSWORD } };
    yield { route: "POST /login", ...nobody, body: { alias, password: PASSWORD } };
    yield { pass: 1_234 };
  }
  const [master] = world.model().players;
  if (master === undefined) throw new Error("there is no game master");
  const ask = yield* asking(world, dice, master);
  for (const alias of ZOMBIES) {
    yield { route: "POST /admin/corpsify/{url_id}", ...ask, body: { alias } };
    yield { route: "POST /admin/revive_z/{url_id}", ...ask, body: { alias } };
  }
  yield { pass: 3_600_000 };
  return true;
}

export const opening = async (world: World): Promise<void> => {
  await carryOut(world, scene(world));
};
