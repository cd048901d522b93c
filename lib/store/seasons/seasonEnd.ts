/**
 * The end of the present season: what game masters award, and every time that it was finished. It has an item of its own,
 * because every request reads that of the game. A new season removes it.
 */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import { SEASON_RESULTS } from "../../domain/game/seasonResult.ts";
import { integer, nullableText, optionalText, text } from "../../domain/schemas.ts";
import type { Database, Write } from "../../dynamodb/database.ts";
import { parseIfFound, withoutKeys } from "../items.ts";
import { keys } from "../keys.ts";
import { shardOfId } from "../lists.ts";

/** An award that game masters give. */
const GivenAward = z.looseObject({ title: text, player_id: text, text });
export type GivenAward = z.infer<typeof GivenAward>;

/** A time that the season was finished. Times are RFC 3339. */
const FinishEntry = z.looseObject({
  at: text,
  by: text,
  result: z.enum(SEASON_RESULTS),
  note: nullableText,
  ended_at: text,
  final_at: text,
  /** The message that announces the result, and the shard of its item. */
  notification_id: text,
  shard: integer,
  /** Its interaction. Absent of earlier versions. */
  interaction_id: optionalText,
  reopened_at: optionalText,
  reopened_by: optionalText,
});
export type FinishEntry = z.infer<typeof FinishEntry>;

const SeasonEnd = z.looseObject({
  rev: integer,
  season_id: text,
  awards: z.array(GivenAward),
  /** The latest {@link MAX_ENTRIES}, the earliest first; the audit log has all. */
  finishes: z.array(FinishEntry),
});
export type SeasonEnd = z.infer<typeof SeasonEnd>;

/** The end of the season without the number of its writes. */
interface NewSeasonEnd {
  season_id: string;
  awards: GivenAward[];
  finishes: FinishEntry[];
}

/** An entry has up to two kilobytes. */
const MAX_ENTRIES = 20;

/** @returns `null` for a season that was never finished */
export const readSeasonEnd = async (db: Database, consistent = true): Promise<SeasonEnd | null> =>
  parseIfFound(await db.get(keys.seasonEnd, { consistent }), (item) => SeasonEnd.parse(withoutKeys(item)));

/** The write of the end of the season, on condition that it is as it was read. Counts `rev`. */
export const seasonEndWrite = (before: SeasonEnd | null, after: NewSeasonEnd): Write => ({
  put: {
    ...after,
    finishes: after.finishes.slice(-MAX_ENTRIES),
    rev: (before?.rev ?? 0) + 1,
    ...keys.seasonEnd,
  },
  expect: before === null ? "absent" : { rev: before.rev },
});

/** The write that takes the result out of the interaction of a finish whose result nobody was told. */
export const untoldResultWrites = (
  { interaction_id: id }: FinishEntry,
  { shards }: Pick<Game, "shards">,
): Write[] =>
  id === undefined
    ? []
    : [{ set: keys.interaction(shardOfId(id, shards), id), to: { season: { is: "finish" } }, by: {} }];
