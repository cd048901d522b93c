/** The statistics of the game. */
import type { Game } from "../../domain/game/game.ts";
import { hoursOrDays } from "../../domain/game/schedule.ts";
import { type Player, starvation } from "../../domain/players/player.ts";
import { byCounter, counterOf, TAKING_PART } from "../../domain/players/states.ts";
import {
  countsAt,
  huntTimes,
  infectionsByGeneration,
  type StatisticsEvent,
  visibleStatisticsEvents,
} from "../../domain/players/statistics.ts";
import type { Viewer } from "../../domain/players/visibility.ts";
import { DAY, instantOf, rfc3339 } from "../../domain/time.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { hiddenFrom } from "../../store/hunts/hiddenOriginals.ts";
import type { RosterEntry } from "../../store/items.ts";
import { readStatisticsEvents } from "../../store/statistics.ts";
import type { Store } from "../../store/store.ts";

/** A longer game shows its last days, so that the number of points has a bound. */
const MAX_PERIOD = 400 * DAY;

/**
 * From the start of the game, or else its first event, until the end of the game or now, and at most {@link MAX_PERIOD};
 * `null` before that begins.
 */
const periodOf = ({ schedule }: Game, moments: readonly StatisticsEvent[], now: number) => {
  const first = Math.min(...moments.map(({ at }) => instantOf(at)));
  const until = Math.min(now, schedule?.ends_at ?? now);
  const from = Math.max(schedule?.starts_at ?? first, until - MAX_PERIOD);
  return from <= until ? { from, until } : null;
};

interface Reading {
  store: Store;
  game: Game;
  now: number;
  /** The player who makes the request; `null` without an account. */
  viewer: Viewer;
  timeLeft: () => number;
  /** All that statistics depend on, if it was read before. */
  known?: { events: StatisticsEvent[]; roster: readonly (Player | RosterEntry)[] };
}

/** The statistics as the viewer may know them. @throws DomainError `unavailable` when time runs out */
export const readStatistics = async ({ store, game, now, viewer, timeLeft, known }: Reading) => {
  const hidden = hiddenFrom(store.db, viewer, game, now);
  const [all, roster] = await mapBusyToUnavailable(
    Promise.all([
      known?.events ?? readStatisticsEvents(store, game, now, timeLeft),
      known?.roster ?? store.roster(game, hidden),
    ]),
  );
  const moments = visibleStatisticsEvents(all, viewer, game, now);
  const residents = roster.map((one) => ({ ...one, starved: starvation(one, game, now) }));
  const period = periodOf(game, moments, now);
  const { step, starts, until } =
    period === null
      ? { step: "hour" as const, starts: [], until: now }
      : { ...hoursOrDays(game.schedule?.time_zone ?? "UTC", period.from, period.until), until: period.until };
  const ends = starts.map((_, n) => (starts[n + 1] ?? until + 1) - 1);
  const hunts = huntTimes(moments);
  const counts = countsAt(ends, residents, moments);
  let counted = hunts.findIndex((at) => at >= (starts[0] ?? now));
  if (counted < 0) counted = hunts.length;
  const points = starts.map((from, n) => {
    const before = counted;
    while ((hunts[counted] ?? Number.POSITIVE_INFINITY) <= (ends[n] ?? 0)) counted += 1;
    const shown = byCounter(TAKING_PART, (state) => counts[n]?.[counterOf(state)] ?? 0);
    return { from: rfc3339(from), ...shown, hunts: counted - before };
  });
  const infections = [...infectionsByGeneration(moments)]
    .map(([generation, count]) => ({ generation, count }))
    .toSorted((one, other) => (one.generation ?? -1) - (other.generation ?? -1));
  return { step, points, infections };
};
