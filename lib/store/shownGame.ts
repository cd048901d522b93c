/**
 * The game item for display. Every request needs it, but one item serves 3,000 read units a second, so a process reads it
 * at most once a second for display (decision 75). Commands and workers read it themselves.
 */
import type { Game } from "../domain/game/game.ts";
import { livingZombie, type Player } from "../domain/players/player.ts";
import { SECOND } from "../domain/time.ts";
import { type Database, keyOfWrite, type ReadOptions } from "../dynamodb/database.ts";
import type { Key } from "../dynamodb/key.ts";
import { keys } from "./keys.ts";

/** How long a process shows a game that it has read, in milliseconds. */
export const SHOWN_GAME_MS = SECOND;

/** When the read of a game for display began, in milliseconds since 1970. A copy of the game has it too. */
const READ_AT = Symbol("read at");

/** A game for display, which may be outdated. {@link CurrentGame} excludes it, and `writesOf` rejects it. */
export type ShownGame = Game & { readonly [READ_AT]: number };

/** A game that a command may depend on. */
export type CurrentGame = Game & { readonly [READ_AT]?: never };

/** Whether a game was read for display. */
export const isShownGame = (game: Game): boolean => READ_AT in game;

const isGame = ({ pk, sk }: Key): boolean => pk === keys.game.pk && sk === keys.game.sk;

/**
 * Keeps the game for display.
 * @param readGame reads the game item
 * @param maxAgeMs how long a game that was read is shown, in milliseconds
 */
export const keepShownGame = (
  readGame: (options: ReadOptions) => Promise<Game>,
  maxAgeMs: number = SHOWN_GAME_MS,
) => {
  let kept: { game: Promise<ShownGame>; at: number } | undefined;
  /** The least `rev` that may be shown. An eventually consistent read may return a lower one. */
  let least = 0;
  let writes = 0;

  const read = async (at: number): Promise<ShownGame> => {
    const before = writes;
    let game = await readGame({ consistent: false });
    if (game.rev < least) game = await readGame({ consistent: true });
    // A write that has ended meanwhile may not be in it.
    if (writes === before) least = game.rev;
    return { ...game, [READ_AT]: at };
  };

  const renew = (now: number): Promise<ShownGame> => {
    const begun = { game: read(now), at: now };
    kept = begun;
    begun.game.catch(() => {
      if (kept === begun) kept = undefined;
    });
    return begun.game;
  };

  /** Runs a call that may write the game item. What was read before its end is not shown to later requests. */
  const write = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } finally {
      kept = undefined;
      writes += 1;
      // A consistent read is needed: the new `rev` is not known here.
      least = Number.POSITIVE_INFINITY;
    }
  };

  return {
    /** The game as it was at most `maxAgeMs` before `now` (ms since 1970). Concurrent calls share one read. */
    shown(now: number): Promise<ShownGame> {
      // If the clock was set back, the age would be negative.
      if (kept !== undefined && kept.at <= now && now < kept.at + maxAgeMs) return kept.game;
      return renew(now);
    },

    /**
     * The game for display to this player. It is read again if the player was written by a command that had read a newer
     * one, or if it was read before this request and the player is a game master or moderator, who may have changed the
     * game just now, or a zombie whom it would tell that they have starved.
     * @param game the result of `shown`
     * @param now when the request arrived, in milliseconds since 1970
     */
    async shownTo(game: ShownGame, player: Player, now: number): Promise<ShownGame> {
      const { is_admin, is_moderator, seen, state } = player;
      least = Math.max(least, seen);
      const isCritical =
        is_admin || is_moderator || (state === "zombie" && livingZombie(player, game, now) === null);
      return seen > game.rev || (isCritical && game[READ_AT] < now) ? renew(now) : game;
    },

    /** The same database; after a call that may write the game item, it is read again. */
    watched: (db: Database): Database => ({
      ...db,
      put: (item, expect) => (isGame(item) ? write(() => db.put(item, expect)) : db.put(item, expect)),
      transact: (writes, token) =>
        writes.map(keyOfWrite).some(isGame)
          ? write(() => db.transact(writes, token))
          : db.transact(writes, token),
      // A statement may write any item.
      execute: (statement, options) => write(() => db.execute(statement, options)),
    }),
  };
};
