/** What a use case gets of the request that calls it. The HTTP layer makes it; workers have a context of their own. */
import type { ClientAddress } from "../auth/rateLimit.ts";
import type { Game } from "../domain/game/game.ts";
import type { CommandContext } from "../domain/outcome.ts";
import type { Player } from "../domain/players/player.ts";
import type { Decision } from "../store/decide.ts";
import type { CommandResponse, IdempotentRequest } from "../store/idempotency.ts";
import type { LogEntry } from "../store/items.ts";
import type { Services } from "./services.ts";

/** The fields of a log entry that the wrapper and the use case fill in. */
export interface AuditFields {
  actor: string | null;
  target: string | null;
  details: Record<string, unknown>;
  /** The reason that the caller gave; the entry has it among its details. */
  reason: string | undefined;
}

/** What every use case gets. */
export interface Call {
  services: Services;
  /** When the request arrived, in milliseconds since 1970. Every rule is evaluated at this instant. */
  now: number;
  context: CommandContext;
  requestId: string;
  /** Milliseconds until Lambda ends the call. */
  timeLeft: () => number;
  /** Fields of this call's audit log entry. Use cases set `target` and `details`; public ones also set `actor`. */
  audit: AuditFields;
}

/** A read by a player, or by somebody without a token while the board is public. Its game may be a second old. */
export interface VisitorCall extends Call {
  player: Player | null;
  game: Game;
}

/** A read by a player. Its game may be a second old. */
export interface ReadCall extends Call {
  player: Player;
  game: Game;
}

/**
 * A decision about a command: its player and game are those of this attempt. If the changes cannot be written because
 * something has changed meanwhile, the use case is called again, with the player and the game read again.
 */
export interface PlayerCall extends ReadCall {
  /** Whether an earlier attempt at this request has failed. */
  isRetry: boolean;
}

/** A command of somebody without a session: a registration, a login or a change of the password. */
export interface PublicCall<R> extends Call {
  /** The client's address, as the gateway saw it. */
  clientAddress: ClientAddress;
  /** The request's idempotency key, scope and fingerprint, if it has a key. */
  idempotency: IdempotentRequest | undefined;
  /** Carries out a decision, again if something that it read has changed before its changes are written. */
  decide: (attempt: (call: { isRetry: boolean }) => Promise<Decision<R>>) => Promise<CommandResponse>;
}

/** A command whose work may take longer than one request, so that it decides itself when to commit and to respond. */
export interface JobCall<R> extends ReadCall {
  /** The request's idempotency key, scope and fingerprint, if it has a key. */
  idempotency: IdempotentRequest | undefined;
  /** The audit log entry, for a job that writes it with its own changes. */
  auditLog: { entry: (outcome: string) => LogEntry | undefined; markWritten: () => void };
  /**
   * Carries out a decision: calls `attempt`, and again with the player and the game read again if something that it read
   * has changed before its changes are written.
   */
  decide: (attempt: (call: PlayerCall) => Promise<Decision<R>>) => Promise<CommandResponse>;
  /** Encodes a result. A result with `complete: false` says that the queue continues the work. */
  respond: (result: R) => CommandResponse;
  /** Encodes a stored response for a retry. @throws DomainError `player_not_found` if it is about a deleted player */
  replay: (stored: CommandResponse) => Promise<CommandResponse>;
}
