/** A new season: the accounts of the one before, and nothing that was played. */
import { type Game, NEW_GAME } from "./clock.ts";
import type { CommandContext } from "./outcome.ts";
import { INITIAL_PLAY_STATE, type Player } from "./player.ts";
import { asHuman } from "./transitions.ts";

const isNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : value === null || value === 0;

/** What tells of play, but for the state and the code that a human in play has. */
const { state: _state, tag_code: _code, code_since: _since, ...RECORD } = INITIAL_PLAY_STATE;

const hasNoRecord = (player: Player): boolean => Object.keys(RECORD).every((name) => isNothing(player[name]));

/**
 * Whether a player is as a season begins: a human whose code is of the season, or a spectator, with no record.
 * @param began when the season did, RFC 3339
 */
export const isReadyForSeason = (player: Player, began: string): boolean => {
  if (!hasNoRecord(player)) return false;
  if (player.state === "spectator") return player.tag_code === null;
  return player.state === "human" && (player.code_since ?? "") >= began;
};

/**
 * The player as a season begins: a human with a new tag code. A spectator stays one, for that is an account which
 * does not play: a game master's.
 * @param shard where their entries of lists are to lie
 */
export const resetForSeason = (player: Player, shard: number, moment: CommandContext): Player => {
  const unplayed = { ...player, ...INITIAL_PLAY_STATE, shard };
  return player.state === "spectator" ? unplayed : asHuman(unplayed, moment);
};

/**
 * The game as a season begins. Its `rev` counts on, for players remember it.
 * @param shards how many shards new entries of lists are spread over
 */
export const newSeason = (game: Game, shards: number): Game => ({
  ...game,
  ...NEW_GAME,
  rev: game.rev,
  shards,
});
