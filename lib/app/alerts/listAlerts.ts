/** Lists the alerts for game masters, newest first, what they have to decide, and the state of the sweep. */
import { maySeeSecrets, shownPlayer } from "../../domain/players/visibility.ts";
import { isHeld } from "../../domain/starvation/sweepClock.ts";
import { rfc3339, SECOND } from "../../domain/time.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { expectedEntries, MAX_LOOKED_THROUGH, readPage } from "../../store/lists.ts";
import { type Alert, alertEntries, parseAlert } from "../../store/notifications/alerts.ts";
import { loadAliases } from "../lookups.ts";
import { readSweepClock } from "../workers/sweepClock.ts";
import { listReviews } from "./listReviews.ts";

/** The state of the sweep; `due` is the number of starvations on hold. */
const sweepsView = (clock: Awaited<ReturnType<typeof readSweepClock>>) =>
  clock === null
    ? null
    : {
        last_at: rfc3339(clock.at),
        held: isHeld(clock) ? { since: rfc3339(clock.held.since), due: clock.held.due } : null,
      };

/** The table deletes what has expired later. */
const unlessExpired = (alert: Alert, now: number): Alert | null =>
  typeof alert.expires === "number" && alert.expires * SECOND <= now ? null : alert;

/** Returns the newest alerts, the open reviews and the state of the sweep. */
export const listAlerts = async (call: ReadCall, query: { limit: number; open?: "true" | undefined }) => {
  const { game, now, player: viewer } = call;
  const { store } = call.services;
  const [page, clock, reviews] = await Promise.all([
    readPage(
      alertEntries(store.db, expectedEntries(query.limit, query.open !== undefined)),
      query.limit,
      (item) => {
        const alert = unlessExpired(parseAlert(item), now);
        return query.open === undefined || alert?.resolved_at == null ? alert : null;
      },
      MAX_LOOKED_THROUGH,
    ),
    readSweepClock(store),
    listReviews(call),
  ]);
  const hunters = page.items.map(({ hunter }) => hunter);
  const ids = page.items.flatMap(({ hunter, hunts }) => [hunter, ...hunts.map(({ target }) => target)]);
  const [aliases, players] = await Promise.all([
    loadAliases(store, ids),
    maySeeSecrets(viewer) ? [] : [...(await store.players(hunters, { consistent: false })).values()],
  ]);
  const hidden = players.filter((one) => shownPlayer(one, viewer, game, now) !== one);
  for (const { player_id } of hidden) aliases.delete(player_id);
  const isShown = ({ kind, hunter }: Alert): boolean =>
    kind === "newcomers" || !hidden.some(({ player_id }) => player_id === hunter);
  const aliasOf = (id: string): string | null => aliases.get(id) ?? null;
  return {
    // Others do not see that a hidden original zombie has starved and lives again.
    alerts: page.items.filter(isShown).map(({ hunter, hunts, late_tag, ...alert }) => ({
      ...alert,
      ...(late_tag === undefined
        ? {}
        : { happened_at: late_tag.happened_at, starved_at: late_tag.starved_at }),
      hunter: aliasOf(hunter),
      hunts: hunts.map(({ interaction_id, target, at }) => ({ interaction_id, alias: aliasOf(target), at })),
    })),
    reviews,
    sweeps: sweepsView(clock),
  };
};
