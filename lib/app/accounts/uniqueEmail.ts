/** Reserves the e-mail addresses of all accounts when the setting `unique_email` is switched on. */
import type { Game } from "../../domain/game/game.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import type { Services } from "../../lambda/services.ts";
import { emailGuard } from "../../store/accounts/emails.ts";
import { unavailable } from "../../store/commit.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { readPlayers } from "../players/listPlayers.ts";

const PER_BATCH = 100;

/** Reserves the address of one account, unless an account has it already. @param read the player, who may have changed since */
const reserve = async (store: Store, read: Player, timeLeft: () => number): Promise<void> => {
  for (let player: Player | null = read, isRead = false; player !== null; isRead = true) {
    const { player_id, rev }: Player = player;
    const guard = emailGuard(player);
    if (guard === null || (isRead && (await store.db.get({ pk: guard.pk, sk: guard.sk })) !== undefined))
      return;
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    const isUnchanged: Write = { check: keys.player(player_id), expect: { rev } };
    try {
      await store.commit([isUnchanged, { put: guard, expect: "absent" }], timeLeft);
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
    // Either the address is reserved already, or something has changed the player, who may have the same address still.
    player = await store.player(player_id);
  }
};

/**
 * Writes the items that reserve the addresses of existing accounts. If accounts share an address, one of them gets it
 * and all remain. Safe to repeat after an interruption.
 * @throws DomainError `unavailable` when time runs out
 */
export const reserveEmails = async ({
  game,
  services: { store },
  timeLeft,
}: {
  game: Game;
  services: Services;
  timeLeft: () => number;
}): Promise<void> => {
  let unreserved: Player[] = [];
  const reserveAll = () => Promise.all(unreserved.map((player) => reserve(store, player, timeLeft)));
  for await (const { player } of readPlayers(store, store.rosterEntries(game, 500), PER_BATCH)) {
    unreserved.push(player);
    if (unreserved.length < PER_BATCH) continue;
    await reserveAll();
    unreserved = [];
  }
  await reserveAll();
};
