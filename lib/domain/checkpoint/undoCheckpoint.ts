/**
 * Undoing the enforcement of a checkpoint (decision 70): what is stored for each player whom it killed or infected, and
 * how their earlier state is restored.
 */
import { gameTime, gameTimeLeft } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { Interaction } from "../hunts/interaction.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import type { BeforeCheckpoint } from "../players/lifeRecords.ts";
import { type Player, readState, StoredPlayer } from "../players/player.ts";
import { applyStarvation, newInteraction } from "../players/transitions.ts";
import { instantOf } from "../time.ts";

/** The fields that the enforcement can change, besides `cover` and the feedings. */
const FIELDS = [
  "state",
  "tag_code",
  "code_since",
  "human_since",
  "infection_id",
  "infected_at",
  "infected_by",
  "infected_by_original_since",
  "last_fed_at",
  "deadline",
  "epoch",
  "checkpoint_id",
  "passed_at",
];

/** Adds the earlier state to a player whom the enforcement has changed. */
export const withBefore = (
  before: Player,
  after: Player,
  { interaction_id }: Interaction,
  checkpoint_id: string,
  game: Game,
  now: number,
): Player => {
  const changed = FIELDS.filter((name) => before[name] !== after[name]);
  const { infection_id, tag_code } = after;
  return {
    ...after,
    before_checkpoint: {
      checkpoint_id,
      interaction_id,
      shards: game.shards,
      infection_id,
      tag_code,
      hunger: before.state === "zombie" ? gameTimeLeft(game, before.deadline, now) : null,
      cover_state: before.cover?.state ?? null,
      fields: Object.fromEntries(changed.map((name) => [name, before[name]])),
    },
  };
};

/** Whether a player is still the corpse or zombie that the enforcement made; a zombie may have starved since. */
const isUnchangedSince = ({ state, infection_id, tag_code }: Player, stored: BeforeCheckpoint): boolean =>
  (state === "corpse" || (state === "zombie" && infection_id === stored.interaction_id)) &&
  infection_id === stored.infection_id &&
  tag_code === stored.tag_code &&
  stored.is_over !== true;

/**
 * Whether an antidote has made a human of the zombie whom the enforcement made: as that zombie they would come back without it.
 * Ids are in the order of time.
 */
const isCuredSince = (
  { state, antidote }: Player,
  { interaction_id, infection_id }: BeforeCheckpoint,
): boolean =>
  state === "human" && antidote !== null && antidote > interaction_id && infection_id === interaction_id;

/**
 * Restores a player's earlier state. A zombie has as much time left as before, because they could not feed in between.
 * @param resumesAt the instant from which their time runs again, not before the clock's last change
 */
const restored = (player: Player, before: BeforeCheckpoint, game: Game, resumesAt: number): Player => {
  const { fields, hunger, cover_state, checkpoint_id: id } = before;
  const { checkpoint_id, passed_at, cover } = player;
  // A pass that was entered after the enforcement stays.
  const pass = checkpoint_id === id && passed_at === null ? {} : { checkpoint_id, passed_at };
  // As after a void, the time of the last infection stays, because the tree and the leaderboard contain it.
  const infected_at = fields.infection_id === undefined ? {} : { infected_at: player.infected_at };
  const stored = StoredPlayer.parse({
    ...player,
    ...fields,
    ...(fields.infection_id === null ? infected_at : {}),
    ...pass,
    ...(hunger === null ? {} : { deadline: gameTime(game, resumesAt) + hunger, epoch: game.epoch }),
    // Only the deadline is known: the clock may have changed since the feedings.
    meals: [],
    cover: cover === null || cover_state === null ? cover : { ...cover, ...infected_at, state: cover_state },
    before_checkpoint: undefined,
  });
  return readState(stored);
};

/** An undo, with its parameters as of its start. */
interface Undo {
  checkpoint_id: string;
  /** The game master's player id. */
  actor: string;
  /** RFC 3339. */
  began_at: string;
  reason?: string | undefined;
}

/**
 * Undoes an enforcement for one player.
 * @returns "spared" if something else has changed the player since; "exempt" if the enforcement did not change them
 */
export const undoEnforcement = (
  player: Player,
  game: Game,
  { checkpoint_id, actor, began_at, reason }: Undo,
  command: CommandContext,
): Outcome | "spared" | "exempt" => {
  const before = player.before_checkpoint;
  if (before?.checkpoint_id !== checkpoint_id) return "exempt";
  const isCured = isCuredSince(player, before);
  if (!isCured && !isUnchangedSince(player, before)) return "spared";
  // The same instant for all players, even if the job is interrupted and resumed.
  const resumesAt = Math.max(instantOf(began_at), game.changed_at ?? 0);
  const interaction: Interaction = {
    ...newInteraction("void", player, actor, { ...command, reason }),
    voids: before.interaction_id,
    checkpoint_id,
  };
  const after = isCured
    ? { ...player, before_checkpoint: undefined }
    : restored(player, before, game, resumesAt);
  return {
    players: [{ before: player, after, isCodeStored: true }],
    interactions: [...applyStarvation(player, game, command).deaths, interaction],
  };
};
