/** Creates or promotes administrators: for `npm run create-admin`, and the first one by the set-up address. */
import { requireOtherThanAlias } from "../../auth/credentials.ts";
import { type HashCost, hashPassword, passwordIssue } from "../../auth/password.ts";
import { setRoles } from "../../auth/roles.ts";
import { normalizeAlias } from "../../domain/accounts/alias.ts";
import { aliasIssue } from "../../domain/accounts/aliasRules.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Write } from "../../dynamodb/database.ts";
import { NO_DEADLINE } from "../../store/commit.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { appointed } from "./appointment.ts";
import { newAdministrator } from "./newAdministrator.ts";

export interface BootstrapContext {
  store: Store;
  cost: HashCost;
  clock: () => number;
}

const atOnce = ({ clock }: BootstrapContext) => ({ timeLeft: NO_DEADLINE, now: clock() });

/** Ends the set-up address, also for somebody who is using it right now. */
const SET_UP: Write = { remove: keys.setUp };

/**
 * Creates an account with the administrator role.
 * @param wanted.playing whether the account is a human; otherwise it is a spectator
 * @throws DomainError `alias_taken`; `invalid_request` for an invalid alias or password
 */
export const createAdministrator = async (
  bootstrap: BootstrapContext,
  wanted: { alias: string; password: string; playing: boolean },
  context: CommandContext,
): Promise<{ player_id: string; alias: string }> => {
  const { store, cost } = bootstrap;
  const alias = normalizeAlias(wanted.alias);
  const issue = aliasIssue(wanted.alias);
  if (issue !== null) throw invalidRequest({ path: "alias", ...issue });
  const passwordProblem = await passwordIssue(wanted.password);
  if (passwordProblem !== null) throw invalidRequest({ path: "password", message: passwordProblem });
  requireOtherThanAlias(wanted.password, alias);
  const game = await store.game();
  const hash = await hashPassword(wanted.password, cost);
  return store.apply(async () => {
    const as = wanted.playing ? "human" : "spectator";
    const { player, changes } = await newAdministrator(store, game, { alias, hash }, context, as);
    changes.writes.push(SET_UP);
    return { changes, result: { player_id: player.player_id, alias: player.alias } };
  }, atOnce(bootstrap));
};

/**
 * Gives an existing account the administrator role.
 * @returns `already` when it had the role before
 * @throws DomainError `player_not_found`
 */
export const promoteToAdministrator = (
  bootstrap: BootstrapContext,
  { alias }: { alias: string },
  context: CommandContext,
): Promise<{ player_id: string; alias: string; already: boolean }> =>
  bootstrap.store.apply(async () => {
    const { store } = bootstrap;
    const before = await store.playerByAlias(alias);
    if (before === null) throw new DomainError("player_not_found", `No player is called ${alias}.`);
    const promoted = await setRoles(store, before, { ...before, is_admin: true }, null);
    const { player: after, writes } = appointed(before, promoted.player, null, context);
    return {
      changes: { players: [{ before, after }], writes: [...promoted.writes, ...writes, SET_UP] },
      result: { player_id: after.player_id, alias: after.alias, already: before.is_admin },
    };
  }, atOnce(bootstrap));
