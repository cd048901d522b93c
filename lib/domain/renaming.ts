/** Renaming: how often a player may change their alias, and which earlier aliases stay theirs. */
import { isSameAlias } from "./alias.ts";
import { tooManyAttempts } from "./backoff.ts";
import type { Player } from "./player.ts";
import { DAY, HOUR, instantOf, rfc3339 } from "./time.ts";

/**
 * The maximum number of given-up aliases that stay reserved for a player; beyond it, the oldest becomes available. The
 * guards of all these aliases must fit into one transaction.
 */
export const MAX_FORMER_ALIASES = 15;

/** The minimum time between a player's changes of the alias, in milliseconds. */
export const RENAMING_INTERVAL = DAY;

/** Changes a player's alias. The old one stays reserved for the player until the season ends. */
export const withAlias = (player: Player, alias: string): Player => {
  if (alias === player.alias) return player;
  const former = [player.alias, ...player.former_aliases].filter((one) => !isSameAlias(one, alias));
  return { ...player, alias, former_aliases: former.slice(0, MAX_FORMER_ALIASES) };
};

/**
 * Changes the alias at the player's own request, which is allowed once a day.
 * @throws DomainError `too_many_attempts`
 */
export const withOwnAlias = (player: Player, alias: string, now: number): Player => {
  if (alias === player.alias) return player;
  const allowedAt = player.renamed_at === null ? now : instantOf(player.renamed_at) + RENAMING_INTERVAL;
  if (allowedAt > now) {
    const hours = Math.ceil((allowedAt - now) / HOUR);
    throw tooManyAttempts(
      allowedAt - now,
      `You can change your alias once a day: again in ${hours} ${hours === 1 ? "hour" : "hours"}.`,
    );
  }
  return { ...withAlias(player, alias), renamed_at: rfc3339(now) };
};
