/** A new season: it keeps the accounts and resets everything else. */
import type { CommandContext } from "../outcome.ts";
import { HELD, INITIAL_PLAY_STATE, isPending, type Player } from "../players/player.ts";
import { asHuman } from "../players/transitions.ts";
import { WAITS } from "../waiver/waiver.ts";
import { type Game, NEW_GAME } from "./game.ts";
import type { Enrolment } from "./settings.ts";

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : value === null || value === 0;

/** The fields that record play: all but state and tag code, which a human has before playing. */
const { state: _, tag_code: _1, code_since: _2, human_since: _3, ...RECORD } = INITIAL_PLAY_STATE;

/** What game masters still have to decide about a player: those who left an earlier season do not come back to it. */
const reviewAfter = ({ review }: Player): Player["review"] =>
  review?.filter(({ kind }) => kind !== "returns");

const hasNoRecord = (player: Player): boolean =>
  player.before_checkpoint === undefined &&
  player.saw_secrets_at === undefined &&
  player.signed === undefined &&
  reviewAfter(player)?.length === player.review?.length &&
  Object.keys(RECORD).every((name) => isEmpty(player[name]));

/**
 * Whether a player is already reset: without recorded play, and a spectator or a human with a tag code of this season.
 * @param startedAt the start of the season, RFC 3339
 */
export const isReadyForSeason = (player: Player, startedAt: string): boolean => {
  if (!hasNoRecord(player)) return false;
  if (player.state === "spectator") return player.tag_code === null && player.held !== HELD.withdrawn;
  return player.state === "human" && player.code_since >= startedAt;
};

/**
 * Resets a player for a new season: a human with a new tag code, or with `opt_in` a spectator who may enrol. Spectators
 * (such as game masters who do not play) stay spectators, and players who wait to be admitted still wait.
 * @param shard the shard of the player's new list entries
 */
export const resetForSeason = (
  player: Player,
  shard: number,
  command: CommandContext,
  enrolment: Enrolment = "everyone",
): Player => {
  const held = isPending(player)
    ? { held: player.held, waits: player.waits && WAITS.signature }
    : { held: undefined };
  const ended = {
    before_checkpoint: undefined,
    returns: undefined,
    review: reviewAfter(player),
    saw_secrets_at: undefined,
    signed: undefined,
  };
  const reset = { ...player, ...INITIAL_PLAY_STATE, shard, ...held, ...ended };
  return player.state === "spectator" || enrolment === "opt_in" ? reset : asHuman(reset, command);
};

/**
 * Resets the game for a new season. Its `rev` keeps counting, because players store it. All settings stay except the
 * times of the season: the start, the end, the end of registration, and the reveal of original zombies.
 * @param shards the number of shards for new list entries
 */
export const newSeason = (game: Game, shards: number): Game => ({
  ...game,
  ...NEW_GAME,
  rev: game.rev,
  shards,
  settings: { ...game.settings, registration_closes_at: null, reveal_originals_at: null },
  settings_version: game.settings_version,
  schedule: game.schedule === null ? null : { ...game.schedule, starts_at: null, ends_at: null },
});
