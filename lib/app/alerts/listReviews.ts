/** Lists the players about whom game masters have to decide, with both stories (decision 85). */
import type { Departure } from "../../domain/accounts/departure.ts";
import type { ReviewReason } from "../../domain/accounts/review.ts";
import type { Tombstone } from "../../domain/accounts/tombstone.ts";
import { wallDeadline } from "../../domain/game/clock.ts";
import type { Game } from "../../domain/game/game.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { isPending, livingZombie, type Player, type State, stateOf } from "../../domain/players/player.ts";
import { isInfectorHidden, shownPlayer } from "../../domain/players/visibility.ts";
import { nullableRfc3339 } from "../../domain/time.ts";
import type { Services } from "../../lambda/services.ts";
import { chunk } from "../../runtime/chunk.ts";
import { readAbsence } from "../../store/absence.ts";
import { readBans } from "../../store/accounts/bans.ts";
import { parseOwner } from "../../store/items.ts";
import { REVIEWS_LIST } from "../../store/keys.ts";
import { entries, readPage } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { restoredPlayer } from "../accounts/returning.ts";
import { readClaims } from "../accounts/reviewDecision.ts";
import { loadAliases } from "../lookups.ts";

/** Further reviews are listed when these are decided. */
const MAX_REVIEWS = 20;
/** So many are looked through, because some are of players who have come back meanwhile. */
const MAX_READ = 100;
/** Of each review, so many departures are computed and shown. Each takes reads of its own. */
const MAX_DEPARTURES = 3;

/** A player who has left, with their state then, and now as if they had stayed. Earlier versions stored less. */
interface Departed {
  departure_id: string;
  left_at: string;
  state_then: State;
  state_now: State;
  starves_at: string | null;
  kills: number | null;
  infected_by: string | null;
}

interface ReviewCall {
  player: Player;
  game: Game;
  now: number;
  context: CommandContext;
  services: Pick<Services, "store">;
}

const readReviewed = async (store: Store): Promise<Player[]> => {
  const list = entries(store.db, { partition: () => REVIEWS_LIST, shards: 1 }, MAX_READ);
  const { items } = await readPage(list, MAX_READ, parseOwner);
  const players = await store.players(items);
  const orderOf = ({ created_at, alias }: Player): string => `${created_at} ${alias}`;
  return [...players.values()].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
};

/** What a viewer is shown of a player who has left. */
const departedView = async (
  { player: viewer, game, now, context, services: { store } }: ReviewCall,
  account: Player,
  departure: Departure,
  absence: ReturnType<typeof readAbsence>,
): Promise<Departed> => {
  const { player, departed } = await restoredPlayer(store, departure, account, game, context, absence);
  const then = shownPlayer(departed, viewer, game, now);
  const shown = shownPlayer(player, viewer, game, now);
  const zombie = livingZombie(shown, game, now);
  const by =
    shown.infection_id === null || isInfectorHidden(shown, viewer, game, now) ? null : shown.infected_by;
  const aliases = by === null ? null : await loadAliases(store, [by]);
  return {
    departure_id: departure.player_id,
    left_at: departure.left_at,
    state_then: then.state,
    state_now: stateOf(shown, game, now),
    starves_at: zombie === null ? null : nullableRfc3339(wallDeadline(game, zombie.deadline, now)),
    kills: shown.kills,
    infected_by: aliases?.get(by ?? "") ?? null,
  };
};

/** What is known of a player who left under an earlier version: it stored less. */
const tombstoneView = (id: string, { left_at, state, cover }: Tombstone): Departed => {
  const shown = cover === undefined ? state : cover.state;
  const unknown = { starves_at: null, kills: null, infected_by: null };
  return { departure_id: id, left_at, state_then: shown, state_now: shown, ...unknown };
};

/** A player with the reasons that still hold. One who has come back meanwhile needs no decision. */
interface Open {
  player: Player;
  reasons: ReviewReason[];
}

/** The oldest reviews that are open, and the departures that they name. Reads the departures of a few players at a time. */
const readOpen = async (store: Store) => {
  const departures = new Map<string, Departure>();
  const tombstones = new Map<string, Tombstone>();
  const open: Open[] = [];
  for (const players of chunk(await readReviewed(store), MAX_REVIEWS)) {
    const found = await readClaims(store, ...players);
    for (const [id, one] of found.departures) departures.set(id, one);
    for (const [id, one] of found.tombstones) tombstones.set(id, one);
    for (const player of players) {
      const reasons = (player.review ?? []).filter(
        ({ kind, of }) => kind !== "returns" || departures.has(of) || tombstones.has(of),
      );
      if (reasons.length > 0 && open.length < MAX_REVIEWS) open.push({ player, reasons });
    }
    if (open.length === MAX_REVIEWS) break;
  }
  return { open, departures, tombstones };
};

/** The open reviews, the player who registered first comes first. */
export const listReviews = async (call: ReviewCall) => {
  const { store } = call.services;
  const { open, departures, tombstones } = await readOpen(store);
  if (open.length === 0) return [];
  const users = open.flatMap(({ reasons }) => reasons.filter(({ kind }) => kind === "address_in_use"));
  const [{ bans }, aliases] = await Promise.all([
    readBans(store.db),
    loadAliases(
      store,
      users.map(({ of }) => of),
    ),
  ]);
  const absence = readAbsence(store.db, call.game);
  /** Several newcomers may be the same player: what is shown does not depend on the newcomer. */
  const views = new Map<string, ReturnType<typeof departedView>>();
  const viewOf = (account: Player, departure: Departure): ReturnType<typeof departedView> => {
    const { player_id: id } = departure;
    const view = views.get(id) ?? departedView(call, account, departure, absence);
    views.set(id, view);
    return view;
  };
  const reasonOf = async (player: Player, { kind, of, ...reason }: ReviewReason) => {
    const by = { by: reason.by, ...(reason.by === "alias" ? {} : { confirmed: reason.confirmed === true }) };
    if (kind === "address_in_use") return [{ kind, ...by, used_by: aliases.get(of) ?? null }];
    if (kind === "banned") {
      const { alias = null, until = null, reason = null } = bans.find(({ ban_id }) => ban_id === of) ?? {};
      return [{ kind, ...by, ban: { alias, until, reason } }];
    }
    const [departure, tombstone] = [departures.get(of), tombstones.get(of)];
    if (departure !== undefined) return [{ kind, ...by, departed: await viewOf(player, departure) }];
    return tombstone === undefined ? [] : [{ kind, ...by, departed: tombstoneView(of, tombstone) }];
  };
  const reviews = open.map(async ({ player, reasons: all }) => {
    const { player_id, alias, first_name, last_name, email, created_at } = player;
    const claims = all.filter(({ kind }) => kind === "returns");
    const shown = [...claims.slice(0, MAX_DEPARTURES), ...all.filter(({ kind }) => kind !== "returns")];
    const reasons = (await Promise.all(shown.map((one) => reasonOf(player, one)))).flat();
    return {
      ...{ player_id, alias, first_name, last_name, email, created_at },
      pending: isPending(player),
      reasons,
      more: Math.max(0, claims.length - MAX_DEPARTURES),
    };
  });
  return Promise.all(reviews);
};
