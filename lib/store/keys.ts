/**
 * The shape of the table: every key, in one place. Nobody else need know how an item is found.
 *
 *     item                      pk                        sk                    also in
 *     player                    PLAYER#<id>               PROFILE               gsi1 ROSTER#<shard> / folded alias
 *                                                                               gsi2 ZOMBIES#<shard> / deadline#id (zombies)
 *                                                                               gsi3 KILLS#<shard> / kills down, time, id (ever a zombie)
 *     picture                   PLAYER#<id>               PICTURE               while the player has_pfp
 *     note, place of a hunt     PLAYER#<hunter>           NOTE#<id>             while the hunter has an account
 *     alias guard               ALIAS#<folded alias>      ALIAS                 -> player_id
 *     look-alike guard          LOOK#<skeleton>           ALIAS                 -> player_id
 *     tag code                  CODE#<code>               CODE                  -> player_id; never updated
 *     credential                SECRET#<player id>        CREDENTIAL            with failed logins and password changes
 *     failures at nobody's      SECRET#NOBODY#<hash>      CREDENTIAL            of the folded alias; expires after an hour
 *     sessions                  SECRET#<player id>        SESSIONS              all of a player's, at most 20
 *     recovery code             SECRET#<player id>        RECOVERY              hashed; expires after an hour
 *     subscription              SECRET#<player id>        SUBSCRIPTION#<hash>   gsi1 SECRET#SUBSCRIPTIONS#<shard> / hash#id
 *     endpoint guard            SECRET#ENDPOINT#<hash>    ENDPOINT              -> player_id, subscription_id
 *     stored response           SECRET#ONCE#<player id>   KEY#<key>             of a request with an Idempotency-Key; expires after 24 h
 *     registration              SECRET#ONCE#<player id>   NEW#<key>             the request that made the account; expires after 24 h
 *     game                      GAME                      STATE
 *     administrators            GAME                      ADMINS
 *     counters                  COUNT#<shard>             <shard>#<slot>        256 slots
 *     interaction               INTERACTIONS#<shard>      <id>                  infections: gsi1 INFECTIONS#<shard> / id
 *                                                                               gsi2 INFECTED_BY#<parent> / id
 *                                                                               (id#VOID once taken back)
 *     log entry                 LOGS#<shard>              <id>
 *     notification              NOTIFICATIONS#<shard>     <id>
 *     job                       JOB#<id>                  JOB, PLAN, DONE#<n>
 *     broadcast                 SECRET#BROADCAST#<id>     PLAN#<n>, PAGE#<n>#<round>, END   hashes of endpoints; expires after a week
 *     sweep's clock             GAME                      SWEPT                 when the last sweep ran, and whether sweeps are held
 *     warnings given            GAME                      WARNED                how far the sweep has warned
 *     bulk work                 GAME                      GOING_ON              while a run of it is on the queue; expires
 *     throttle                  SECRET#THROTTLE#<what>#<address or player>  ALLOWANCE  expires when the allowance must be whole again
 *     import under way          GAME                      IMPORT                which file; until all of it has come
 *     reset under way           GAME                      RESET                 since when, and which file the season before is in
 *
 * - Every partition key, of the table or an index, that holds a secret begins with SECRET#, so that one rule
 *   keeps secrets from game masters' queries. Keys built with {@link SECRET} and no other way.
 * - A shard spreads a list over partitions. An item keeps the shard it was written to, so the number of
 *   shards can be raised on a running game.
 * - `rev` counts the writes of an item that is written more than once; `expires` is for the table's TTL, in
 *   seconds, and is always checked when read, because nothing is deleted promptly.
 */
import type { Key } from "../dynamodb/key.ts";

/** The prefix of every partition key that holds a secret. */
export const SECRET = "SECRET#";

/**
 * How many items the counters of a shard are spread over, so that transactions seldom meet. They lie in one partition:
 * a query is paid by the bytes that it reads, so that adding up all of them costs little more than one.
 */
export const COUNTER_SLOTS = 256;

const MOST_KILLS = 9_999_999;
// Game time is about the number of milliseconds since 1970, less or more: kept positive, so that its digits sort.
const DEADLINE_ORIGIN = 1e15;

/** A game time as digits that sort; so does any range of them. */
export const deadlineDigits = (deadline: number): string =>
  String(Math.round(deadline) + DEADLINE_ORIGIN).padStart(16, "0");

/** A number of something as digits that sort. */
const digits = (number: number): string => String(number).padStart(6, "0");

/** The partition of a player's stored responses: one query finds them all. */
export const idempotencyScope = (playerId: string): string => `${SECRET}ONCE#${playerId}`;

const broadcastOf = (id: string): string => `${SECRET}BROADCAST#${id}`;

export const keys = {
  player: (id: string): Key => ({ pk: `PLAYER#${id}`, sk: "PROFILE" }),
  picture: (id: string): Key => ({ pk: `PLAYER#${id}`, sk: "PICTURE" }),
  annotation: (hunter: string, id: string): Key => ({ pk: `PLAYER#${hunter}`, sk: `NOTE#${id}` }),
  alias: (folded: string): Key => ({ pk: `ALIAS#${folded}`, sk: "ALIAS" }),
  look: (skeleton: string): Key => ({ pk: `LOOK#${skeleton}`, sk: "ALIAS" }),
  code: (code: string): Key => ({ pk: `CODE#${code}`, sk: "CODE" }),
  credential: (id: string): Key => ({ pk: `${SECRET}${id}`, sk: "CREDENTIAL" }),
  sessions: (id: string): Key => ({ pk: `${SECRET}${id}`, sk: "SESSIONS" }),
  recovery: (id: string): Key => ({ pk: `${SECRET}${id}`, sk: "RECOVERY" }),
  subscription: (id: string, hash: string): Key => ({ pk: `${SECRET}${id}`, sk: `SUBSCRIPTION#${hash}` }),
  endpoint: (hash: string): Key => ({ pk: `${SECRET}ENDPOINT#${hash}`, sk: "ENDPOINT" }),
  response: (playerId: string, key: string): Key => ({ pk: idempotencyScope(playerId), sk: `KEY#${key}` }),
  registration: (playerId: string, key: string): Key => ({
    pk: idempotencyScope(playerId),
    sk: `NEW#${key}`,
  }),
  /** Where earlier versions store a response: decision 36 says until when these are read. */
  legacyResponse: (who: string, key: string): Key => ({ pk: `${SECRET}ONCE#${who}#${key}`, sk: "ONCE" }),
  game: { pk: "GAME", sk: "STATE" },
  administrators: { pk: "GAME", sk: "ADMINS" },
  count: (shard: number, slot: number): Key => ({ pk: countersList(shard), sk: `${shard}#${slot}` }),
  interaction: (shard: number, id: string): Key => ({ pk: interactionsList(shard), sk: id }),
  notification: (shard: number, id: string): Key => ({ pk: notificationsList(shard), sk: id }),
  log: (shard: number, id: string): Key => ({ pk: logsList(shard), sk: id }),
  broadcastPlan: (id: string, plan: number): Key => ({ pk: broadcastOf(id), sk: `PLAN#${digits(plan)}` }),
  broadcastRound: (id: string, page: number, round: number): Key => ({
    pk: broadcastOf(id),
    sk: `PAGE#${digits(page)}#${digits(round)}`,
  }),
  broadcastEnd: (id: string): Key => ({ pk: broadcastOf(id), sk: "END" }),
  throttle: (what: string, who: string): Key => ({
    pk: `${SECRET}THROTTLE#${what}#${who}`,
    sk: "ALLOWANCE",
  }),
  sweepClock: { pk: "GAME", sk: "SWEPT" },
  warnings: { pk: "GAME", sk: "WARNED" },
  continuation: { pk: "GAME", sk: "GOING_ON" },
  importing: { pk: "GAME", sk: "IMPORT" },
  resetting: { pk: "GAME", sk: "RESET" },
  job: (id: string): Key => ({ pk: `JOB#${id}`, sk: "JOB" }),
  jobPlan: (id: string): Key => ({ pk: `JOB#${id}`, sk: "PLAN" }),
  jobDone: (id: string, page: number): Key => ({
    pk: `JOB#${id}`,
    sk: `DONE#${digits(page)}`,
  }),
} as const;

/** Partition keys of the lists, shard by shard. */
export const countersList = (shard: number): string => `COUNT#${shard}`;
export const rosterList = (shard: number): string => `ROSTER#${shard}`;
export const zombiesList = (shard: number): string => `ZOMBIES#${shard}`;
export const killsList = (shard: number): string => `KILLS#${shard}`;
export const interactionsList = (shard: number): string => `INTERACTIONS#${shard}`;
export const infectionsList = (shard: number): string => `INFECTIONS#${shard}`;
export const logsList = (shard: number): string => `LOGS#${shard}`;
export const notificationsList = (shard: number | ""): string => `NOTIFICATIONS#${shard}`;
export const subscriptionsList = (shard: number): string => `${SECRET}SUBSCRIPTIONS#${shard}`;
export const infectedByList = (parent: string): string => `INFECTED_BY#${parent}`;

const VOIDED = "#VOID";

/**
 * Sort key among the infections: in order of recording. One that was taken back says so here, because every index
 * holds its keys, and the indexes of existing games could not be given another attribute.
 */
export const infectionOrder = (id: string, isVoided: boolean): string => (isVoided ? `${id}${VOIDED}` : id);
export const isVoidedOrder = (order: string): boolean => order.endsWith(VOIDED);

/** Sort key among the living zombies: who starves first comes first. */
export const hungerOrder = (deadline: number, id: string): string => `${deadlineDigits(deadline)}#${id}`;

/** Sort key on the leaderboard: most kills first, then who reached them first. */
export const killsOrder = (kills: number, lastKillAt: string | null, id: string): string =>
  `${String(MOST_KILLS - kills).padStart(7, "0")}#${lastKillAt ?? ""}#${id}`;

/** When the last kill was, by a sort key on the leaderboard: it says so already, and the index need not carry it twice. */
export const lastKillOf = (order: string): string | null => order.split("#")[1] || null;
