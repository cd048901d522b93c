/** Requests for all views of the game. */
import { type Actions, credentialsOf, mastersOf, requestOf } from "./actors.ts";
import type { Dice } from "./dice.ts";
import { LABELS } from "./names.ts";
import type { Request } from "./request.ts";
import type { Model, Player } from "./state.ts";
import { isInfection } from "./views.ts";

/** Every view, as one player sees it. */
function* viewsOf(m: Model, dice: Dice, player: Player): Actions<Request[]> {
  const credentials = { ...(yield* credentialsOf(m, dice, player)), key: null };
  const state = dice.maybe(67, { state: dice.pick(["human", "zombie", "corpse", "spectator"]) });
  const kind = dice.maybe(62, {
    kind: dice.pick(["hunt", "void", "starve", "feed", "checkpoint_kill", "revived_by_late_tag"]),
  });
  const passed = dice.maybe(30, { passed: dice.pick(["true", "false"]) });
  const label = dice.maybe(20, { label: dice.pick(LABELS) });
  const status = dice.maybe(50, { status: dice.pick(["open", "stands", "void"]) });
  const root = dice.chance(30) ? dice.maybeOne(m.record.filter(isInfection))?.id : undefined;
  return [
    requestOf("GET /player/{url_id}", credentials, {}),
    requestOf("GET /users/{url_id}", credentials, state),
    requestOf("GET /interactions/{url_id}", credentials, { limit: 200, ...kind }),
    requestOf("GET /interactions/leaderboard/{url_id}", credentials, {}),
    requestOf("GET /interactions/tree/{url_id}", credentials, root === undefined ? {} : { root }),
    requestOf("GET /zombie/starvation/{url_id}", credentials, {}),
    requestOf("GET /zombie/next_feeding/{url_id}", credentials, {}),
    requestOf("GET /game/{url_id}", credentials, {}),
    requestOf("GET /checkpoint/{url_id}", credentials, {}),
    requestOf("GET /pfp/{url_id}", credentials, {}),
    requestOf("POST /get_player/{url_id}", credentials, { alias: dice.one(m.players).alias }),
    ...(player.is_admin
      ? [
          requestOf("GET /admin/get_players/{url_id}", credentials, { ...state, ...passed, ...label }),
          requestOf("GET /admin/player_count/{url_id}", credentials, {}),
          requestOf("GET /admin/disputes/{url_id}", credentials, status),
          requestOf("GET /admin/get_logs/{url_id}", credentials, { limit: 1_000 }),
        ]
      : []),
  ];
}

/** One view, requested by a random player. */
export function* requestOneView(m: Model, dice: Dice): Actions {
  yield dice.one(yield* viewsOf(m, dice, dice.one(dice.chance(30) ? mastersOf(m) : m.players)));
  return true;
}

/** Every view, seen by a game master. */
export function* requestAllViews(m: Model, dice: Dice): Actions {
  yield* yield* viewsOf(m, dice, dice.one(mastersOf(m)));
  return true;
}
