/** The checkpoint: whom it concerns, who has passed it, and who dies for not having done so. */
import type { Checkpoint, Game } from "./clock.ts";
import { DomainError } from "./domainError.ts";
import type { CommandContext, Outcome } from "./outcome.ts";
import { type Player, stateOf } from "./player.ts";
import { instantOf, rfc3339 } from "./time.ts";
import { applyStarvation, asCorpse, newInteraction, requireState } from "./transitions.ts";

export const noCheckpoint = (): DomainError => new DomainError("no_checkpoint", "No checkpoint is set.");

/** The game with another checkpoint, or none. @throws DomainError `busy` while the one before is being enforced */
export const withCheckpoint = (game: Game, checkpoint: Checkpoint | null): Game => {
  if (game.enforcing !== null) {
    throw new DomainError(
      "busy",
      "Those who missed the checkpoint are being killed. Wait until that has ended.",
    );
  }
  return { ...game, checkpoint };
};

/**
 * A player registered at the current checkpoint; one who was registered before stays as they are.
 * @throws DomainError `no_checkpoint`, `wrong_state`, `closed`
 */
export const passCheckpoint = (player: Player, game: Game, moment: CommandContext): Player => {
  const { checkpoint } = game;
  if (checkpoint === null) throw noCheckpoint();
  requireState(applyStarvation(player, game, moment).player, ["human", "zombie"], "pass the checkpoint");
  if (hasPassed(player, checkpoint)) return player;
  if (checkpoint.closes_at !== null && instantOf(checkpoint.closes_at) <= moment.now) {
    throw new DomainError("closed", `The checkpoint ${checkpoint.name} closed at ${checkpoint.closes_at}.`);
  }
  return { ...player, checkpoint_id: checkpoint.checkpoint_id, passed_at: rfc3339(moment.now) };
};

const hasPassed = (player: Player, checkpoint: Pick<Checkpoint, "checkpoint_id">): boolean =>
  player.checkpoint_id === checkpoint.checkpoint_id && player.passed_at !== null;

/** What enforcing a checkpoint was begun with. */
export interface Enforcement {
  checkpoint_id: string;
  applies_to: Checkpoint["applies_to"];
  /** Players who joined after this are not concerned; RFC 3339. */
  began_at: string;
  /** The game master's player id. */
  actor: string;
}

/**
 * What a checkpoint comes to for a player: death, to be spared for having passed, or nothing for one whom it
 * does not concern.
 */
export const enforceCheckpoint = (
  player: Player,
  game: Game,
  { checkpoint_id, applies_to, began_at, actor }: Enforcement,
  moment: CommandContext,
): Outcome | "spared" | "unconcerned" => {
  const state = stateOf(player, game, moment.now);
  const concerned = { all: ["human", "zombie"], humans: ["human"], zombies: ["zombie"] }[applies_to];
  if (!concerned.includes(state) || player.created_at > began_at) return "unconcerned";
  if (hasPassed(player, { checkpoint_id })) return "spared";
  return {
    players: [{ before: player, after: asCorpse(player) }],
    interactions: [newInteraction("checkpoint_kill", player, actor, moment)],
  };
};
