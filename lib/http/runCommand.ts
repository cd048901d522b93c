/** Runs a command: its changes, its audit log entry and its stored response are one transaction. */
import type { Game } from "../domain/game/game.ts";
import type { Player } from "../domain/players/player.ts";
import type { Decision } from "../store/decide.ts";
import { type CommandResponse, earlierResponse, type IdempotentRequest } from "../store/idempotency.ts";
import type { Store } from "../store/store.ts";
import type { AuditLog } from "./auditLog.ts";
import { type Access, type CommandResult, isForStaff } from "./definition.ts";
import type { ResponseEncoder } from "./responseEncoder.ts";
import { namedPlayers } from "./storedNames.ts";

export interface CommandOptions<R> {
  store: Store;
  access: Access;
  /** The caller with the game as read for authentication; none on a public endpoint. */
  caller: { player: Player; game: Game } | null;
  idempotency: IdempotentRequest | undefined;
  auditLog: AuditLog;
  encoder: ResponseEncoder<R>;
  /** Milliseconds since 1970. */
  now: number;
  timeLeft: () => number;
}

/**
 * Calls `attempt` until its changes are written, or returns the response to an earlier request with the same key.
 * @throws DomainError of the attempt; `key_reused`, `in_progress`, `unavailable`
 */
export const runCommand = async <R>(
  attempt: (isRetry: boolean) => Promise<CommandResult<R>>,
  { store, access, caller, idempotency, auditLog, encoder, now, timeLeft }: CommandOptions<R>,
): Promise<CommandResponse> => {
  // A public endpoint has no player for whom its response could be stored.
  const request = access === "public" ? undefined : idempotency;
  const fieldsBefore = { ...auditLog.fields };
  const resetFields = () => Object.assign(auditLog.fields, fieldsBefore);

  const decideOnce = async (isRetry: boolean): Promise<Decision> => {
    // Drops the fields of an earlier attempt, which may have found another player.
    resetFields();
    const result = await attempt(isRetry);
    if ("error" in result) return { changes: result.changes, error: result.error };
    const { changes, aliases } = result;
    const entry = auditLog.entry("done");
    const named = request === undefined ? undefined : namedPlayers(caller?.player, changes, aliases);
    return {
      changes: entry === undefined ? changes : { basedOn: caller?.game, ...changes, log: entry },
      response: encoder.encode(result.response, named),
    };
  };

  // The transaction does not check the key under which earlier versions of the service stored a response. Some commands
  // of game masters could be carried out twice, so an earlier response is looked up first.
  const earlier = isForStaff(access) ? await earlierResponse(store.db, request, now) : null;
  const decided = earlier ?? (await store.decide(decideOnce, { idempotent: request, timeLeft, now }));
  if (decided.isNew) {
    auditLog.markWritten();
    return decided.response;
  }
  // A repeated request changes nothing, so its log entry has no fields of this attempt.
  resetFields();
  return encoder.replay(store, decided.response);
};
