/** Renaming: how often a player may change their alias, and which earlier aliases stay theirs. */
import { isSameAlias } from "./alias.ts";
import { DomainError } from "./domainError.ts";
import type { Player } from "./player.ts";
import { DAY, HOUR, instantOf, rfc3339, SECOND } from "./time.ts";

/**
 * The number of given-up aliases that stay reserved for a player; beyond that, the oldest is free again. All guards of
 * these aliases must fit into one transaction.
 */
export const MAX_FORMER_ALIASES = 15;

/** How long a player must wait between changes of the alias. */
export const RENAMING_INTERVAL = DAY;

/** The player with another alias. The old one stays reserved for them until the season ends. */
export const withAlias = (player: Player, alias: string): Player => {
  if (alias === player.alias) return player;
  const former = [player.alias, ...player.former_aliases].filter((one) => !isSameAlias(one, alias));
  return { ...player, alias, former_aliases: former.slice(0, MAX_FORMER_ALIASES) };
};

/**
 * The player after they have changed their own alias, which they may do once a day.
 * @throws DomainError `too_many_attempts`
 */
export const withOwnAlias = (player: Player, alias: string, now: number): Player => {
  if (alias === player.alias) return player;
  const free = player.renamed_at === null ? now : instantOf(player.renamed_at) + RENAMING_INTERVAL;
  if (free > now) {
    const hours = Math.ceil((free - now) / HOUR);
    throw new DomainError(
      "too_many_attempts",
      `You can change your alias once a day: again in ${hours} ${hours === 1 ? "hour" : "hours"}.`,
      { retryAfter: Math.ceil((free - now) / SECOND) },
    );
  }
  return { ...withAlias(player, alias), renamed_at: rfc3339(now) };
};
