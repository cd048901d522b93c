/** Lists the players about whom game masters have to decide, with both stories (decision 85). */
import * as z from "zod/mini";
import { wallDeadline } from "../../domain/clock.ts";
import type { Departure } from "../../domain/departure.ts";
import type { Game } from "../../domain/game.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { isPending, livingZombie, type Player, State, stateOf } from "../../domain/player.ts";
import type { ReviewReason } from "../../domain/review.ts";
import { boolean, integer, nullableText, text } from "../../domain/schemas.ts";
import { nullableRfc3339 } from "../../domain/time.ts";
import type { Tombstone } from "../../domain/tombstone.ts";
import { isInfectorHidden, shownPlayer } from "../../domain/visibility.ts";
import { Timestamp } from "../../http/views.ts";
import type { Services } from "../../lambda/services.ts";
import { readAbsence } from "../../store/absence.ts";
import { readBans } from "../../store/bans.ts";
import { readDepartures } from "../../store/departures.ts";
import { parseOwner } from "../../store/items.ts";
import { REVIEWS_LIST } from "../../store/keys.ts";
import { entries, readPage } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { restoredPlayer } from "../accounts/returning.ts";
import { loadAliases } from "../lookups.ts";

/** Further reviews are listed when these are decided. */
const MAX_REVIEWS = 100;

/** A player who has left, with their state then, and now as if they had stayed. */
const Departed = z.object({
  departure_id: text,
  left_at: Timestamp,
  state_then: State,
  state_now: State,
  starves_at: z.nullable(Timestamp),
  kills: z.nullable(integer),
  infected_by: nullableText,
});

const Reason = z.object({
  kind: z.enum(["returns", "banned", "address_in_use"]),
  by: z.enum(["alias", "address"]),
  /** For `returns`. */
  departed: z.optional(Departed),
  /** For `banned`. */
  ban: z.optional(z.object({ alias: nullableText, until: z.nullable(Timestamp), reason: nullableText })),
  /** For `address_in_use`: the alias of the player who has the address. */
  used_by: z.optional(nullableText),
});
type Reason = z.infer<typeof Reason>;

export const Review = z.object({
  player_id: text,
  alias: text,
  first_name: nullableText,
  last_name: nullableText,
  email: nullableText,
  created_at: Timestamp,
  pending: boolean,
  reasons: z.array(Reason),
});
export type Review = z.infer<typeof Review>;

interface ReviewCall {
  player: Player;
  game: Game;
  now: number;
  context: CommandContext;
  services: Pick<Services, "store">;
}

const readReviewed = async (store: Store): Promise<Player[]> => {
  const list = entries(store.db, { partition: () => REVIEWS_LIST, shards: 1 }, MAX_REVIEWS);
  const { items } = await readPage(list, MAX_REVIEWS, parseOwner);
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
): Promise<z.infer<typeof Departed>> => {
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
const tombstoneView = (id: string, { left_at, state, cover }: Tombstone): z.infer<typeof Departed> => {
  const shown = cover === undefined ? state : cover.state;
  const unknown = { starves_at: null, kills: null, infected_by: null };
  return { departure_id: id, left_at, state_then: shown, state_now: shown, ...unknown };
};

/** The open reviews, the player who registered first comes first. */
export const listReviews = async (call: ReviewCall): Promise<Review[]> => {
  const { store } = call.services;
  const players = await readReviewed(store);
  if (players.length === 0) return [];
  const idsOf = (kind: ReviewReason["kind"]): string[] =>
    players.flatMap(({ review = [] }) => review.filter((one) => one.kind === kind).map(({ of }) => of));
  const [{ departures, tombstones }, { bans }, aliases] = await Promise.all([
    readDepartures(store.db, [...new Set(idsOf("returns"))]),
    readBans(store.db),
    loadAliases(store, idsOf("address_in_use")),
  ]);
  const absence = readAbsence(store.db, call.game);
  const reasonOf = async (player: Player, { kind, by, of }: ReviewReason): Promise<Reason[]> => {
    if (kind === "address_in_use") return [{ kind, by, used_by: aliases.get(of) ?? null }];
    if (kind === "banned") {
      const { alias = null, until = null, reason = null } = bans.find(({ ban_id }) => ban_id === of) ?? {};
      return [{ kind, by, ban: { alias, until, reason } }];
    }
    const [departure, tombstone] = [departures.get(of), tombstones.get(of)];
    if (departure !== undefined)
      return [{ kind, by, departed: await departedView(call, player, departure, absence) }];
    // One who has come back meanwhile needs no decision.
    return tombstone === undefined ? [] : [{ kind, by, departed: tombstoneView(of, tombstone) }];
  };
  const reviews = players.map(async (player): Promise<Review> => {
    const { player_id, alias, first_name, last_name, email, created_at, review = [] } = player;
    const reasons = (await Promise.all(review.map((one) => reasonOf(player, one)))).flat();
    return {
      ...{ player_id, alias, first_name, last_name, email, created_at },
      pending: isPending(player),
      reasons,
    };
  });
  return (await Promise.all(reviews)).filter(({ reasons }) => reasons.length > 0);
};
