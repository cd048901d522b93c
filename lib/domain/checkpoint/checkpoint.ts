/** Checkpoint rules: to whom a checkpoint applies, who has passed it, and who is killed for missing it. */
import { DomainError, invalidRequest } from "../domainError.ts";
import type { Checkpoint, Game } from "../game/game.ts";
import type { CheckpointOutcome } from "../game/settings.ts";
import type { Interaction } from "../hunts/interaction.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import { type Player, type State, stateOf } from "../players/player.ts";
import { counterOf, LIVING, STATES } from "../players/states.ts";
import { applyStarvation, asKilled, asZombie, newInteraction, requireState } from "../players/transitions.ts";
import { publicPlay } from "../players/visibility.ts";
import { instantOf, rfc3339 } from "../time.ts";
import { withBefore } from "./undoCheckpoint.ts";

export const noCheckpoint = (): DomainError => new DomainError("no_checkpoint", "No checkpoint is set.");

/** Sets or clears the checkpoint. @throws DomainError `busy` during an enforcement or its undo */
export const withCheckpoint = (game: Game, checkpoint: Checkpoint | null): Game => {
  if (game.enforcing !== null) {
    throw new DomainError(
      "busy",
      "The checkpoint is being enforced, or its enforcement is being undone. Wait until that has ended.",
    );
  }
  return { ...game, checkpoint };
};

/** Requires that `expectedId`, if given, is the id of the checkpoint. @throws DomainError `checkpoint_changed` */
export const requireCurrent = (checkpoint: Checkpoint, expectedId: string | undefined): Checkpoint => {
  if (expectedId === undefined || expectedId === checkpoint.checkpoint_id) return checkpoint;
  throw new DomainError(
    "checkpoint_changed",
    `The checkpoint is now ${checkpoint.name}, not the one that you named.`,
  );
};

/** Validates the closing time of a new or corrected checkpoint. @throws DomainError `invalid_request` if it is past */
export const closingTime = (closesAt: string, now: number): string => {
  if (instantOf(closesAt) >= now) return rfc3339(instantOf(closesAt));
  throw invalidRequest({ path: "closes_at", message: "must not be in the past" });
};

/**
 * Marks a player as having passed the current checkpoint. Passing again changes nothing.
 * @param isLate whether a pass noted on paper is entered later, which is allowed after the checkpoint has closed
 * @throws DomainError `no_checkpoint`, `wrong_state`, `closed`
 */
export const passCheckpoint = (
  player: Player,
  game: Game,
  command: CommandContext,
  isLate = false,
): Player => {
  const { checkpoint } = game;
  if (checkpoint === null) throw noCheckpoint();
  const shown = publicPlay(player, game, command.now);
  requireState(applyStarvation(shown, game, command).player, LIVING, "pass the checkpoint");
  if (hasPassed(player, checkpoint)) return player;
  if (!isLate && checkpoint.closes_at !== null && instantOf(checkpoint.closes_at) <= command.now) {
    throw new DomainError("closed", `The checkpoint ${checkpoint.name} closed at ${checkpoint.closes_at}.`);
  }
  return { ...player, checkpoint_id: checkpoint.checkpoint_id, passed_at: rfc3339(command.now) };
};

const hasPassed = (player: Player, checkpoint: Pick<Checkpoint, "checkpoint_id">): boolean =>
  player.checkpoint_id === checkpoint.checkpoint_id && player.passed_at !== null;

const appliesTo = (group: Checkpoint["applies_to"], state: State): boolean =>
  STATES[state].alive && (group === "all" || group === counterOf(state));

/** The state of a player in the eyes of others, and whether the checkpoint applies to them. */
export const concernOf = (
  player: Player,
  { applies_to }: Pick<Checkpoint, "applies_to">,
  game: Game,
  now: number,
): { state: State; applies: boolean } => {
  const state = stateOf(publicPlay(player, game, now), game, now);
  return { state, applies: appliesTo(applies_to, state) };
};

/** An enforcement: the checkpoint and the settings as they were when it started. */
export interface Enforcement {
  checkpoint_id: string;
  applies_to: Checkpoint["applies_to"];
  /** The state that humans who have not passed get. Zombies who have not passed always die. */
  outcome: CheckpointOutcome;
  /** The checkpoint does not apply to players who joined, or whose life began, after this; RFC 3339. */
  began_at: string;
  /** The game master's player id. */
  actor: string;
  /** The game master's reason. */
  reason?: string | undefined;
  /** Set if required missions are enforced instead of a checkpoint: `checkpoint_id` is then that of the enforcement. */
  of_missions?: true | undefined;
}

/**
 * Whether a player has begun a new life since the enforcement began: joined, been revived or cured, or been infected by
 * it. Being tagged does not count, because the checkpoint applied to that human.
 */
const hasNewLife = (player: Player, { checkpoint_id, began_at }: Enforcement): boolean => {
  if (player.created_at > began_at) return true;
  if (player.state === "human") return player.code_since > began_at;
  if (player.state !== "zombie" || player.infected_by !== null || player.reported === true) return false;
  if (player.infected_at > began_at) return true;
  // An infection by this enforcement can have the time at which it began.
  const { before_checkpoint: before, infection_id } = player;
  return before?.checkpoint_id === checkpoint_id && before.interaction_id === infection_id;
};

const infection = (
  player: Player,
  game: Game,
  { checkpoint_id, actor, reason, of_missions }: Enforcement,
  command: CommandContext,
): { after: Player; interaction: Interaction } => {
  const recorded = newInteraction("revive_zombie", player, actor, { ...command, reason });
  const { interaction_id: id, at } = recorded;
  const zombie = asZombie(player, game, command, { id, at, by: null });
  return {
    // The pass of a checkpoint stays when missions are enforced.
    after: of_missions === true ? zombie : { ...zombie, checkpoint_id, passed_at: null },
    interaction: { ...recorded, parent: null, checkpoint_id },
  };
};

/**
 * Enforces a checkpoint on one player. A hidden original zombie is treated as the human whom others see: otherwise, the
 * result would show that the player is a zombie.
 * @param isSpared whether the player has passed it; of required missions, whether they attended enough
 * @returns the kill or the infection; "spared" if the player has passed it; "exempt" if it does not apply to them
 */
export const enforceCheckpoint = (
  player: Player,
  game: Game,
  enforcement: Enforcement,
  command: CommandContext,
  isSpared = hasPassed(player, enforcement),
): Outcome | "spared" | "exempt" => {
  const { checkpoint_id, applies_to, outcome, actor, reason, of_missions } = enforcement;
  const shown = publicPlay(player, game, command.now);
  const state = stateOf(shown, game, command.now);
  if (!appliesTo(applies_to, state) || hasNewLife(shown, enforcement)) return "exempt";
  if (isSpared) return "spared";
  const { after, interaction: recorded } =
    outcome === "zombie" && shown.state === "human"
      ? infection(player, game, enforcement, command)
      : {
          after: asKilled(player),
          interaction: newInteraction("checkpoint_kill", player, actor, { ...command, reason }),
        };
  const interaction = of_missions === true ? { ...recorded, of_missions } : recorded;
  return {
    players: [
      { before: player, after: withBefore(player, after, interaction, checkpoint_id, game, command.now) },
    ],
    interactions: [interaction],
  };
};
