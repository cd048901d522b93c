/**
 * Players who delete their accounts during play. Until they come back, their game data stays; everything personal goes
 * with the account (decision 85).
 */
import * as z from "zod/mini";
import { DomainError } from "../domainError.ts";
import { Checkpoint, type Game, phaseOf } from "../game/game.ts";
import { CHECKPOINT_OUTCOMES } from "../game/settings.ts";
import { HELD, type Player, StoredPlayer } from "../players/player.ts";
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

/** The fields that go with the account. */
export const PERSONAL = [
  "alias",
  "former_aliases",
  "former_addresses",
  "first_name",
  "last_name",
  "email",
  "email_confirmed",
  "pending_email",
  "is_admin",
  "is_moderator",
  "has_pfp",
  "picture_hash",
  "named_in_past",
  "push_kinds",
  "push_off_at",
  "mail_kinds",
  "labels",
  "note",
  "signed",
  "waits",
] as const satisfies readonly (keyof typeof StoredPlayer.shape)[];

const isPersonal = (name: string): boolean => PERSONAL.some((personal) => personal === name);

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
  // A field of a newer version may be personal, so only known ones are kept.
  const kept = Object.keys(StoredPlayer.shape).filter((name) => !isPersonal(name));
  return {
    player_id: player.player_id,
    left_at: rfc3339(now),
    ...(game.enforcing === null ? {} : { during: game.enforcing }),
    player: Object.fromEntries(kept.map((name) => [name, player[name]])),
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
