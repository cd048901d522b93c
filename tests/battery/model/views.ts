/** Requests for all views of the game. */
import { type Actions, credentialsOf, requestOf } from "./actors.ts";
import type { Dice } from "./dice.ts";
import { LABELS } from "./names.ts";
import type { Bodies, Request, Route } from "./request.ts";
import type { Player } from "./state.ts";
import type { World } from "./world.ts";

const STATES = [undefined, undefined, "human", "zombie", "corpse", "spectator"] as const;
const DISPUTES = ["open", "stands", "void"] as const;
const KINDS = [undefined, undefined, undefined, "hunt", "void", "starve", "feed", "checkpoint_kill"] as const;

/** Every view, as one player sees it. */
function* viewsOf(world: World, dice: Dice, player: Player): Actions<Request[]> {
  const credentials = { ...(yield* credentialsOf(world, dice, player)), key: null };
  const { record, players } = world.model();
  const [state, kind] = [dice.pick(STATES), dice.pick(KINDS)];
  const filter = state === undefined ? {} : { state };
  const passed = dice.chance(30) ? { passed: dice.chance(50) } : {};
  const label = dice.chance(20) ? { label: dice.pick(LABELS) } : {};
  const infections = record.filter((event) => event.kind === "hunt" || event.kind === "revive_zombie");
  const root = dice.chance(30) ? dice.of(infections)?.id : undefined;
  const view = <R extends Route>(route: R, query: Bodies[R]): Request => requestOf(route, credentials, query);
  return [
    view("GET /player/{url_id}", {}),
    view("GET /users/{url_id}", filter),
    view("GET /interactions/{url_id}", { limit: 200, ...(kind === undefined ? {} : { kind }) }),
    view("GET /interactions/leaderboard/{url_id}", {}),
    view("GET /interactions/tree/{url_id}", root === undefined ? {} : { root }),
    view("GET /zombie/starvation/{url_id}", {}),
    view("GET /zombie/next_feeding/{url_id}", {}),
    view("GET /game/{url_id}", {}),
    view("GET /checkpoint/{url_id}", {}),
    view("GET /pfp/{url_id}", {}),
    view("POST /get_player/{url_id}", { alias: dice.one(players).alias }),
    ...(player.is_admin
      ? [
          view("GET /admin/get_players/{url_id}", { ...filter, ...passed, ...label }),
          view("GET /admin/player_count/{url_id}", {}),
          view("GET /admin/disputes/{url_id}", dice.chance(50) ? {} : { status: dice.pick(DISPUTES) }),
          view("GET /admin/get_logs/{url_id}", { limit: 1_000 }),
        ]
      : []),
  ];
}

/** One view, requested by a random player. */
export function* requestOneView(world: World, dice: Dice): Actions {
  const { players } = world.model();
  const masters = players.filter(({ is_admin }) => is_admin);
  yield dice.one(yield* viewsOf(world, dice, dice.one(dice.chance(30) ? masters : players)));
  return true;
}

/** Every view, seen by a game master. */
export function* requestAllViews(world: World, dice: Dice): Actions {
  const master = dice.one(world.model().players.filter(({ is_admin }) => is_admin));
  yield* yield* viewsOf(world, dice, master);
  return true;
}
