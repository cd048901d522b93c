/** Reserves the e-mail addresses of all accounts when the setting `unique_email` is switched on. */
import type { Game } from "../../domain/game.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { RESERVE_MS } from "../../jobs/bulk.ts";
import type { Services } from "../../lambda/services.ts";
import { unavailable } from "../../store/commit.ts";
import { emailGuard } from "../../store/emails.ts";
import { keys } from "../../store/keys.ts";
import { readPlayers } from "./listPlayers.ts";

const PER_BATCH = 100;

/** The address is reserved already, or the player has changed since: then that change reserves the address. */
const ignoreConflict = (error: unknown): void => {
  if (!(error instanceof ConditionFailed)) throw error;
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
  let writes: Promise<void>[] = [];
  for await (const { player } of readPlayers(store, store.rosterEntries(game, 500), PER_BATCH)) {
    const guard = emailGuard(player);
    if (guard === null) continue;
    if (timeLeft() < RESERVE_MS) throw unavailable();
    const { player_id, rev } = player;
    const isUnchanged: Write = { check: keys.player(player_id), expect: { rev } };
    const written = store.commit([isUnchanged, { put: guard, expect: "absent" }], timeLeft);
    writes.push(written.catch(ignoreConflict));
    if (writes.length < PER_BATCH) continue;
    await Promise.all(writes);
    writes = [];
  }
  await Promise.all(writes);
};
