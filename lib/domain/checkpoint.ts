/** Checkpoint rules: to whom a checkpoint applies, who has passed it, and who is killed for missing it. */
import type { Checkpoint, Game } from "./clock.ts";
import { DomainError } from "./domainError.ts";
import type { CommandContext, Outcome } from "./outcome.ts";
import { LIVING, type Player, STATES, type State, stateOf } from "./player.ts";
import { instantOf, rfc3339 } from "./time.ts";
import { applyStarvation, asCorpse, newInteraction, requireState } from "./transitions.ts";

export const noCheckpoint = (): DomainError => new DomainError("no_checkpoint", "No checkpoint is set.");

/** Sets or clears the checkpoint. @throws DomainError `busy` while the previous one is being enforced */
export const withCheckpoint = (game: Game, checkpoint: Checkpoint | null): Game => {
  if (game.enforcing !== null) {
    throw new DomainError("busy", "The checkpoint is being enforced. Wait until that has ended.");
  }
  return { ...game, checkpoint };
};

/**
 * Marks a player as having passed the current checkpoint. Passing again changes nothing.
 * @throws DomainError `no_checkpoint`, `wrong_state`, `closed`
 */
export const passCheckpoint = (player: Player, game: Game, command: CommandContext): Player => {
  const { checkpoint } = game;
  if (checkpoint === null) throw noCheckpoint();
  requireState(applyStarvation(player, game, command).player, LIVING, "pass the checkpoint");
  if (hasPassed(player, checkpoint)) return player;
  if (checkpoint.closes_at !== null && instantOf(checkpoint.closes_at) <= command.now) {
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
  /** The checkpoint does not apply to players who joined after this; RFC 3339. */
  began_at: string;
  /** The game master's player id. */
  actor: string;
  /** Why, in the words of the game master. */
  reason?: string | undefined;
}

/**
 * Enforces a checkpoint on one player.
 * @returns the kill; "spared" if the player has passed; "exempt" if the checkpoint does not apply to the player
 */
export const enforceCheckpoint = (
  player: Player,
  game: Game,
  { checkpoint_id, applies_to, began_at, actor, reason }: Enforcement,
  command: CommandContext,
): Outcome | "spared" | "exempt" => {
  const state = stateOf(player, game, command.now);
  if (!appliesTo(applies_to, state) || player.created_at > began_at) return "exempt";
  if (hasPassed(player, { checkpoint_id })) return "spared";
  return {
    players: [{ before: player, after: asCorpse(player) }],
    interactions: [newInteraction("checkpoint_kill", player, actor, { ...command, reason })],
  };
};
