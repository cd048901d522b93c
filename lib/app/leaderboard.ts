/** The leaderboards: zombies by their kills, and humans by how long they have survived. */
import * as z from "zod/mini";
import { invalidRequest } from "../domain/domainError.ts";
import type { Game } from "../domain/game/game.ts";
import { killsTie, type Place, placeBelow, survivedSince } from "../domain/players/leaderboard.ts";
import { State, stateOf } from "../domain/players/player.ts";
import { rfc3339 } from "../domain/time.ts";
import { makeCursor, readCursor } from "../http/cursors.ts";
import type { ReadCallOf as ReadCall } from "../http/definition.ts";
import { wholeNumber } from "../http/fields.ts";
import { IDENTITY_FIELDS, Timestamp } from "../http/views.ts";
import { hiddenFrom, type LoadHidden } from "../store/hunts/hiddenOriginals.ts";
import { parseKillsEntry } from "../store/items.ts";
import { compareBytes } from "../store/lists.ts";
import type { Store } from "../store/store.ts";
import { identityOf } from "./shown.ts";

export const LeaderboardQuery = z.strictObject({
  board: z._default(z.enum(["kills", "survivors"]), "kills"),
  limit: wholeNumber(1, 1_000, 100),
  cursor: z.optional(z.string().check(z.maxLength(4_000))),
  around: z.optional(z.literal("me")),
});
type LeaderboardQuery = z.infer<typeof LeaderboardQuery>;

const OptionalTime = z.optional(z.nullable(Timestamp));

const LeaderBoardPlayer = z.object({
  rank: z.int(),
  ...IDENTITY_FIELDS,
  alias: z.string(),
  state: State,
  kills: z.int(),
  /** Only on the board of kills. */
  infected_at: OptionalTime,
  last_kill_at: OptionalTime,
  /** Only on the board of survivors. */
  survived_since: z.optional(Timestamp),
});
type LeaderBoardPlayer = z.infer<typeof LeaderBoardPlayer>;

export const Leaderboard = z.object({
  players: z.array(LeaderBoardPlayer),
  /** Only with `around`; `null` for a player who is not on the board. */
  rank: z.optional(z.nullable(z.int())),
  next_cursor: z.nullable(z.string()),
});

type LeaderboardCall = ReadCall<"player", LeaderboardQuery, z.infer<typeof Leaderboard>>;

/** A player on a board, with their position in its order. */
interface Standing {
  position: string;
  tie: string;
  id: string;
  shown: Omit<LeaderBoardPlayer, "rank">;
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

const Last = z.object({ position: z.string(), tie: z.string(), rank: z.int(), place: z.int() });
type Last = z.infer<typeof Last>;

type Placed = Standing & Place;

/** A page of a board after a position, or with `around`, a player id, the page with that player in the middle. */
const readBoard = async (
  source: AsyncIterable<Standing>,
  from: Last | null,
  { limit, around }: { limit: number; around: string | null },
): Promise<{ page: Placed[]; last: Last | null }> => {
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

/** A page of a leaderboard. @throws DomainError `invalid_request` for a bad cursor */
export const readLeaderboard = async (call: LeaderboardCall): Promise<z.infer<typeof Leaderboard>> => {
  const { game, now, player, query, services } = call;
  const { board, limit, cursor } = query;
  const around = query.around === undefined ? null : player.player_id;
  if (around !== null && cursor !== undefined)
    throw invalidRequest({ path: "cursor", message: "cannot be combined with around" });
  const scope = { list: "leaderboard", filters: { board } };
  const position = await readCursor(services, scope, cursor);
  const from = position === undefined ? null : Last.parse(JSON.parse(position));
  const read = board === "kills" ? byKills : bySurvival;
  // The caller may be anywhere on the board.
  const expected = around === null ? limit + 1 : 1_000;
  const hidden = hiddenFrom(services.store.db, player, game, now);
  const source = read(services.store, game, now, { expected, after: from?.position, hidden });
  const { page, last } = await readBoard(source, from, { limit, around });
  const own = page.find(({ id }) => id === around);
  return {
    players: page.map(({ rank, shown }) => ({ ...shown, rank })),
    ...(around === null ? {} : { rank: own?.rank ?? null }),
    next_cursor: await makeCursor(services, scope, last && JSON.stringify(Last.parse(last))),
  };
};
