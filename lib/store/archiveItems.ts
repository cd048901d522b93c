/** Which items an archive of a game has, and which tell that a table has a game. */
import { KEY_ATTRIBUTES, type Key } from "../dynamodb/key.ts";
import { keyOf, type RawItem } from "../dynamodb/rawItem.ts";
import {
  CODES,
  JOIN_CODES,
  KEPT_SIGNATURES,
  keys,
  logsList,
  partitionPrefix,
  SECRET,
  SIGNATURES,
  TOMBSTONES,
  UNDER_AGE,
} from "./keys.ts";

export const FORMAT = "zombie-game";
export const VERSION = 1;

export const isAt = (item: RawItem, key: Key): boolean => {
  const { pk, sk } = keyOf(item);
  return pk === key.pk && sk === key.sk;
};

/** Whether an item holds a secret: its key, or one of an index, begins with `SECRET#`. */
export const holdsSecret = (item: RawItem): boolean =>
  KEY_ATTRIBUTES.some((name) => item[name]?.S?.startsWith(SECRET) === true);

/** Sessions and recovery codes grant access to accounts, so they are exported only on request. */
const SESSIONS = ["SESSIONS", "RECOVERY"];

/**
 * Secrets of the game instead of a player: bans, players who have left, addresses in use, join codes, codes of rewards,
 * signatures, whose answers stay encrypted.
 */
const OF_THE_GAME = [
  ...[keys.bans.pk, TOMBSTONES, keys.email("").pk, keys.confirmedEmail("").pk, JOIN_CODES, CODES],
  ...[SIGNATURES, UNDER_AGE, KEPT_SIGNATURES],
];

/** Whether a secret with this sort key is part of a player's account. */
const isOfAccount = (sk: string): boolean =>
  sk === "CREDENTIAL" || sk === "ENDPOINT" || sk.startsWith("SUBSCRIPTION#");

const begins = (item: RawItem, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => keyOf(item).pk.startsWith(prefix));

/**
 * Items that the service writes even if nobody plays: log entries, rate limits, failed logins at unknown accounts, and the
 * public page. `npm run doctor` creates some of them. So does a start, of a set-up secret.
 */
const TRACES = [
  ...[partitionPrefix(logsList), `${SECRET}THROTTLE#`, `${SECRET}NOBODY#`, keys.publicPage.pk],
  keys.setUp.pk,
];

/** Whether an item is of those that hold `JOIN_CODE`, which a deploy or a start writes into a new game. */
const isSeed = (item: RawItem): boolean => isAt(item, keys.game) || keyOf(item).pk === JOIN_CODES;

/**
 * Whether an item belongs to a game: to an account, to something that was played, or of an unknown kind. The settings
 * alone are no game, because they can be changed only by an account.
 */
export const isGameItem = (item: RawItem): boolean =>
  !(begins(item, TRACES) || isSeed(item) || isAt(item, keys.sweepClock) || isAt(item, keys.continuation));

/**
 * Items that expire and are useless in another table: jobs, events, rate limits, failed logins at unknown accounts, the
 * public page, the set-up secret.
 */
const PASSING = [
  ...["JOB#", keys.event("").pk, `${SECRET}THROTTLE#`, `${SECRET}NOBODY#`, keys.publicPage.pk],
  keys.setUp.pk,
];

/**
 * Returns a predicate that selects the items to export.
 * @param job the id of the job that the game item refers to
 */
export const exportFilter =
  ({ withSessions, job }: { withSessions: boolean; job: string | null }) =>
  (item: RawItem): boolean => {
    const { pk, sk } = keyOf(item);
    if (job !== null && pk === keys.job(job).pk) return true;
    // Players who have left cannot come back by their password in another table; a game master decides.
    const isPassword = pk.startsWith(TOMBSTONES) && sk === keys.credential("").sk;
    if (
      isPassword ||
      isAt(item, keys.importing) ||
      isAt(item, keys.resetting) ||
      isAt(item, keys.continuation) ||
      begins(item, PASSING)
    )
      return false;
    // Unknown secrets are not exported.
    if (!pk.startsWith(SECRET) || begins(item, OF_THE_GAME)) return true;
    return isOfAccount(sk) || (withSessions && SESSIONS.includes(sk));
  };
