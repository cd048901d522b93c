/**
 * The recaps of past seasons (decision 131). A recap is compressed and split into parts, because an item has at most 400 KB; the
 * players are in sixteen parts by their ids, so that one's own line is one small read. All of it is written in one transaction.
 */
import * as z from "zod/mini";
import { SEASON_RESULTS } from "../../domain/game/seasonResult.ts";
import { MissionResult } from "../../domain/missions/mission.ts";
import { State } from "../../domain/players/player.ts";
import { integer, nullableInteger, nullableText, number, text, textList } from "../../domain/schemas.ts";
import type { Database, StoredItem } from "../../dynamodb/database.ts";
import { withoutKeys } from "../items.ts";
import { keys, SEASONS_LIST } from "../keys.ts";
import { entries, readAll } from "../lists.ts";
import { packJson, unpackJson } from "../packedJson.ts";

/** Far less than an item may have. */
const MAX_PART_BYTES = 300_000;

const Numbers = z.object({
  total: integer,
  humans: integer,
  zombies: integer,
  corpses: integer,
  spectators: integer,
});

/** A season in the list. Times are RFC 3339. */
const SeasonFields = z.object({
  season_id: text,
  name: text,
  started_at: nullableText,
  ended_at: text,
  result: z.nullable(z.enum(SEASON_RESULTS)),
  note: nullableText,
  counts: Numbers,
});
const PastSeason = z.extend(SeasonFields, {
  /** How many parts the body has. */
  parts: integer,
});
export type PastSeason = z.infer<typeof PastSeason>;

/** What a season was for one player. */
const PlayerLine = z.object({
  player_id: text,
  state: State,
  kills: integer,
  points: integer,
  infected_at: nullableText,
  died_at: nullableText,
});
export type PlayerLine = z.infer<typeof PlayerLine>;

const award = { value: z.nullable(number), at: nullableText, winners: textList };
const Award = z.nullable(z.object(award));

/** What a season was for everybody. Players are ids; `null` for accounts that were deleted before. */
const RecapBody = z.object({
  curve: z.array(
    z.object({ from: text, humans: integer, zombies: integer, corpses: integer, hunts: integer }),
  ),
  tree: z.array(
    z.object({
      player: nullableText,
      /** The place of the parent in this list. */
      parent: nullableInteger,
      infected_at: text,
      kills: integer,
    }),
  ),
  awards: z.object({
    most_kills: Award,
    longest_survivor: Award,
    longest_chain: z.nullable(z.object({ ...award, chain: textList })),
    most_meals_shared: Award,
    most_points: Award,
    first_tag: Award,
    last_human: Award,
  }),
  given: z.array(z.object({ title: text, player_id: text, text })),
  missions: z.array(
    z.object({ title: text, starts_at: text, ends_at: text, result: MissionResult, note: nullableText }),
  ),
});
export type RecapBody = z.infer<typeof RecapBody>;

export interface Recap {
  season: z.infer<typeof SeasonFields>;
  body: RecapBody;
  players: PlayerLine[];
}

const SHARDS = "0123456789abcdef";
const shardOf = (playerId: string): string => playerId.slice(0, 1);

/** The items of a recap: for 5,000 players some half a megabyte. */
export const recapItems = async ({ season, body, players }: Recap): Promise<StoredItem[]> => {
  const { season_id: id } = season;
  const data = await packJson(body);
  const parts = Math.max(1, Math.ceil(data.length / MAX_PART_BYTES));
  const byShard = Map.groupBy(players, (one) => shardOf(one.player_id));
  const lines = await Promise.all(
    [...SHARDS].map(async (shard) => ({
      ...keys.seasonPlayers(id, shard),
      data: await packJson(byShard.get(shard) ?? []),
    })),
  );
  return [
    ...Array.from({ length: parts }, (_, at) => ({
      ...keys.seasonPart(id, at),
      data: data.subarray(at * MAX_PART_BYTES, (at + 1) * MAX_PART_BYTES),
    })),
    ...lines,
    { ...season, parts, ...keys.season(id) },
  ];
};

const bytesOf = (item: StoredItem | undefined): Uint8Array =>
  item?.data instanceof Uint8Array ? item.data : new Uint8Array();

const parseLines = async (item: StoredItem | undefined): Promise<PlayerLine[]> =>
  item === undefined ? [] : z.array(PlayerLine).parse(await unpackJson(bytesOf(item)));

const parsePastSeason = (item: StoredItem): PastSeason => PastSeason.parse(withoutKeys(item));

/** The latest seasons, the latest first. */
export const readSeasons = async (db: Database, most: number): Promise<PastSeason[]> => {
  const seasons: PastSeason[] = [];
  const list = { partition: () => SEASONS_LIST, shards: 1, descending: true };
  for await (const { item } of entries(db, list, most)) {
    seasons.push(parsePastSeason(item));
    if (seasons.length === most) break;
  }
  return seasons;
};

/** @returns `null` for a season that does not exist */
export const readSeason = async (db: Database, id: string): Promise<PastSeason | null> => {
  const item = await db.get(keys.season(id));
  return item === undefined ? null : parsePastSeason(item);
};

/** What these seasons were for a player, by their ids. */
export const readOwnLines = async (
  db: Database,
  seasons: readonly PastSeason[],
  playerId: string,
): Promise<Map<string, PlayerLine>> => {
  const shard = shardOf(playerId);
  const wanted = seasons.map(({ season_id }) => keys.seasonPlayers(season_id, shard));
  const items = wanted.length === 0 ? [] : await db.getMany(wanted);
  const byPk = new Map(items.map((item) => [item.pk, item]));
  const found = await Promise.all(
    seasons.map(async ({ season_id }) => {
      const lines = await parseLines(byPk.get(keys.seasonPlayers(season_id, shard).pk));
      return [season_id, lines.find((one) => one.player_id === playerId)] as const;
    }),
  );
  return new Map(found.flatMap(([id, line]) => (line === undefined ? [] : [[id, line] as const])));
};

/** The whole recap of a season. */
export const readRecap = async (db: Database, season: PastSeason): Promise<Omit<Recap, "season">> => {
  const { season_id: id, parts } = season;
  const partKeys = Array.from({ length: parts }, (_, at) => keys.seasonPart(id, at));
  const lineKeys = [...SHARDS].map((shard) => keys.seasonPlayers(id, shard));
  const items = await db.getMany([...partKeys, ...lineKeys]);
  const bySk = new Map(items.map((item) => [item.sk, item]));
  const data = Buffer.concat(partKeys.map(({ sk }) => bytesOf(bySk.get(sk))));
  const players = await Promise.all(lineKeys.map(({ sk }) => parseLines(bySk.get(sk))));
  return { body: RecapBody.parse(await unpackJson(data)), players: players.flat() };
};

const PastName = z.object({ sk: text, alias: text });

/** The aliases of those who want to be named in past seasons, by player id. */
export const readPastNames = async (db: Database): Promise<Map<string, string>> => {
  const list = { partition: () => keys.pastName("").pk, shards: 1 };
  const items = await readAll(db, list, 1_000);
  return new Map(
    items.map((item) => {
      const { sk, alias } = PastName.parse(item);
      return [sk, alias];
    }),
  );
};
