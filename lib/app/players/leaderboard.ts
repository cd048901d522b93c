/** The leaderboards: zombies by their kills, humans by how long they have survived, and everybody by their points. */
import type { Game } from "../../domain/game/game.ts";
import {
  BoardPosition,
  killsTie,
  type Place,
  placeBelow,
  pointsOrder,
  survivedSince,
} from "../../domain/players/leaderboard.ts";
import { type State, stateOf } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { hiddenFrom, type LoadHidden } from "../../store/hunts/hiddenOriginals.ts";
import { parseKillsEntry } from "../../store/items.ts";
import { compareBytes } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { identityOf } from "../shown.ts";

/** A player on a board, with their position in its order. */
interface Standing {
  position: string;
  tie: string;
  id: string;
  shown: ReturnType<typeof identityOf> & {
    alias: string;
    state: State;
    kills: number;
    /** Only on the board of kills. */
    infected_at?: string | null;
    last_kill_at?: string | null;
    /** Only on the board of survivors. */
    survived_since?: string;
    /** Only on the board of points. */
    points?: number;
  };
}

/** The part of a board to read, and the original zombies that are hidden from its viewer. */
interface Range {
  expected: number;
  after: string | undefined;
  hidden: LoadHidden | undefined;
}

async function* byKills(
  store: Store,
  game: Game,
  now: number,
  { expected, after, hidden }: Range,
): AsyncGenerator<Standing> {
  for await (const { position, item } of store.killsEntries(game, expected, after, hidden)) {
    const entry = parseKillsEntry(item);
    const { player_id: id, alias, kills, infected_at, last_kill_at } = entry;
    const shown = { alias, kills, infected_at, last_kill_at };
    const state = stateOf(entry, game, now);
    yield { position, tie: killsTie(entry), id, shown: { ...identityOf(entry), ...shown, state } };
  }
}

/** Living humans, the longest survivor first. Reads the whole roster: one read unit for about forty accounts. */
async function* bySurvival(
  store: Store,
  game: Game,
  now: number,
  { after = "", hidden }: Range,
): AsyncGenerator<Standing> {
  const startsAt = game.schedule?.starts_at ?? null;
  const humans = (await store.roster(game, hidden)).filter((one) => stateOf(one, game, now) === "human");
  const standings = humans.map((human): Standing => {
    const { player_id: id, alias, kills, created_at, at = null } = human;
    const tie = rfc3339(survivedSince({ human_since: at, created_at }, startsAt));
    const shown = { ...identityOf(human), alias, state: "human" as const, kills, survived_since: tie };
    return { position: `${tie} ${id}`, tie, id, shown };
  });
  yield* standings
    .filter(({ position }) => position > after)
    .toSorted((one, other) => compareBytes(one.position, other.position));
}

/** Everybody with points, the most first. Reads the whole roster, like {@link bySurvival}. */
async function* byPoints(
  store: Store,
  game: Game,
  now: number,
  { after = "", hidden }: Range,
): AsyncGenerator<Standing> {
  const standings = (await store.roster(game, hidden)).flatMap((one): Standing[] => {
    const { player_id: id, alias, kills, points } = one;
    if (points === 0) return [];
    const tie = pointsOrder(points);
    const shown = { ...identityOf(one), alias, state: stateOf(one, game, now), kills, points };
    return [{ position: `${tie} ${id}`, tie, id, shown }];
  });
  yield* standings
    .filter(({ position }) => position > after)
    .toSorted((one, other) => compareBytes(one.position, other.position));
}

const SOURCES = { kills: byKills, survivors: bySurvival, points: byPoints };

export const BOARDS = ["kills", "survivors", "points"] as const;

type Placed = Standing & Place;

/** A page of a board after a position, or with `around`, a player id, the page with that player in the middle. */
const readBoard = async (
  source: AsyncIterable<Standing>,
  from: BoardPosition | null,
  { limit, around }: { limit: number; around: string | null },
): Promise<{ page: Placed[]; last: Placed | null }> => {
  const before = Math.floor((limit - 1) / 2);
  const page: Placed[] = [];
  let above: Place | null = from;
  let isFound = around === null;
  for await (const standing of source) {
    if (isFound && page.length === limit) return { page, last: page.at(-1) ?? null };
    const placed = { ...standing, ...placeBelow(above, standing.tie) };
    above = placed;
    page.push(placed);
    isFound ||= standing.id === around;
    if (!isFound && page.length > before) page.shift();
  }
  return { page: isFound ? page : [], last: null };
};

/**
 * A page of a leaderboard.
 * @param around whether the page has the caller in the middle, in place of a position
 * @param after the last player of the page before
 */
export const readLeaderboard = async (
  { game, now, player, services: { store } }: ReadCall,
  { board, limit, around }: { board: (typeof BOARDS)[number]; limit: number; around: boolean },
  after: string | undefined,
) => {
  const from = after === undefined ? null : BoardPosition.parse(JSON.parse(after));
  const middle = around ? player.player_id : null;
  // The caller may be anywhere on the board.
  const expected = around ? 1_000 : limit + 1;
  const hidden = hiddenFrom(store.db, player, game, now);
  const source = SOURCES[board](store, game, now, { expected, after: from?.position, hidden });
  const { page, last } = await readBoard(source, from, { limit, around: middle });
  const own = page.find(({ id }) => id === middle);
  return {
    players: page.map(({ rank, shown }) => ({ ...shown, rank })),
    ...(around ? { rank: own?.rank ?? null } : {}),
    next: last && JSON.stringify(BoardPosition.parse(last)),
  };
};
