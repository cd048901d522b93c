/** The state of the whole game, as every player may see it. */
import { recapIdOf, resultOf } from "../../domain/game/finish.ts";
import type { Game } from "../../domain/game/game.ts";
import { situationOf } from "../../domain/players/situation.ts";
import { rfc3339, SECOND } from "../../domain/time.ts";
import type { ReadCall } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import { hiddenFrom, shownCounts } from "../../store/hunts/hiddenOriginals.ts";
import type { Counts } from "../../store/items.ts";
import { hasBegun, scheduleView } from "./scheduleView.ts";

type AllCounts = Counts & { total: number };

/** The number of players in each state, as far as the caller may know. */
export const countsFor = async ({ game, now, player, services: { store } }: ReadCall): Promise<AllCounts> => {
  const hidden = hiddenFrom(store.db, player, game, now);
  return shownCounts(await store.counts(game, now), hidden, game, now);
};

export const gameView = (
  { feedingPeriod, mail }: Pick<Services, "feedingPeriod" | "mail">,
  game: Game,
  now: number,
  counts: AllCounts,
) => ({
  now: rfc3339(now),
  name: game.settings.name,
  ...scheduleView(game, now),
  situation: situationOf(game, now, hasBegun(counts)),
  ...resultOf(game, now),
  season_id: recapIdOf(game, now),
  paused: game.paused_at !== null,
  paused_since: game.paused_at === null ? null : rfc3339(game.paused_at),
  feeding_period_seconds: feedingPeriod(game) / SECOND,
  report_window_seconds: game.settings.report_window_seconds,
  sharers: game.settings.sharers,
  sends_mail: mail !== null,
  stores_mail: mail?.outbox !== undefined,
  checkpoint: game.checkpoint,
  counts,
});

export const readGame = async (call: ReadCall) =>
  gameView(call.services, call.game, call.now, await countsFor(call));
