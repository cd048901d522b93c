/** Runs a command: its changes, its audit log entry and its stored response are one transaction. */
import type { Game } from "../domain/game/game.ts";
import type { Player } from "../domain/players/player.ts";
import type { Decision } from "../store/decide.ts";
import { type CommandResponse, earlierResponse, type IdempotentRequest } from "../store/idempotency.ts";
import type { Store } from "../store/store.ts";
import { namedPlayers } from "../store/storedNames.ts";
import type { AuditLog } from "./auditLog.ts";
import { type Access, isForStaff } from "./definition.ts";
import type { ResponseEncoder } from "./responseEncoder.ts";

/** The player who sends a command, and the game. */
interface Caller {
  player: Player;
  game: Game;
}

/** What an attempt gets: the caller as of this attempt, except on a public endpoint. */
export interface Attempt {
  caller: Caller | null;
  /** Whether an earlier attempt at this request has failed. */
  isRetry: boolean;
}

export interface CommandOptions<R> {
  store: Store;
  access: Access;
  /** The caller with the game as read for authentication; none on a public endpoint. */
  caller: Caller | null;
  idempotency: IdempotentRequest | undefined;
  auditLog: AuditLog;
  encoder: ResponseEncoder<R>;
  /** Milliseconds since 1970. */
  now: number;
  timeLeft: () => number;
}

/**
 * Calls `decide` until its changes are written, or returns the response to an earlier request with the same key.
 * @param view makes the response of a result
 * @throws DomainError of the decision; `key_reused`, `in_progress`, `unavailable`
 */
export const executeCommand = async <T, R>(
  decide: (attempt: Attempt) => Promise<Decision<T>>,
  view: (result: T, attempt: Attempt) => R,
  { store, access, caller, idempotency, auditLog, encoder, now, timeLeft }: CommandOptions<R>,
): Promise<CommandResponse> => {
  // A public endpoint has no player for whom its response could be stored.
  const request = access === "public" ? undefined : idempotency;
  const fieldsBefore = { ...auditLog.fields };
  const resetFields = () => Object.assign(auditLog.fields, fieldsBefore);
  let attempt: Attempt = { caller, isRetry: false };

  const decideOnce = async (isRetry: boolean): Promise<Decision<T>> => {
    // Drops the fields of an earlier attempt, which may have found another player.
    resetFields();
    if (isRetry)
      attempt = { caller: caller && (await store.playerWithGame(caller.player.player_id)), isRetry };
    const decision = await decide(attempt);
    const log = "error" in decision ? undefined : auditLog.entry("done");
    return log === undefined
      ? decision
      : { ...decision, changes: { basedOn: attempt.caller?.game, ...decision.changes, log } };
  };

  // The transaction does not check the key under which earlier versions of the service stored a response. Some commands
  // of game masters could be carried out twice, so an earlier response is looked up first.
  const earlier = isForStaff(access) ? await earlierResponse(store.db, request, now) : null;
  const answer =
    earlier ??
    (await store.decide(decideOnce, {
      respond: ({ changes, result, aliases }) => {
        const named = request === undefined ? undefined : namedPlayers(caller?.player, changes, aliases);
        return encoder.encode(view(result, attempt), named);
      },
      idempotent: request,
      timeLeft,
      now,
    }));
  if (answer.isNew) {
    auditLog.markWritten();
    return answer.response;
  }
  // A repeated request changes nothing, so its log entry has no fields of this attempt.
  resetFields();
  return encoder.replay(store, answer.response);
};
