/** Looking at the game, as anybody does: every view that it has. */
import { type Actions, credentialsOf, HOME } from "./actors.ts";
import type { Dice } from "./dice.ts";
import type { Request } from "./request.ts";
import type { Model, Player } from "./state.ts";
import type { World } from "./world.ts";

const STATES = [undefined, undefined, "human", "zombie", "corpse", "spectator"] as const;
const KINDS = [undefined, undefined, undefined, "hunt", "void", "starve", "feed", "checkpoint_kill"] as const;

/** Every view, as one player sees it. */
const viewsOf = (m: Model, dice: Dice, { id, alias, is_admin }: Player, token: string | null): Request[] => {
  const credentials = { by: id, token, key: null, from: HOME };
  const [state, kind] = [dice.pick(STATES), dice.pick(KINDS)];
  const filter = state === undefined ? {} : { state };
  const passed = dice.chance(30) ? { passed: dice.chance(50) } : {};
  const infections = m.record.filter((event) => event.kind === "hunt" || event.kind === "revive_zombie");
  const root = dice.chance(30) ? dice.of(infections)?.id : undefined;
  return [
    { route: "GET /player/{url_id}", ...credentials, body: {} },
    { route: "GET /users/{url_id}", ...credentials, body: filter },
    {
      route: "GET /interactions/{url_id}",
      ...credentials,
      body: { limit: 200, ...(kind === undefined ? {} : { kind }) },
    },
    { route: "GET /interactions/leaderboard/{url_id}", ...credentials, body: {} },
    { route: "GET /interactions/tree/{url_id}", ...credentials, body: root === undefined ? {} : { root } },
    { route: "GET /zombie/starvation/{url_id}", ...credentials, body: {} },
    { route: "GET /zombie/next_feeding/{url_id}", ...credentials, body: {} },
    { route: "GET /game/{url_id}", ...credentials, body: {} },
    { route: "GET /checkpoint/{url_id}", ...credentials, body: {} },
    { route: "GET /pfp/{url_id}", ...credentials, body: {} },
    {
      route: "POST /get_player/{url_id}",
      ...credentials,
      body: { alias: dice.of(m.players)?.alias ?? alias },
    },
    ...(is_admin
      ? [
          {
            route: "GET /admin/get_players/{url_id}" as const,
            ...credentials,
            body: { ...filter, ...passed },
          },
          { route: "GET /admin/player_count/{url_id}" as const, ...credentials, body: {} },
          { route: "GET /admin/get_logs/{url_id}" as const, ...credentials, body: { limit: 1_000 } },
        ]
      : []),
  ];
};

/** One view, seen by anybody. */
export function* requestOneView(world: World, dice: Dice): Actions {
  const m = world.model();
  const player = dice.chance(30) ? dice.of(m.players.filter(({ is_admin }) => is_admin)) : dice.of(m.players);
  if (player === undefined) return false;
  const { token } = yield* credentialsOf(world, dice, player);
  const view = dice.of(viewsOf(world.model(), dice, player, token));
  if (view !== undefined) yield view;
  return true;
}

/** Every view, seen by a game master; and every player as they see themselves. */
export function* requestAllViews(world: World, dice: Dice): Actions {
  const master = world.model().players.find(({ is_admin }) => is_admin);
  if (master === undefined) return false;
  const { token } = yield* credentialsOf(world, dice, master);
  for (const view of viewsOf(world.model(), dice, master, token)) yield view;
  return true;
}
