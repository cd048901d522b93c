/** The store: the reads and writes of the game on one table. */
import { playerNotFound } from "../domain/domainError.ts";
import { type Game, NEW_GAME } from "../domain/game/game.ts";
import { type GameTexts, NO_TEXTS } from "../domain/game/settings.ts";
import type { Player } from "../domain/players/player.ts";
import { DAY, SECOND } from "../domain/time.ts";
import type { Database, ReadOptions } from "../dynamodb/database.ts";
import { commit } from "./commit.ts";
import { apply, type DecideOptions, type Decision, decide } from "./decide.ts";
import { interactionReads } from "./hunts/interactionReads.ts";
import { type LogEntry, logItem, parseGame, parseIfFound, parseTexts } from "./items.ts";
import { keys } from "./keys.ts";
import { listReads } from "./listReads.ts";
import { randomShard } from "./lists.ts";
import { playerReads } from "./playerReads.ts";
import { keepShownGame } from "./shownGame.ts";

/**
 * Opens the store of one table.
 * @param options.shownGameMs how long this process shows a game that it has read, in milliseconds; a second by default
 */
export const openStore = (database: Database, { shownGameMs }: { shownGameMs?: number } = {}) => {
  const readGame = async (options?: ReadOptions): Promise<Game> =>
    parseIfFound(await db.get(keys.game, options), parseGame) ?? NEW_GAME;
  const { watched, shown, shownTo } = keepShownGame(readGame, shownGameMs);
  const db = watched(database);
  const players = playerReads(db);

  /**
   * The game, read again if one of these players was written by a command that had read a newer version of it: then the
   * player's `seen` is higher than the game's `rev`.
   * @param game the game as read with the players
   */
  const gameFor = async (game: Game, ...readPlayers: (Player | null)[]): Promise<Game> => {
    const newest = Math.max(0, ...readPlayers.map((player) => player?.seen ?? 0));
    return newest > game.rev ? readGame() : game;
  };

  return {
    db,

    game: readGame,

    /** The state of the game for display only, which may be a second old. */
    shownGame: shown,

    /** The same for one player, read again if the player may know more. */
    shownGameTo: shownTo,

    gameFor,

    /** A player and the game, which is at least as new. @throws DomainError `player_not_found` */
    async playerWithGame(playerId: string): Promise<{ player: Player; game: Game }> {
      const [player, game] = await Promise.all([players.player(playerId), readGame()]);
      if (player === null) throw playerNotFound();
      return { player, game: await gameFor(game, player) };
    },

    texts: async (options?: ReadOptions): Promise<GameTexts> =>
      parseIfFound(await db.get(keys.texts, options), parseTexts) ?? NO_TEXTS,

    ...players,
    ...listReads(db),
    ...interactionReads(db),

    /** Writes a log entry on its own, for a call that changes nothing else. */
    async log(game: Game, entry: LogEntry): Promise<void> {
      await db.put(logItem(entry, randomShard(game)));
    },

    /**
     * Makes the write of an attempt at an unknown account, in place of a log entry. It takes as long, so that the time of a
     * response does not tell whether there is an account, and always writes the same item. @param now in ms since 1970
     */
    async passOverEntry(now: number): Promise<void> {
      await db.put({ ...keys.unknownAttempt, expires: Math.ceil((now + DAY) / SECOND) });
    },

    decide: <R>(attempt: (isRetry: boolean) => Promise<Decision<R>>, options: DecideOptions<R>) =>
      decide(db, attempt, options),

    apply: <R>(
      attempt: (isRetry: boolean) => Promise<Decision<R>>,
      options: Parameters<typeof apply<R>>[2],
    ) => apply(db, attempt, options),

    commit: (writes: Parameters<typeof commit>[1], timeLeft: () => number) => commit(db, writes, timeLeft),
  };
};

export type Store = ReturnType<typeof openStore>;
