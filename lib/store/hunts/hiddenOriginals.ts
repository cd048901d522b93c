/**
 * The original zombies that are hidden from a viewer, for lists, counts and the tree. Indexes contain the true states, so
 * the entries of hidden originals are replaced by what others see. While originals are not hidden, nothing is read;
 * otherwise their list and the players on it.
 */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import { type Player, stateOf } from "../../domain/players/player.ts";
import { byCounter, COUNTERS, counterOf, STATE_NAMES } from "../../domain/players/states.ts";
import {
  hiddenSince,
  hidesOriginalsFrom,
  maySeeSecrets,
  publicPlay,
  shownInteraction,
  type Viewer,
} from "../../domain/players/visibility.ts";
import { text } from "../../domain/schemas.ts";
import type { Database, StoredItem } from "../../dynamodb/database.ts";
import { type Counts, idOf, parseInteraction, parsePlayer, playerItem } from "../items.ts";
import { keys } from "../keys.ts";
import { compareBytes, type Entry, type List, readAll } from "../lists.ts";

/** A hidden original zombie: the true player, and the player as the viewer sees them. */
export interface HiddenOriginal {
  player: Player;
  shown: Player;
}

export interface HiddenOriginals {
  /** By player id. */
  players: ReadonlyMap<string, HiddenOriginal>;
  /** The infections with which their lives began. */
  infections: ReadonlySet<string>;
}

/** The life of an original zombie who was hidden when it began. */
const Original = z.object({ infection_id: text, player_id: text, since: text });
const parseOriginal = (item: StoredItem): z.infer<typeof Original> => Original.parse(item);

/** The lives of originals that were hidden when they began. */
const ORIGINALS: List = {
  partition: () => keys.original("").pk,
  shards: 1,
  consistent: true,
  after: keys.original("").sk,
  before: keys.original("~").sk,
};

export const NOBODY_HIDDEN: HiddenOriginals = { players: new Map(), infections: new Set() };

/**
 * Reads the hidden originals; later calls return the same result. Call it after reading a list, so that players who are
 * hidden in the meantime are included.
 */
export type LoadHidden = () => Promise<HiddenOriginals>;

/** Returns the function that reads the originals hidden from a viewer; `undefined` if none can be hidden from them. */
export const hiddenFrom = (db: Database, viewer: Viewer, game: Game, now: number): LoadHidden | undefined => {
  const since = maySeeSecrets(viewer) ? null : hiddenSince(game, now);
  if (since === null) return undefined;
  const read = async (): Promise<HiddenOriginals> => {
    const listed = (await readAll(db, ORIGINALS, 100)).map(parseOriginal);
    const others = listed.filter(
      (original) => original.since >= since && original.player_id !== viewer?.player_id,
    );
    if (others.length === 0) return NOBODY_HIDDEN;
    const ids = new Set(others.map(({ player_id }) => player_id));
    const items = await db.getMany([...ids].map(keys.player));
    const players = items.map((item): [string, HiddenOriginal] => {
      const player = parsePlayer(item);
      return [player.player_id, { player, shown: publicPlay(player, game, now) }];
    });
    return {
      players: new Map(players),
      infections: new Set(others.map(({ infection_id }) => infection_id)),
    };
  };
  let loaded: Promise<HiddenOriginals> | undefined;
  return () => {
    loaded ??= read();
    return loaded;
  };
};

/** In a list of players, moves hidden originals to the positions that they would have as others see them. */
export async function* shownEntries(
  source: AsyncIterable<Entry>,
  { index, after = "" }: Pick<List, "index" | "after">,
  load: LoadHidden,
): AsyncGenerator<Entry> {
  let hidden = NOBODY_HIDDEN;
  let replacements: Entry[] | undefined;
  const start = async (): Promise<Entry[]> => {
    hidden = await load();
    return [...hidden.players.values()]
      .map(({ shown }) => playerItem(shown))
      .flatMap((item) => {
        const position = item[`${index}sk`];
        return typeof position === "string" && compareBytes(position, after) > 0 ? [{ position, item }] : [];
      })
      .sort((one, other) => compareBytes(one.position, other.position));
  };
  for await (const entry of source) {
    replacements ??= await start();
    if (hidden.players.has(idOf(entry.item))) continue;
    while (replacements[0] !== undefined && compareBytes(replacements[0].position, entry.position) < 0)
      yield* replacements.splice(0, 1);
    yield entry;
  }
  yield* replacements ?? (await start());
}

/** A list of all accounts with hidden originals as others see them. */
export const shownRoster = async (items: readonly StoredItem[], load: LoadHidden): Promise<StoredItem[]> => {
  const { players } = await load();
  return items.map((item) => {
    const hidden = players.get(idOf(item));
    return hidden === undefined ? item : playerItem(hidden.shown);
  });
};

/** The interactions that a viewer may see. */
export async function* visibleEntries(
  source: AsyncIterable<Entry>,
  viewer: Viewer,
  game: Game,
  now: number,
): AsyncGenerator<Entry> {
  const isHiding = hidesOriginalsFrom(viewer, game, now);
  for await (const entry of source) {
    const mayBeHidden = isHiding || entry.item.is_private === true;
    if (!mayBeHidden || shownInteraction(parseInteraction(entry.item), viewer, game, now) !== null)
      yield entry;
  }
}

/** The counts of players by state with hidden originals as others see them. */
export const shownCounts = async (
  counts: Counts & { total: number },
  load: LoadHidden | undefined,
  game: Game,
  now: number,
): Promise<Counts & { total: number }> => {
  const { players } = (await load?.()) ?? NOBODY_HIDDEN;
  if (players.size === 0) return counts;
  const corrections = byCounter(STATE_NAMES, () => 0);
  for (const { player, shown } of players.values()) {
    corrections[counterOf(stateOf(player, game, now))] -= 1;
    corrections[counterOf(stateOf(shown, game, now))] += 1;
  }
  const shown = { ...counts };
  // An original may have changed after the counters were read, so prevent negative counts.
  for (const name of COUNTERS) shown[name] = Math.max(0, counts[name] + corrections[name]);
  return shown;
};
