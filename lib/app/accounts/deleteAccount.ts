/**
 * Deletes an account with all personal data. If the time of one request is too short, the queue continues the deletion.
 * The account itself is deleted last.
 */
import { NO_ROLES, setRoles } from "../../auth/roles.ts";
import { departureOf, requireMayLeave } from "../../domain/accounts/departure.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Player } from "../../domain/players/player.ts";
import { applyStarvation } from "../../domain/players/transitions.ts";
import { withoutOffice } from "../../domain/players/visibility.ts";
import { SECOND } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { JobCall, PlayerCall } from "../../lambda/call.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { Removal } from "../../queue/messages.ts";
import type { Outbound } from "../../queue/queue.ts";
import { log } from "../../runtime/log.ts";
import type { Credential } from "../../store/accounts/accountItems.ts";
import { departureWrite, nameWrites } from "../../store/accounts/departures.ts";
import { emailWrites } from "../../store/accounts/emails.ts";
import { type RemovalOptions, removalWrites } from "../../store/accounts/removal.ts";
import { type Changes, writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import { notesRange } from "../../store/hunts/huntNotes.ts";
import { departureWrites } from "../../store/hunts/tagCodes.ts";
import { type CommandResponse, storedResponse } from "../../store/idempotency.ts";
import { departedAccount, idempotencyScope, keys } from "../../store/keys.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import { confirmedWrites } from "../../store/mail/mailAccounts.ts";
import { endedSubscriptionWrites } from "../../store/notifications/subscriptions.ts";
import type { Store } from "../../store/store.ts";
import { findTarget, type PlayerName } from "../currentState.ts";

const messageOf = (removal: Omit<Removal, "kind">, delayMs = 0): Outbound => ({
  message: { ...removal, kind: "removal" },
  delay: delayMs,
});

/**
 * Longer than any request can take. After this time, the request that started a deletion has finished it or was
 * interrupted.
 */
const AFTER_CALL_MS = 60 * SECOND;

/** What a deletion responds that the queue continues; `undefined` for one that is done. */
type Deletion = { complete: false } | undefined;

/**
 * Deletes the account of a player.
 * @param find reads the player and the game, for each attempt
 * @param action the action of the audit log entry
 * @throws DomainError `last_administrator`, `unavailable`, and what `find` throws
 */
const deleteAccount = async (
  call: JobCall<Deletion>,
  find: (attempt: PlayerCall) => Promise<{ target: Player; game: Game }>,
  action: Removal["action"],
): Promise<CommandResponse> => {
  const { audit, context, idempotency, now, requestId, services, timeLeft } = call;
  const { store, queue } = services;
  const callerId = call.player.player_id;
  let isQueued = false;
  let last: Player | null = null;
  const continueLater = async ({ player_id, returns }: Player, delayMs: number): Promise<void> => {
    const removal = { player_id, action, actor: callerId, left_at: now, returns };
    await queue.send([messageOf(removal, delayMs)]).catch((error: unknown) => {
      log.warn("a deletion is not resumed if it is interrupted", { request_id: requestId, error });
      throw unavailable();
    });
    isQueued = true;
  };
  try {
    return await call.decide(async (attempt) => {
      const { target, game } = await find(attempt);
      last = target;
      const options = {
        timeLeft,
        beforeFirstBatch: async () => {
          // Rejects a reused key now, because items that are removed before the transaction cannot be restored.
          await storedResponse(store.db, idempotency, now);
          if (!isQueued) await continueLater(target, AFTER_CALL_MS).catch(() => {});
        },
      };
      const by = target.player_id === callerId ? null : callerId;
      return {
        changes: await deletionChanges(store, target, game, context, options, by),
        result: undefined,
      };
    });
  } catch (error) {
    const isOutOfTime = error instanceof DomainError && error.code === "unavailable" && isQueued;
    if (!isOutOfTime || last === null) throw error;
    await continueLater(last, 0);
    audit.details = { ...audit.details, complete: false };
    return call.respond({ complete: false });
  }
};

/** Deletes the player's own account. @throws DomainError `last_administrator`, `ask_game_master`, `unavailable` */
export const deleteOwnAccount = (call: JobCall<Deletion>): Promise<CommandResponse> =>
  deleteAccount(
    call,
    async ({ audit, player: target, game, now }) => {
      requireMayLeave(target, game, now);
      audit.target = target.player_id;
      return { target, game };
    },
    "delete_player",
  );

/** Deletes a player's account. @throws DomainError `player_not_found`, `last_administrator`, `unavailable` */
export const removePlayer = (call: JobCall<Deletion>, named: PlayerName): Promise<CommandResponse> =>
  deleteAccount(call, (attempt) => findTarget(attempt, named), "remove_player");

/** Continues an unfinished deletion. @throws Error on failure, so that the queue delivers the message again */
export const continueDeletion = async (
  { services, requestId, timeLeft }: WorkerContext,
  removal: Removal,
): Promise<void> => {
  const { player_id, action, actor, left_at, returns } = removal;
  const { store, clock, queue } = services;
  const context = commandContext(services, clock());
  const attempt = async () => {
    const [player, loaded] = await Promise.all([store.player(player_id), mapBusyToUnavailable(store.game())]);
    // Somebody who has come back meanwhile has not asked for a deletion since.
    if (player === null || player.returns !== returns) return { changes: {}, result: undefined };
    const game = await store.gameFor(loaded, player);
    const log = newLogEntry(context, requestId, { action, actor, target: player_id });
    // The player left at the time of the request, or at the last change of the game clock if that is later.
    const now = Math.max(left_at ?? context.now, game.changed_at ?? 0);
    const changes = await deletionChanges(store, player, game, { ...context, now }, { timeLeft }, null);
    return { changes: { ...changes, log }, result: undefined };
  };
  try {
    await store.apply(attempt, { timeLeft, now: context.now });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === "unavailable") await queue.send([messageOf(removal)]);
    // The player is now the last administrator.
    else log.warn("a deletion was rejected", { request_id: requestId, code: error.code });
  }
};

/**
 * Frees the former aliases of a player. The items that reserve them are removed before the transaction of the deletion,
 * because all writes together may not fit into one.
 */
export const withoutFormerAliases = async (
  { commit }: Store,
  player: Player,
  { timeLeft }: Pick<RemovalOptions, "timeLeft">,
): Promise<Player> => {
  if (player.former_aliases.length === 0) return player;
  const after = { ...player, former_aliases: [] };
  try {
    await commit(await writesOf({ players: [{ before: player, after }] }), timeLeft);
    return { ...after, rev: player.rev + 1 };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // The deletion fails for the same reason, and is retried.
    return after;
  }
};

/** The writes that keep a signature apart from the game, or remove it. */
const signatureWritesOf = async (
  { db }: Store,
  id: string,
  { settings: { keep_signatures_days: days } }: Game,
  now: number,
): Promise<Write[]> => {
  // Imported on demand: most games have no waiver.
  const { departingSignatureWrites } = await import("../../store/waiver/signatures.ts");
  return departingSignatureWrites(db, id, days, now);
};

/** As many names as fit into the transaction of a deletion. */
const MOST_NAMES = 15;

/**
 * The writes that store the departure of a player, with their names and the password by which they can come back. Names
 * that do not fit into the transaction are stored at once; without the departure they mean nothing.
 * @param left with a due starvation applied
 */
const departureChanges = async (
  { db, commit }: Store,
  left: Player,
  game: Game,
  credential: Credential | null,
  { now, timeLeft }: { now: number } & Pick<RemovalOptions, "timeLeft">,
): Promise<Write[]> => {
  const departure = departureOf(left, game, now);
  if (departure === null) return [];
  const { player_id: id } = left;
  // At most 96: of each of 16 addresses one, of each of 16 aliases five.
  const names = await nameWrites(db, left);
  const isEarly = names.length > MOST_NAMES;
  if (isEarly) await commit(names, timeLeft);
  const { hash, failures, new_addresses } = credential ?? {};
  const password = { ...keys.credential(departedAccount(id)), rev: 1, hash, failures, new_addresses };
  return [
    ...(isEarly ? [] : names),
    await departureWrite(db, departure, left.alias),
    // Nobody knows a password of an account whose invitation was not used.
    ...(hash === undefined || credential?.invited === true ? [] : [{ put: password }]),
  ];
};

/**
 * The changes that delete an account. All personal data is removed. Interactions, infections and the tag code keep the
 * player's id, which no longer resolves to an alias. During play, a departure remains (decision 85).
 * @param by the administrator who deletes another player's account; `null` for a player's own
 * @throws DomainError `last_administrator`, `not_administrator`; `unavailable` when time runs out
 */
export const deletionChanges = async (
  store: Store,
  found: Player,
  game: Game,
  context: CommandContext,
  options: RemovalOptions,
  by: string | null,
): Promise<Changes> => {
  // Checked first: what follows stores and frees names before the transaction of the deletion.
  const { writes: revocation } = await setRoles(store, found, NO_ROLES, by);
  // Records an overdue starvation, which belongs to the history of the game.
  const { player: last, deaths } = applyStarvation(found, game, context);
  const { player_id: id } = found;
  const { credential } = await store.account(id);
  const { timeLeft } = options;
  const leaving = withoutOffice(last, context.now);
  const departure = await departureChanges(store, leaving, game, credential, { now: context.now, timeLeft });
  const player = await withoutFormerAliases(store, found, options);
  return {
    players: [{ before: player, after: null }],
    interactions: deaths,
    basedOn: game,
    writes: [
      // The copy for a return is of this password, with these failures.
      { remove: keys.credential(id), expect: credential === null ? "absent" : { rev: credential.rev } },
      { remove: keys.sessions(id) },
      { remove: keys.recovery(id) },
      { remove: keys.mailAccount(id) },
      { remove: keys.origin(id) },
      { remove: keys.picture(id) },
      // It may have the alias.
      { remove: keys.publicPage },
      ...(await removalWrites(store, notesRange(id), options)),
      ...(await removalWrites(store, { pk: idempotencyScope(id) }, options)),
      ...(await endedSubscriptionWrites(store.db, id)),
      ...departureWrites(player, context.now),
      ...(player.signed === undefined ? [] : await signatureWritesOf(store, id, game, context.now)),
      ...departure,
      ...(await emailWrites(store, { before: player, after: null }, false)),
      ...(await confirmedWrites(store.db, { before: player, after: null })),
      ...revocation,
    ],
  };
};
