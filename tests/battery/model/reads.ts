/** Requests for all views of the game. */
import { LABELS } from "./names.ts";
import type { Request } from "./request.ts";
import type { Player } from "./state.ts";
import { type Actions, requestOf, type Turn } from "./turn.ts";
import { isInfection, VIEWS } from "./views.ts";

const MISSIONS = "GET /missions/{url_id}";
const WAIVER = "GET /waiver/{url_id}";

/** Every view, as one player sees it. */
function* viewsOf(t: Turn, player: Player): Actions<Request[]> {
  const credentials = { ...(yield* t.credentialsOf(player)), key: null };
  const state = t.maybe(67, { state: t.pick(["human", "zombie", "corpse", "spectator"]) });
  const kinds = [
    "hunt",
    "void",
    "starve",
    "feed",
    "checkpoint_kill",
    "revived_by_late_tag",
    "reward",
  ] as const;
  const root = t.chance(30) ? t.maybeOne(t.m.record.filter(isInfection))?.id : undefined;
  const inputs: Partial<Record<keyof typeof VIEWS | typeof MISSIONS | typeof WAIVER, object>> = {
    [MISSIONS]: { limit: 100 },
    "GET /users/{url_id}": state,
    "GET /interactions/{url_id}": { limit: 200, ...t.maybe(62, { kind: t.pick(kinds) }) },
    "GET /interactions/tree/{url_id}": root === undefined ? {} : { root },
    "POST /get_player/{url_id}": { alias: t.one(t.m.players).alias },
    "GET /admin/get_players/{url_id}": {
      ...state,
      ...t.maybe(30, { passed: t.pick(["true", "false"]) }),
      ...t.maybe(20, { label: t.pick(LABELS) }),
      ...t.maybe(20, { missions_below: t.pick([1, 2]) }),
    },
    "GET /admin/readiness/{url_id}": t.maybe(40, { lacks: t.pick(["signature", "age", "picture"]) }),
    "GET /admin/disputes/{url_id}": t.maybe(50, { status: t.pick(["open", "stands", "void"]) }),
    "GET /admin/get_logs/{url_id}": { limit: 1_000 },
  };
  const all = [...(Object.keys(VIEWS) as (keyof typeof VIEWS)[]), MISSIONS, WAIVER] as const;
  const routes = all.filter((route) => player.is_admin || !route.includes(" /admin/"));
  return routes.map((route) => requestOf(route, credentials, inputs[route] ?? {}));
}

/** One view, requested by a random player. */
export function* requestOneView(t: Turn): Actions {
  yield t.one(yield* viewsOf(t, t.one(t.chance(30) ? t.masters : t.m.players)));
  return true;
}

/** Every view, seen by a game master. */
export function* requestAllViews(t: Turn): Actions {
  yield* yield* viewsOf(t, t.one(t.masters));
  return true;
}
