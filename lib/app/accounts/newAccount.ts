/** A new account: the player and the writes that create it. */
import { randomUUID } from "node:crypto";
import { credentialWrite } from "../../auth/credentials.ts";
import type { Game } from "../../domain/clock.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { type Newcomer, newSpectator, type Player } from "../../domain/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import { asHuman } from "../../domain/transitions.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Changes } from "../../store/changes.ts";
import { randomShard } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";

const TAKEN = "This alias is taken, or looks like one that is.";

/** @param self the id of the player who may have the alias already @throws DomainError `alias_taken` */
export const requireFreeAlias = async (store: Store, alias: string, self: string | null): Promise<void> => {
  if (await store.aliasTaken(alias, self)) throw new DomainError("alias_taken", TAKEN);
};

export interface NewAccount {
  player: Player;
  changes: Changes & { writes: Write[] };
}

/**
 * A new account of a human with a tag code, or of a spectator, and the changes that create it.
 * @param newcomer.hash the hash of the password
 * @throws DomainError `alias_taken`
 */
export const newAccount = async (
  store: Store,
  game: Game,
  newcomer: Newcomer & { hash: string },
  context: CommandContext,
  as: "human" | "spectator" = "human",
): Promise<NewAccount> => {
  await requireFreeAlias(store, newcomer.alias, null);
  const spectator = newSpectator(randomUUID(), randomShard(game), newcomer, rfc3339(context.now));
  const player = as === "human" ? asHuman(spectator, context) : spectator;
  return {
    player,
    changes: {
      players: [{ before: null, after: player }],
      seen: game,
      writes: [credentialWrite(player.player_id, null, newcomer.hash)],
    },
  };
};
