/** The public view of the game, without a token: for the page before the login, and for a big screen. */
import * as z from "zod/mini";
import { needsJoinCode, registrationOf } from "../../domain/accounts/registration.ts";
import type { Game } from "../../domain/game/game.ts";
import { REGISTRATIONS } from "../../domain/game/settings.ts";
import { withRanks } from "../../domain/players/leaderboard.ts";
import { State, stateOf } from "../../domain/players/player.ts";
import { situationOf } from "../../domain/players/situation.ts";
import { StatisticsPoint } from "../../domain/players/statistics.ts";
import { shownInteraction } from "../../domain/players/visibility.ts";
import { integer, nullableText, text } from "../../domain/schemas.ts";
import { nullableRfc3339 } from "../../domain/time.ts";
import { CountsView, IDENTITY_FIELDS, InteractionReturnType, Timestamp } from "../../http/views.ts";
import type { Services } from "../../lambda/services.ts";
import { hiddenFrom, shownCounts } from "../../store/hunts/hiddenOriginals.ts";
import { parseInteraction, parseKillsEntry } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { readPage } from "../../store/lists.ts";
import { sharedResult } from "../../store/sharedResult.ts";
import { NOBODY, showInteractions } from "../lookups.ts";
import { identityOf } from "../shown.ts";
import { readStatistics } from "../statistics.ts";
import { hasBegun, SCHEDULE_FIELDS, SituationName, scheduleView } from "./scheduleView.ts";

/** The sizes of the board's lists. */
const BEST = 10;
const LATEST = 20;
/** More than two weeks by the hour, or a year by the day. */
const MAX_POINTS = 400;

const BoardPlayer = z.object({
  rank: integer,
  ...IDENTITY_FIELDS,
  alias: text,
  state: State,
  kills: integer,
  last_kill_at: z.nullable(Timestamp),
});

const PAGE_FIELDS = {
  name: text,
  description: nullableText,
  rules: nullableText,
  contact: nullableText,
  stun: nullableText,
  ...SCHEDULE_FIELDS,
  situation: SituationName,
  paused: z.boolean(),
  counts: CountsView,
  registration: z.enum(REGISTRATIONS),
  registration_closes_at: z.nullable(Timestamp),
  needs_join_code: z.boolean(),
  /** `null` unless the setting `public_board` is on. */
  board: z.nullable(
    z.object({
      leaderboard: z.array(BoardPlayer),
      interactions: z.array(InteractionReturnType),
      history: z.array(StatisticsPoint),
    }),
  ),
};

export const PublicPage = z.lazy(() => z.object(PAGE_FIELDS));
export type PublicPage = z.infer<typeof PublicPage>;

/** What is computed for everybody together; the rest of the page follows from the game. */
const Shared = z.lazy(() => {
  const { description, rules, contact, stun, counts, board } = PAGE_FIELDS;
  return z.object({ texts: z.object({ description, rules, contact, stun }), counts, board });
});
type Shared = z.infer<typeof Shared>;

const sharedPart = sharedResult({ key: keys.publicPage, schema: Shared, format: 1 });

const computeBoard = async (
  { store }: Services,
  game: Game,
  now: number,
  timeLeft: () => number,
): Promise<PublicPage["board"]> => {
  const hidden = hiddenFrom(store.db, null, game, now);
  const [statistics, best, latest] = await Promise.all([
    readStatistics({ store, game, now, viewer: null, timeLeft }),
    readPage(store.killsEntries(game, BEST + 1, undefined, hidden), BEST, parseKillsEntry),
    readPage(store.interactionEntries(game, LATEST + 1), LATEST, (item) =>
      shownInteraction(parseInteraction(item), null, game, now),
    ),
  ]);
  return {
    leaderboard: withRanks(best.items).map((one) => ({
      ...one,
      ...identityOf(one),
      state: stateOf(one, game, now),
    })),
    interactions: await showInteractions(store, latest.items, NOBODY),
    history: statistics.points.slice(-MAX_POINTS),
  };
};

const compute = async (
  services: Services,
  game: Game,
  now: number,
  timeLeft: () => number,
): Promise<Shared> => {
  const { store } = services;
  const [texts, counts, board] = await Promise.all([
    store.texts(),
    store.counts(game, now),
    game.settings.public_board ? computeBoard(services, game, now, timeLeft) : null,
  ]);
  return {
    texts,
    counts: await shownCounts(counts, hiddenFrom(store.db, null, game, now), game, now),
    board,
  };
};

/**
 * The public page. Texts, counts and the board may be some fifteen seconds old, unless the game has changed since; the rest
 * is current.
 * @throws DomainError `unavailable`
 */
export const publicPage = async (
  services: Services,
  now: number,
  timeLeft: () => number,
): Promise<PublicPage> => {
  const { store, clock, joinCodeRequired } = services;
  const game = await store.shownGame(now);
  const reader = { store, game, clock };
  const { texts, counts, board } = await sharedPart(reader, () => compute(services, game, clock(), timeLeft));
  return {
    name: game.settings.name,
    ...texts,
    ...scheduleView(game, now),
    situation: situationOf(game, now, hasBegun(counts)),
    paused: game.paused_at !== null,
    counts,
    registration: registrationOf(game, now),
    registration_closes_at: nullableRfc3339(game.settings.registration_closes_at),
    needs_join_code: needsJoinCode(game, joinCodeRequired),
    board: game.settings.public_board ? board : null,
  };
};
