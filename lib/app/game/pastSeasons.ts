/** The recaps of seasons as players may read them: those who have agreed to it are named, the others are "a player". */
import { DomainError } from "../../domain/domainError.ts";
import { isFinal } from "../../domain/game/finish.ts";
import { MINUTE } from "../../domain/time.ts";
import type { VisitorCall } from "../../lambda/call.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import {
  type PlayerLine,
  type Recap,
  readOwnLines,
  readPastNames,
  readRecap,
  readSeason,
  readSeasons,
} from "../../store/seasons/recaps.ts";
import type { Store } from "../../store/store.ts";
import { makeRecap } from "./recap.ts";

/** The most seasons that are listed, and players on the board. */
const MAX_SEASONS = 50;
const MAX_BOARD = 50;

const lineView = ({ player_id: _, ...line }: PlayerLine) => line;

const seasonView = (season: Recap["season"], own: PlayerLine | undefined) => ({
  ...season,
  own: own === undefined ? null : lineView(own),
});

/** The past seasons, the latest first, with the own line of each of a caller who is known. */
export const listSeasons = async ({ player, services: { store } }: VisitorCall) => {
  const seasons = await mapBusyToUnavailable(readSeasons(store.db, MAX_SEASONS));
  const own: ReadonlyMap<string, PlayerLine> =
    player === null
      ? new Map()
      : await mapBusyToUnavailable(readOwnLines(store.db, seasons, player.player_id));
  return { seasons: seasons.map((season) => seasonView(season, own.get(season.season_id))) };
};

const CACHE_MS = MINUTE;
type Kept = Readonly<{ id: string; rev: number; at: number; recap: Promise<Recap | null> }>;
/** The last recap that a process has read. */
const cache = new WeakMap<Store, Kept>();

/** A recap, up to a minute old: everybody opens the same one when a season is over, and without a token anybody may. */
const keptRecap = (
  { game: { rev }, now, services: { store } }: VisitorCall,
  id: string,
  load: () => Promise<Recap | null>,
): Promise<Recap | null> => {
  const kept = cache.get(store);
  if (kept?.id === id && kept.rev === rev && kept.at <= now && now < kept.at + CACHE_MS) return kept.recap;
  const recap = load();
  cache.set(store, { id, rev, at: now, recap });
  recap.catch(() => cache.delete(store));
  return recap;
};

/** The present season, if its result is known; a past one otherwise. @throws DomainError `not_found` */
const findRecap = async (call: VisitorCall, id: string): Promise<Recap> => {
  const { game, now, services } = call;
  const { store } = services;
  if (isFinal(game, now) && game.finish?.season_id === id) {
    const recap = await keptRecap(call, id, () =>
      makeRecap(store, game, { seasonId: id, now, timeLeft: call.timeLeft }),
    );
    if (recap !== null) return recap;
  }
  const season = await mapBusyToUnavailable(readSeason(store.db, id));
  if (season === null) throw new DomainError("not_found", "There is no such season.");
  const load = async (): Promise<Recap> => ({ season, ...(await readRecap(store.db, season)) });
  return (await mapBusyToUnavailable(keptRecap(call, id, load))) ?? load();
};

/** The order of those with as many tags and points. Players without a name and with the same line look the same. */
const tieOf = ({ infected_at, died_at, state }: PlayerLine, alias: string | null): string =>
  [infected_at ?? "~", died_at ?? "~", state, alias ?? "~"].join(" ");

/** The players with the most tags. */
const boardOf = (players: readonly PlayerLine[], nameOf: (id: string) => string | null) =>
  players
    .map((line) => {
      const alias = nameOf(line.player_id);
      return { line, alias, tie: tieOf(line, alias) };
    })
    .toSorted(
      (one, other) =>
        other.line.kills - one.line.kills ||
        other.line.points - one.line.points ||
        (one.tie < other.tie ? -1 : 1),
    )
    .slice(0, MAX_BOARD)
    .map(({ line, alias }) => ({ ...lineView(line), alias }));

/** The recap of a season. @throws DomainError `not_found` */
export const readPastSeason = async (call: VisitorCall, id: string) => {
  const { player, services } = call;
  const [{ season, body, players }, names] = await Promise.all([
    findRecap(call, id),
    mapBusyToUnavailable(readPastNames(services.store.db)),
  ]);
  /** Everybody knows themselves. */
  const nameOf = (of: string | null): string | null =>
    of === null ? null : of === player?.player_id ? player.alias : (names.get(of) ?? null);
  const { awards } = body;
  const awardView = <A extends { winners: string[] }>(award: A | null) =>
    award === null
      ? null
      : {
          ...award,
          winners: award.winners.flatMap((one) => nameOf(one) ?? []).toSorted(),
          count: award.winners.length,
        };
  const chain = awardView(awards.longest_chain);
  return {
    ...seasonView(
      season,
      players.find(({ player_id }) => player_id === player?.player_id),
    ),
    curve: body.curve,
    tree: body.tree.map(({ player: of, ...node }) => ({ ...node, alias: nameOf(of) })),
    board: boardOf(players, nameOf),
    missions: body.missions,
    awards: {
      given: body.given.map(({ player_id, ...one }) => ({ ...one, alias: nameOf(player_id) })),
      most_kills: awardView(awards.most_kills),
      longest_survivor: awardView(awards.longest_survivor),
      longest_chain:
        chain === null ? null : { ...chain, chain: (awards.longest_chain?.chain ?? []).map(nameOf) },
      most_meals_shared: awardView(awards.most_meals_shared),
      most_points: awardView(awards.most_points),
      first_tag: awardView(awards.first_tag),
      last_human: awardView(awards.last_human),
    },
  };
};
