/** Checkpoint rules: to whom a checkpoint applies, who has passed it, and who is killed for missing it. */
import type { Checkpoint, Game } from "./clock.ts";
import { DomainError, invalid } from "./domainError.ts";
import type { Interaction } from "./interaction.ts";
import type { CommandContext, Outcome } from "./outcome.ts";
import { LIVING, type Player, STATES, type State, stateOf } from "./player.ts";
import type { CheckpointOutcome } from "./settings.ts";
import { instantOf, rfc3339 } from "./time.ts";
import { applyStarvation, asKilled, asZombie, newInteraction, requireState } from "./transitions.ts";
import { withBefore } from "./undoCheckpoint.ts";
import { publicPlay } from "./visibility.ts";

export const noCheckpoint = (): DomainError => new DomainError("no_checkpoint", "No checkpoint is set.");

/** Sets or clears the checkpoint. @throws DomainError `busy` while the previous one is being enforced */
export const withCheckpoint = (game: Game, checkpoint: Checkpoint | null): Game => {
  if (game.enforcing !== null) {
    throw new DomainError("busy", "The checkpoint is being enforced. Wait until that has ended.");
  }
  return { ...game, checkpoint };
};

/** @throws DomainError `checkpoint_changed` unless this is the id of the checkpoint, or none is given */
export const requireCurrent = (checkpoint: Checkpoint, expectedId: string | undefined): Checkpoint => {
  if (expectedId === undefined || expectedId === checkpoint.checkpoint_id) return checkpoint;
  throw new DomainError(
    "checkpoint_changed",
    `The checkpoint is now ${checkpoint.name}, not the one that you named.`,
  );
};

/** The closing time of a checkpoint that is set or corrected. @throws DomainError `invalid_request` if it is past */
export const closingTime = (closesAt: string, now: number): string => {
  if (instantOf(closesAt) >= now) return rfc3339(instantOf(closesAt));
  throw invalid({ path: "closes_at", message: "must not be in the past" });
};

/**
 * Marks a player as having passed the current checkpoint. Passing again changes nothing.
 * @param isLate whether a pass that was noted on paper is entered, which is possible after closing
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
  LIVING.includes(state) && (group === "all" || group === STATES[state].counter);

/** The checkpoint as it was when its enforcement started. */
export interface Enforcement {
  checkpoint_id: string;
  applies_to: Checkpoint["applies_to"];
  /** What becomes of humans who have not passed. Zombies die. */
  outcome: CheckpointOutcome;
  /** The checkpoint does not apply to players who joined, or whose life began, after this; RFC 3339. */
  began_at: string;
  /** The game master's player id. */
  actor: string;
  /** Why, in the words of the game master. */
  reason?: string | undefined;
}

/**
 * Whether a player has been revived, cured or made a zombie by the checkpoint since its enforcement began. One who was
 * tagged has not: the checkpoint concerned that human.
 */
const hasNewLife = (player: Player, { checkpoint_id, began_at }: Enforcement): boolean => {
  if (player.created_at > began_at) return true;
  if (player.state === "human") return player.code_since > began_at;
  if (player.state !== "zombie" || player.infected_by !== null || player.reported === true) return false;
  // The infections of the enforcement may have the very time at which it began.
  return (
    player.infected_at > began_at || (player.checkpoint_id === checkpoint_id && player.passed_at === null)
  );
};

const infection = (
  player: Player,
  game: Game,
  { checkpoint_id, actor, reason }: Enforcement,
  command: CommandContext,
): { after: Player; interaction: Interaction } => {
  const recorded = newInteraction("revive_zombie", player, actor, { ...command, reason });
  const { interaction_id: id, at } = recorded;
  const zombie = asZombie(player, game, command, { id, at, by: null });
  return {
    after: { ...zombie, checkpoint_id, passed_at: null },
    interaction: { ...recorded, parent: null, checkpoint_id },
  };
};

/**
 * Enforces a checkpoint on one player. It concerns a hidden original zombie as the human whom others see: they would
 * learn of the zombie if nothing happened.
 * @returns the kill or the infection; "spared" if the player has passed; "exempt" if the checkpoint does not apply to the player
 */
export const enforceCheckpoint = (
  player: Player,
  game: Game,
  enforcement: Enforcement,
  command: CommandContext,
): Outcome | "spared" | "exempt" => {
  const { checkpoint_id, applies_to, outcome, actor, reason } = enforcement;
  const shown = publicPlay(player, game, command.now);
  const state = stateOf(shown, game, command.now);
  if (!appliesTo(applies_to, state) || hasNewLife(shown, enforcement)) return "exempt";
  if (hasPassed(player, { checkpoint_id })) return "spared";
  const { after, interaction } =
    outcome === "zombie" && shown.state === "human"
      ? infection(player, game, enforcement, command)
      : {
          after: asKilled(player),
          interaction: newInteraction("checkpoint_kill", player, actor, { ...command, reason }),
        };
  return {
    players: [
      { before: player, after: withBefore(player, after, interaction, checkpoint_id, game, command.now) },
    ],
    interactions: [interaction],
  };
};
