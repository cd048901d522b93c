/**
 * Players who delete their accounts during play. Until they come back, their game data stays; everything personal goes
 * with the account (decision 85).
 */
import * as z from "zod/mini";
import { DomainError } from "../domainError.ts";
import { Checkpoint, type Game, phaseOf } from "../game/game.ts";
import { CHECKPOINT_OUTCOMES } from "../game/settings.ts";
import { HELD, type Player, type StoredPlayer } from "../players/player.ts";
import { integer, optionalText, text, textList } from "../schemas.ts";
import { rfc3339 } from "../time.ts";

/** What is stored about a player who has left, until they come back or the season ends. */
export const Departure = z.lazy(() =>
  z.looseObject({
    /** Also the id of the departure. */
    player_id: text,
    left_at: text,
    /** The keyed hash of the last alias: another one is a renaming. */
    alias_hash: optionalText,
    /** The job that enforced a checkpoint when the player left; it may not have reached them. */
    during: optionalText,
    /** The fields of the player that are not personal. */
    player: z.record(text, z.unknown()),
  }),
);
export type Departure = z.infer<typeof Departure>;

/** Whether a field of the player is personal: it goes with the account. The others stay until the player is back. */
const IS_PERSONAL: Readonly<Record<keyof typeof StoredPlayer.shape, boolean>> = {
  player_id: false,
  rev: false,
  seen: false,
  shard: false,
  alias: true,
  first_name: true,
  last_name: true,
  email: true,
  email_confirmed: true,
  pending_email: true,
  is_admin: true,
  is_moderator: true,
  state: false,
  tag_code: false,
  code_since: false,
  kills: false,
  last_kill_at: false,
  infection_id: false,
  infected_at: false,
  infected_by: false,
  infected_by_original_since: false,
  cover: false,
  wants_original: false,
  named_in_past: true,
  last_fed_at: false,
  deadline: false,
  epoch: false,
  checkpoint_id: false,
  passed_at: false,
  has_pfp: true,
  picture_hash: true,
  created_at: false,
  misses: false,
  push_kinds: true,
  mail_kinds: true,
  push_off_at: true,
  meals: false,
  latest_kills: false,
  former_aliases: true,
  former_addresses: true,
  held: false,
  signed: true,
  waits: true,
  review: false,
  saw_secrets_at: false,
  reported: false,
  returns: false,
  renamed_at: false,
  appointed_at: false,
  human_since: false,
  labels: true,
  note: true,
  before_checkpoint: false,
  points: false,
  badges: false,
  antidote: false,
};

const fieldsThat = (arePersonal: boolean): string[] =>
  Object.entries(IS_PERSONAL).flatMap(([name, isPersonal]) => (isPersonal === arePersonal ? [name] : []));

export const PERSONAL: readonly string[] = fieldsThat(true);
const KEPT: readonly string[] = fieldsThat(false);

const isInProgress = (game: Game, now: number): boolean => ["running", "paused"].includes(phaseOf(game, now));

/** Whether a player who leaves now leaves the game in progress: they play, or a game master took them out of play. */
const isLeavingPlay = (player: Player, game: Game, now: number): boolean =>
  (player.state !== "spectator" || player.held === HELD.withdrawn) && isInProgress(game, now);

/**
 * Whether a new account would be an advantage over this one. Outside play, that is so for all but humans who were never
 * infected: the start of a game can be postponed, and its end too.
 */
const hasPast = (player: Player, game: Game, now: number): boolean => {
  const { state, held, saw_secrets_at, infected_at, kills, review = [] } = player;
  if (state === "spectator")
    return (
      held === HELD.withdrawn || saw_secrets_at !== undefined || (held === HELD.pending && review.length > 0)
    );
  return isInProgress(game, now) || state !== "human" || infected_at !== null || kills > 0;
};

/**
 * The departure of a player who leaves now.
 * @param player with a due starvation applied
 * @returns `null` if a new account would be no advantage
 */
export const departureOf = (player: Player, game: Game, now: number): Departure | null => {
  if (!hasPast(player, game, now)) return null;
  return {
    player_id: player.player_id,
    left_at: rfc3339(now),
    ...(game.enforcing === null ? {} : { during: game.enforcing }),
    // A field of a newer version may be personal, so only known ones are kept.
    player: Object.fromEntries(KEPT.map((name) => [name, player[name]])),
  };
};

/** Requires that a player may delete their own account. @throws DomainError `ask_game_master` */
export const requireMayLeave = (player: Player, game: Game, now: number): void => {
  if (game.settings.leaving === "allowed" || !isLeavingPlay(player, game, now)) return;
  throw new DomainError(
    "ask_game_master",
    "During the game, a game master removes players: ask one of them to delete your account.",
  );
};

/** An enforcement of a checkpoint, as stored for players who are away. */
export const StoredEnforcement = z.looseObject({
  checkpoint_id: text,
  applies_to: Checkpoint.shape.applies_to,
  outcome: z.enum(CHECKPOINT_OUTCOMES),
  /** When it was first started, and its latest start, RFC 3339. */
  began_at: text,
  started_at: text,
  job_id: text,
  actor: text,
  reason: optionalText,
});
export type StoredEnforcement = z.infer<typeof StoredEnforcement>;

/** An enforcement of required missions, as stored for players who are away. */
export const StoredMissionsEnforcement = z.looseObject({
  job_id: text,
  outcome: z.enum(CHECKPOINT_OUTCOMES),
  /** When the last of the missions began, and when they were enforced, RFC 3339. */
  began_at: text,
  started_at: text,
  actor: text,
  reason: optionalText,
  /** The ids of the missions that counted, how many of them were needed, and the player ids of who was exempt. */
  ids: textList,
  needed: integer,
  exempt: textList,
});
export type StoredMissionsEnforcement = z.infer<typeof StoredMissionsEnforcement>;

/** The undo of an enforcement, as stored for players who are away. */
export const StoredUndo = z.looseObject({
  checkpoint_id: text,
  began_at: text,
  actor: text,
  reason: optionalText,
});
export type StoredUndo = z.infer<typeof StoredUndo>;
