/** A new account: the player and the writes that create it. */
import { randomUUID } from "node:crypto";
import { credentialWrite } from "../../auth/credentials.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { type Newcomer, newSpectator, type Player } from "../../domain/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import { asHuman } from "../../domain/transitions.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Changes } from "../../store/changes.ts";
import type { Store } from "../../store/store.ts";

const TAKEN = "This alias is taken, or looks like one that is.";

export const requireFreeAlias = async (store: Store, alias: string, self: string | null): Promise<void> => {
  if (await store.aliasTaken(alias, self)) throw new DomainError("alias_taken", TAKEN);
};

/** A new account and what it takes to make it; the password has been hashed. */
export interface NewAccount {
  player: Player;
  changes: Changes & { writes: Write[] };
}

/**
 * Registers a newcomer as a human with a tag code, or as a spectator.
 * @throws DomainError `alias_taken`
 */
export const newAccount = async (
  store: Store,
  newcomer: Newcomer & { hash: string },
  moment: CommandContext,
  as: "human" | "spectator" = "human",
): Promise<NewAccount> => {
  await requireFreeAlias(store, newcomer.alias, null);
  const shard = Math.floor(Math.random() * store.shards());
  const spectator = newSpectator(randomUUID(), shard, newcomer, rfc3339(moment.now));
  const player = as === "human" ? asHuman(spectator, moment) : spectator;
  return {
    player,
    changes: {
      players: [{ before: null, after: player }],
      writes: [credentialWrite(player.player_id, null, newcomer.hash)],
    },
  };
};
