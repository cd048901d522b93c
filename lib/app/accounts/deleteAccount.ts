/**
 * Leaving: an account goes with all that is personal. What a player has left behind may be more than one call has time
 * for; then it goes on by the queue, and the account goes last.
 */
import { revokeAdministrator } from "../../auth/administrators.ts";
import type { Game } from "../../domain/clock.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Player } from "../../domain/player.ts";
import { rfc3339, SECOND } from "../../domain/time.ts";
import { applyStarvation } from "../../domain/transitions.ts";
import type { Call } from "../../http/definition.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { Removal } from "../../queue/messages.ts";
import type { Outbound } from "../../queue/queue.ts";
import { log } from "../../runtime/log.ts";
import type { Changes } from "../../store/changes.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import { notesRange } from "../../store/huntNotes.ts";
import { type CommandResponse, storedResponse } from "../../store/idempotency.ts";
import { idempotencyScope, keys } from "../../store/keys.ts";
import { type RemovalOptions, removalWrites } from "../../store/removal.ts";
import type { Store } from "../../store/store.ts";
import { subscriptionsOf, unsubscribeWrites } from "../../store/subscriptions.ts";

const messageOf = (removal: Omit<Removal, "kind">, delay = 0): Outbound => ({
  message: { kind: "removal", ...removal },
  delay,
});

/** Longer than any call runs: by then whoever began it has ended it, or was cut off. */
const WATCH = 60 * SECOND;

type LeaveCall =
  | Call<"player", unknown, unknown, undefined>
  | Call<"administrator", unknown, unknown, undefined>;

/**
 * Removes an account.
 * @param find reads the player as they are now, and the game; called again when something has moved
 * @param action what the log calls it
 * @returns 204; 202 with `complete: false` while it goes on
 * @throws DomainError `last_administrator`, `unavailable`, and whatever `find` throws
 */
export const deleteAccount = async (
  call: LeaveCall,
  find: () => Promise<{ player: Player; game: Game }>,
  action: string,
): Promise<CommandResponse> => {
  const { services, context: moment, timeLeft, audit: note, now, idempotency: once, requestId } = call;
  const { store, queue } = services;
  let goesOn = false;
  let leaving: string | null = null;
  const tell = async (player_id: string, delay: number): Promise<void> => {
    const about = { player_id, action, actor: call.player.player_id };
    await queue.send([messageOf(about, delay)]).catch((error: unknown) => {
      log.warn("nobody watches over a deletion", { request_id: requestId, error });
      throw unavailable();
    });
    goesOn = true;
  };
  try {
    return await call.decide(async () => {
      const { player, game } = await find();
      const { player_id } = player;
      note.target = player_id;
      leaving = player_id;
      const effort = {
        timeLeft,
        onMany: async () => {
          // What is removed beforehand is gone, also where the transaction then finds the key used.
          await storedResponse(store.db, once, now);
          if (!goesOn) await tell(player_id, WATCH).catch(() => {});
        },
      };
      const by = player_id === call.player.player_id ? null : call.player.player_id;
      return { changes: await deletionChanges(store, player, game, moment, effort, by), response: undefined };
    });
  } catch (error) {
    const isOutOfTime = error instanceof DomainError && error.code === "unavailable" && goesOn;
    if (!isOutOfTime || leaving === null) throw error;
    note.target = leaving;
    await tell(leaving, 0);
    note.details = { ...note.details, complete: false };
    return { status: 202, body: JSON.stringify({ complete: false }) };
  }
};

/** Goes on with a deletion that its caller could not end, or that was cut off. @throws Error when it is to come again */
export const continueDeletion = async (
  run: WorkerContext,
  { player_id, action, actor }: Removal,
): Promise<void> => {
  const { services, requestId, timeLeft } = run;
  const { store, clock, queue } = services;
  const now = clock();
  const moment = commandContext(services, now);
  try {
    await store.decide(
      async () => {
        const [player, read] = await Promise.all([
          store.player(player_id),
          mapBusyToUnavailable(store.game()),
        ]);
        if (player === null) return { changes: {}, response: { status: 204, body: null } };
        const game = await store.gameFor(read, player);
        const entry = {
          log_id: moment.newId(),
          at: rfc3339(now),
          action,
          actor,
          target: player_id,
          request_id: requestId,
          outcome: "done",
          details: {},
        };
        const changes = await deletionChanges(store, player, game, moment, { timeLeft }, null);
        return { changes: { ...changes, log: entry }, response: { status: 204, body: null } };
      },
      { timeLeft, now },
    );
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === "unavailable") {
      await queue.send([messageOf({ player_id, action, actor })]);
    } else {
      // The last administrator stays, also who has become it meanwhile.
      log.warn("a deletion was refused", { request_id: requestId, code: error.code });
    }
  }
};

/**
 * What the deletion of an account takes: everything personal goes; interactions and infections keep the id,
 * which resolves to no alias any more.
 * @param by the administrator who removes another; `null` for whoever leaves by themselves
 * @throws DomainError `last_administrator`, `not_administrator`; `unavailable` when there is more to remove than there is time for
 */
export const deletionChanges = async (
  store: Store,
  player: Player,
  game: Game,
  moment: CommandContext,
  effort: RemovalOptions,
  by: string | null,
): Promise<Changes> => {
  const { player_id: id, is_admin } = player;
  const resignation = is_admin ? [await revokeAdministrator(store, id, by)] : [];
  return {
    players: [{ before: player, after: null }],
    // A death that nobody has recorded yet is part of the game's history.
    interactions: applyStarvation(player, game, moment).deaths,
    seen: game.rev,
    writes: [
      { remove: keys.credential(id) },
      { remove: keys.sessions(id) },
      { remove: keys.recovery(id) },
      { remove: keys.picture(id) },
      ...(await removalWrites(store, notesRange(id), effort)),
      ...(await removalWrites(store, { pk: idempotencyScope(id) }, effort)),
      ...unsubscribeWrites(await subscriptionsOf(store.db, id)),
      ...resignation,
    ],
  };
};
