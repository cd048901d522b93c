/**
 * Changes of aliases and e-mail addresses: how often a player may make them, and which earlier ones are remembered until
 * the season ends.
 */
import { tooManyAttempts } from "../backoff.ts";
import { DomainError } from "../domainError.ts";
import type { Game } from "../game/game.ts";
import type { Player } from "../players/player.ts";
import { DAY, HOUR, instantOf, rfc3339 } from "../time.ts";
import { isSameAlias } from "./alias.ts";

/**
 * The maximum number of given-up aliases of a player, and of given-up addresses. Only a game master's change goes beyond it,
 * and drops the oldest. The guards of all these aliases must fit into one transaction.
 */
export const MAX_FORMER = 15;

/** The minimum time between a player's changes of the alias, in milliseconds. */
export const RENAMING_INTERVAL = DAY;

const formerAliases = (player: Player, alias: string): string[] =>
  [player.alias, ...player.former_aliases].filter((one) => !isSameAlias(one, alias));

/** Changes a player's alias. The old one stays reserved for the player until the season ends. */
export const withAlias = (player: Player, alias: string): Player =>
  alias === player.alias
    ? player
    : { ...player, alias, former_aliases: formerAliases(player, alias).slice(0, MAX_FORMER) };

/** Requires that all given-up values can be remembered. @throws DomainError `ask_game_master` */
const requireRoom = (former: readonly string[], what: string): void => {
  if (former.length <= MAX_FORMER) return;
  throw new DomainError(
    "ask_game_master",
    `You have changed your ${what} ${MAX_FORMER} times in this season. Ask a game master to change it.`,
  );
};

/**
 * When a player last took an alias, RFC 3339. After the start that a game has, the alias of a new account counts as a change;
 * before that, a typing error can be mended at once.
 */
const aliasSince = ({ created_at, renamed_at }: Player, { schedule }: Game): string | null => {
  if (renamed_at !== null) return renamed_at;
  const startsAt = schedule?.starts_at ?? null;
  return startsAt !== null && instantOf(created_at) >= startsAt ? created_at : null;
};

/**
 * Changes the alias at the player's own request, which is allowed once a day and {@link MAX_FORMER} times in a season.
 * @throws DomainError `too_many_attempts`, `ask_game_master`
 */
export const withOwnAlias = (player: Player, alias: string, game: Game, now: number): Player => {
  if (alias === player.alias) return player;
  requireRoom(formerAliases(player, alias), "alias");
  const since = aliasSince(player, game);
  const allowedAt = since === null ? now : instantOf(since) + RENAMING_INTERVAL;
  if (allowedAt > now) {
    const hours = Math.ceil((allowedAt - now) / HOUR);
    throw tooManyAttempts(
      allowedAt - now,
      `You can change your alias once a day: again in ${hours} ${hours === 1 ? "hour" : "hours"}.`,
    );
  }
  return { ...withAlias(player, alias), renamed_at: rfc3339(now) };
};

/** Computes the hash of an e-mail address, which is the same for all its spellings. */
type HashOf = (email: string) => string;

const formerAddresses = (
  { email, former_addresses }: Player,
  wanted: string | null,
  hashOf: HashOf,
): string[] => {
  const [old, current] = [email, wanted].map((one) => (one === null ? null : hashOf(one)));
  if (old === current) return former_addresses;
  const givenUp = old == null ? former_addresses : [old, ...former_addresses];
  return [...new Set(givenUp)].filter((one) => one !== current);
};

/** A player's e-mail address is the same in another spelling. */
const isSameAddress = (one: string | null, other: string | null, hashOf: HashOf): boolean =>
  one === other || (one !== null && other !== null && hashOf(one) === hashOf(other));

/**
 * Changes a player's e-mail address, which is then not confirmed, unless only its spelling changes. The hash of the old one
 * is remembered until the season ends.
 */
export const withAddress = (player: Player, email: string | null, hashOf: HashOf): Player => {
  const { email_confirmed: isConfirmed, pending_email: _, ...rest } = player;
  const after = {
    ...rest,
    email,
    former_addresses: formerAddresses(player, email, hashOf).slice(0, MAX_FORMER),
  };
  const stays = isConfirmed === true && isSameAddress(player.email, email, hashOf);
  return stays ? { ...after, email_confirmed: true } : after;
};

/** The player after they have confirmed an address. */
export const withConfirmedAddress = (player: Player, email: string, hashOf: HashOf): Player => ({
  ...withAddress(player, email, hashOf),
  email_confirmed: true,
});

/**
 * Changes the e-mail address at the player's own request, which is allowed {@link MAX_FORMER} times in a season.
 * @throws DomainError `ask_game_master`
 */
export const withOwnAddress = (player: Player, email: string | null, hashOf: HashOf): Player => {
  requireRoom(formerAddresses(player, email, hashOf), "e-mail address");
  return withAddress(player, email, hashOf);
};
