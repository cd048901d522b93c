/** A new account with the administrator role. */
import { setRoles } from "../../auth/roles.ts";
import type { Game } from "../../domain/game/game.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Newcomer } from "../../domain/players/player.ts";
import type { Store } from "../../store/store.ts";
import { type NewAccount, newAccount } from "./newAccount.ts";

/** Like {@link newAccount}, of an administrator. */
export const newAdministrator = async (
  store: Store,
  game: Game,
  newcomer: Newcomer & { hash: string },
  context: CommandContext,
  as: "human" | "spectator",
): Promise<NewAccount> => {
  const account = await newAccount({ store, mail: null }, game, newcomer, context, { as, is_admin: true });
  const { changes, furtherWrites } = account;
  const { player, writes } = await setRoles(
    store,
    account.player,
    { ...account.player, is_admin: true },
    null,
  );
  return {
    player,
    changes: {
      ...changes,
      players: [{ before: null, after: player }],
      writes: [...changes.writes, ...writes],
    },
    furtherWrites: [...furtherWrites, ...writes],
  };
};
