/** The public view of the game, without a token: for the page before the login, and for a big screen. */
import { needsJoinCode, registrationOf } from "../../domain/accounts/registration.ts";
import { resultOf } from "../../domain/game/finish.ts";
import type { Game } from "../../domain/game/game.ts";
import { withRanks } from "../../domain/players/leaderboard.ts";
import { stateOf } from "../../domain/players/player.ts";
import { situationOf } from "../../domain/players/situation.ts";
import { shownInteraction } from "../../domain/players/visibility.ts";
import { nullableRfc3339 } from "../../domain/time.ts";
import type { Call } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import { hiddenFrom, shownCounts } from "../../store/hunts/hiddenOriginals.ts";
import { type Counts, parseInteraction, parseKillsEntry } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { readPage } from "../../store/lists.ts";
import { missionEntries, parseMission } from "../../store/missions/missions.ts";
import { sharedResult } from "../../store/sharedResult.ts";
import type { Store } from "../../store/store.ts";
import { NOBODY, showInteractions } from "../lookups.ts";
import { publicMission } from "../missions/missionView.ts";
import { readStatistics } from "../players/statistics.ts";
import { identityOf } from "../shown.ts";
import { hasBegun, scheduleView } from "./scheduleView.ts";

/** The sizes of the board's lists. */
const BEST = 10;
const LATEST = 20;
/** More than two weeks by the hour, or a year by the day. */
const MAX_POINTS = 400;

const computeBoard = async ({ store }: Services, game: Game, now: number, timeLeft: () => number) => {
  const hidden = hiddenFrom(store.db, null, game, now);
  const [statistics, best, latest, missions] = await Promise.all([
    readStatistics({ store, game, now, viewer: null, timeLeft }),
    readPage(store.killsEntries(game, BEST + 1, undefined, hidden), BEST, parseKillsEntry),
    readPage(store.interactionEntries(game, LATEST + 1), LATEST, (item) =>
      shownInteraction(parseInteraction(item), null, game, now),
    ),
    readPage(missionEntries(store.db, BEST + 1), BEST, (item) =>
      publicMission(parseMission(item), game, now),
    ),
  ]);
  return {
    leaderboard: withRanks(best.items).map((one) => {
      const { rank, alias, kills, last_kill_at } = one;
      return { rank, ...identityOf(one), alias, state: stateOf(one, game, now), kills, last_kill_at };
    }),
    interactions: await showInteractions(store, latest.items, NOBODY),
    history: statistics.points.slice(-MAX_POINTS),
    missions: missions.items,
  };
};

type Board = Awaited<ReturnType<typeof computeBoard>>;

/** What is computed for everybody together; the rest of the page follows from the game. */
interface PublicPart<B> {
  texts: Record<"description" | "rules" | "contact" | "stun" | "safe_places", string | null>;
  counts: Counts & { total: number };
  board: B | null;
}

const compute = async (
  services: Services,
  game: Game,
  now: number,
  timeLeft: () => number,
): Promise<PublicPart<Board>> => {
  const { store } = services;
  const [{ description, rules, contact, stun, safe_places }, counts, board] = await Promise.all([
    store.texts(),
    store.counts(game, now),
    game.settings.public_board ? computeBoard(services, game, now, timeLeft) : null,
  ]);
  return {
    texts: { description, rules, contact, stun, safe_places },
    counts: await shownCounts(counts, hiddenFrom(store.db, null, game, now), game, now),
    board,
  };
};

type PublicCall = Pick<Call, "now" | "services" | "timeLeft"> & {
  /** With `waiver`, the page also has the waiver, which is too long for what everybody reads again and again. */
  query: { waiver?: "true" | undefined };
};

/** The waiver for those who register; `null` if there is none. */
const publicWaiver = async (store: Store, game: Game) => {
  const [version] = game.settings.waiver_versions;
  if (version === undefined) return null;
  // Imported on demand: most games have no waiver.
  const [{ asksOf }, { readWaiver }] = await Promise.all([
    import("../waiver/answers.ts"),
    import("../../store/waiver/texts.ts"),
  ]);
  const text = await readWaiver(store.db, version);
  if (text === null) return null;
  const { minimum_age, keep_signatures_days } = game.settings;
  return { version, text, waiver_ask: asksOf(game), minimum_age, keep_signatures_days };
};

/**
 * Makes the function that reads the public page. Texts, counts and the board may be some fifteen seconds old, unless the
 * game has changed since; the rest is current. It throws the DomainError `unavailable`.
 * @param parse parses what is stored of the page; throws if that does not fit
 */
export const publicPageReader = <B extends object>(parse: (stored: unknown) => PublicPart<B>) => {
  const sharedPart = sharedResult<PublicPart<B | Board>>({ key: keys.publicPage, parse, format: 2 });
  return async ({ now, query, services, timeLeft }: PublicCall) => {
    const { store, clock, joinCodeRequired, mail } = services;
    const game = await store.shownGame(now);
    const { texts, counts, board } = await sharedPart({ store, game, clock }, () =>
      compute(services, game, clock(), timeLeft),
    );
    return {
      name: game.settings.name,
      ...texts,
      ...scheduleView(game, now),
      situation: situationOf(game, now, hasBegun(counts)),
      ...resultOf(game, now),
      paused: game.paused_at !== null,
      counts,
      registration: registrationOf(game, now),
      registration_closes_at: nullableRfc3339(game.settings.registration_closes_at),
      needs_join_code: needsJoinCode(game, joinCodeRequired),
      has_waiver: game.settings.waiver_versions.length > 0,
      ...(query.waiver === undefined ? {} : { waiver: await publicWaiver(store, game) }),
      sends_mail: mail !== null,
      board: game.settings.public_board ? board : null,
    };
  };
};
