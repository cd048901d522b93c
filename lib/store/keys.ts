/**
 * All keys of the table. No other file builds a key.
 *
 *     item                     pk                              sk                      content
 *     player                   PLAYER#<player id>              PROFILE                 with the index keys below
 *     picture                  PLAYER#<player id>              PICTURE                 exists while the player has_pfp
 *     note of a hunt           PLAYER#<hunter's player id>     NOTE#<interaction id>   note and place; removed with the account
 *     note of a renaming       PLAYER#<player id>              NOTE#<request id>       both aliases; removed with the account
 *     text of a dispute        PLAYER#<author's player id>     NOTE#<entry id>         statement or comment; removed with the account
 *     alias guard              ALIAS#<folded alias>            ALIAS                   player_id; given_up for an earlier alias
 *     look-alike guard         LOOK#<folded skeleton>          ALIAS                   player_id; given_up for an earlier alias
 *     reference guard          REF#<player_ref>                REF                     player_id
 *     search word              WORDS                           <word>#<player id>      player_id; of_masters if only administrators may search
 *     tag code                 CODE#<tag code>                 CODE                    player_id, and a reported tag or departure
 *     credential               SECRET#<player id>              CREDENTIAL              password hash, failed logins, devices
 *     failures, unknown alias  SECRET#NOBODY#<hash of alias>   CREDENTIAL              expires after 12 hours
 *     sessions                 SECRET#<player id>              SESSIONS                all of a player's sessions, at most 20
 *     recovery code            SECRET#<player id>              RECOVERY                hashed; expires after 1 hour, of an invitation after 14 days, mailed after 7
 *     subscription             SECRET#<player id>              SUBSCRIPTION#<hash>     hash of the endpoint
 *     endpoint guard           SECRET#ENDPOINT#<hash>          ENDPOINT                player_id, subscription_id
 *     stored response          SECRET#ONCE#<player id>         KEY#<idempotency key>   expires after 24 hours
 *     legacy stored response   SECRET#ONCE#<player id>#<key>   ONCE                    of earlier versions (decision 36)
 *     registration             SECRET#ONCE#<player id>         NEW#<idempotency key>   request that made the account; expires after 24 hours
 *     address guard            SECRET#EMAIL#<hash>             EMAIL                   player_id; while unique_email is on
 *     confirmed address        SECRET#CONFIRMED#<hash>         EMAIL                   player_id; at most one account has confirmed an address
 *     mails of an account      SECRET#<player id>              MAIL                    links that are valid, and when they were sent
 *     departed player          SECRET#TOMBSTONES#<player id>   DEPARTED                of one who left during play, until they return
 *     password of a departed   SECRET#TOMBSTONES#<player id>   CREDENTIAL              password hash, failed attempts; never exported
 *     name of a departed       SECRET#TOMBSTONES#<hash>        LEFT#<player id>        keyed hash of an alias or address of the season
 *     legacy tombstone         SECRET#TOMBSTONES#<hash>        TOMBSTONE               of earlier versions (decision 85)
 *     key of these hashes      SECRET#TOMBSTONES               KEY
 *     enforcement              SECRET#TOMBSTONES               ENFORCED#<checkpoint id> its latest start, for players who are away
 *     undo of an enforcement   SECRET#TOMBSTONES               UNDONE#<checkpoint id>  exists until the checkpoint is enforced again
 *     required missions        SECRET#TOMBSTONES               MISSED#<job id>         their enforcement, for players who are away
 *     past clock               SECRET#TOMBSTONES               CUT#<epoch>             a snapshot of the clock that the game has dropped
 *     join code                SECRET#JOIN_CODES               <folded code>           its uses and its end
 *     batch of codes           SECRET#CODES                    BATCH#<batch id>        what its codes give, to whom, when
 *     key of codes' hashes     SECRET#CODES                    KEY
 *     sheet of a batch         SECRET#CODES#<batch id>         SHEET                   its codes, readable
 *     redemption               SECRET#CODES#<batch id>         BY#<player id>#<number> the number counts the player's redemptions of the batch
 *     code                     SECRET#CODES#<hash>             CODE                    keyed hash of the code; its uses
 *     signature                SECRET#SIGNATURES               SIGNED#<player id>      the latest of a player; birth date and contact are encrypted
 *     earlier signature        SECRET#SIGNATURES               SIGNED#<player id>#<signature id>
 *     who is under age         SECRET#UNDER_AGE                UNDER_AGE#<player id>   waits; the birth date is encrypted
 *     kept signature           SECRET#KEPT_SIGNATURES          KEPT#<signature id>#<rev>  of a deleted account; expires
 *     bans                     SECRET#BANS                     BANS                    all of them; hashes of addresses
 *     set-up secret            SECRET#SETUP                    SETUP                   hashed; until there is a game master
 *     webhooks                 SECRET#WEBHOOKS                 WEBHOOKS                all of them; addresses and secrets
 *     mail                     SECRET#OUTBOX                   <mail id>               kind, recipient, state; no token; expires after 30 days
 *     pace of mails            SECRET#MAIL_PACE                PACE                    free slots, and failures of the server
 *     suppressed address       SECRET#SUPPRESSED               <hash>                  of an address that a server has refused
 *     rate limit               SECRET#THROTTLE#<limit>#<id>    ALLOWANCE               address or player; expires when it is full
 *     attempt, unknown alias   SECRET#NOBODY#                  LATEST                  written in place of a log entry; expires after a day
 *     public page              PUBLIC                          PAGE                    what everybody may see, computed for all processes; expires
 *     game                     GAME                            STATE
 *     texts of the game        GAME                            TEXTS                   description, rules, contact, stuns, safe places
 *     text of a waiver         WAIVERS                         <version>               each text that was to be signed
 *     administrators           GAME                            ADMINS                  the sets of player ids: administrators, moderators
 *     original zombie          GAME                            ORIGINAL#<infection id> player_id; of one who was hidden when infected
 *     sweep clock              GAME                            SWEPT                   the last sweep, and whether sweeps are held
 *     warnings                 GAME                            WARNED                  the deadline up to which zombies were warned
 *     continuation             GAME                            GOING_ON                exists while bulk work is queued; expires
 *     import                   GAME                            IMPORT                  the file; exists until the import is complete
 *     reset                    GAME                            RESET                   start, and archive file or job; exists until complete
 *     end of the season        GAME                            FINISH                  awards of game masters, and every time it was finished
 *     past season              SEASONS                         <season id>             result and numbers; see store/seasons/recaps.ts
 *     part of its recap        SEASON#<season id>              PART#<number>           compressed: curve, tree, awards, missions
 *     its players              SEASON#<season id>              PLAYERS#<shard>         compressed: what it was for each
 *     name in past seasons     PAST_NAMES                      <player id>             alias; of those who want to be named
 *     counters                 COUNT#<shard>                   <shard>#<slot>          256 slots per shard
 *     interaction              INTERACTIONS#<shard>            <interaction id>        with the index keys below
 *     dispute                  DISPUTE#<interaction id>        DISPUTE                 of a hunt; its texts are notes of their authors
 *     mission                  MISSIONS                        <mission id>            with all its texts
 *     desk of a mission        MISSION#<mission id>            DESK                    whether it is open, and how many attended
 *     attendance               MISSION#<mission id>            ATTENDED#<player id>    sides, times, who entered it, rewards
 *     picture of a mission     MISSION#<mission id>            PICTURE#<hash>          exists while the mission has that `picture_hash`
 *     event                    EVENT#<event id>                EVENT                   announced, but no interaction; expires after a day
 *     log entry                LOGS#<shard>                    <log id>
 *     notification             NOTIFICATIONS#<shard>           <notification id>
 *     origin                   SECRET#<player id>              ORIGIN                  keyed hash of the address of registration; expires after a day
 *     tags of newcomers        SECRET#TAGS#<hash of address>   <hunter's player id>    of the last hour; expires
 *     alert                    ALERTS                          <alert id>              kind, hunter, hunts
 *     review                   REVIEWS                         <player id>             exists while the player has a `review`
 *     statistics               STATISTICS                      <first id>              the data of a range of interactions
 *     job                      JOB#<job id>                    JOB
 *     plan of a job            JOB#<job id>                    PLAN                    the first 5,000 players
 *     rest of a plan           JOB#<job id>                    PLAN#<number>           5,000 players each
 *     page of a job            JOB#<job id>                    DONE#<page>
 *     broadcast plan           SECRET#BROADCAST#<id>           PLAN#<number>           hashes of endpoints; expires after a week
 *     broadcast round          SECRET#BROADCAST#<id>           PAGE#<page>#<round>     hashes of endpoints; expires after a week
 *     broadcast end            SECRET#BROADCAST#<id>           END                     expires after a week
 *
 *     index  of             partition key                   sort key
 *     gsi1   player         ROSTER#<shard>                  <folded alias>
 *     gsi1   interaction    INFECTIONS#<shard>              <interaction id>; #VOID is appended when voided (infections only)
 *     gsi1   subscription   SECRET#SUBSCRIPTIONS#<shard>    <hash of the endpoint>#<subscription id>
 *     gsi2   player         ZOMBIES#<shard>                 <deadline>#<player id> (zombies only)
 *     gsi2   interaction    INFECTED_BY#<parent>            as in gsi1 (infections with a parent only)
 *     gsi2   dispute        DISPUTES                        open#<id>, or closed#<id>#<outcome>
 *     gsi2   notification   SCHEDULED                       <time to send>#<notification id> (until its delivery is queued)
 *     gsi2   mission        SCHEDULED                       <time>#<mission id> (while something is to be announced)
 *     gsi2   attendance     ATTENDED_BY#<player id>         <mission id>#<what its rewards did> (since the mission was closed)
 *     gsi3   player         KILLS#<shard>                   <kills, descending>#<last kill>#<player id> (after the first infection);
 *                                                           #<hash of the picture> is appended if there is one
 *
 * - A player's attribute `target` is the hash of the picture (see {@link PICTURE_ATTRIBUTE}), and `parent` the points
 *   ({@link POINTS_ATTRIBUTE}).
 * - Every partition key that holds a secret, of the table or an index, begins with SECRET#, so that one rule keeps secrets
 *   from game masters' queries. Build such keys only with {@link SECRET}.
 * - The stream worker gets the records of interactions, events and mails alone: a filter selects them by the beginning of `pk`
 *   (decision 74).
 * - A shard spreads a list over partitions. An item keeps its shard, so the number of shards can grow while a game runs.
 * - `rev` counts the writes of an item that is written more than once.
 * - `expires` is the table's TTL attribute, in seconds since 1970. DynamoDB deletes expired items late, so readers check it.
 */
import type { Key } from "../dynamodb/key.ts";

/** The prefix of all partition keys that hold secrets. */
export const SECRET = "SECRET#";

/**
 * The number of counter items per shard, so that transactions rarely conflict. They share a partition: a query is charged by
 * the bytes it reads, so reading all of them costs little more than reading one.
 */
export const COUNTER_SLOTS = 256;

// Game time can be negative. The offset makes it positive, so that its digits sort.
const DEADLINE_ORIGIN = 1e15;

/** A game time as digits in sort order. */
export const deadlineDigits = (deadline: number): string =>
  String(Math.round(deadline) + DEADLINE_ORIGIN).padStart(16, "0");

/** A count as digits in sort order. */
const digits = (number: number): string => String(number).padStart(6, "0");

/** The partition of a player's stored responses. */
export const idempotencyScope = (playerId: string): string => `${SECRET}ONCE#${playerId}`;

/** The prefix of the partitions about players who have left during play. They are removed with the season. */
export const TOMBSTONES = `${SECRET}TOMBSTONES`;

/** The partition of the join codes. */
export const JOIN_CODES = `${SECRET}JOIN_CODES`;

/** The id by which the credential of a departed player is read: see `keys.credential`. */
export const departedAccount = (id: string): string => `${TOMBSTONES.slice(SECRET.length)}#${id}`;

/** The partition of the batches of codes, and the prefix of those of each batch and each code. Removed with the season. */
export const CODES = `${SECRET}CODES`;

/** The partition of the players' signatures, and that of those who wait because they are under age. Removed with the season. */
export const SIGNATURES = `${SECRET}SIGNATURES`;
export const UNDER_AGE = `${SECRET}UNDER_AGE`;

/** The partition of the signatures of deleted accounts, which expire. */
export const KEPT_SIGNATURES = `${SECRET}KEPT_SIGNATURES`;

const broadcastOf = (id: string): string => `${SECRET}BROADCAST#${id}`;

export const keys = {
  player: (id: string): Key => ({ pk: `PLAYER#${id}`, sk: "PROFILE" }),
  picture: (id: string): Key => ({ pk: `PLAYER#${id}`, sk: "PICTURE" }),
  note: (playerId: string, id: string): Key => ({ pk: `PLAYER#${playerId}`, sk: `NOTE#${id}` }),
  alias: (folded: string): Key => ({ pk: `ALIAS#${folded}`, sk: "ALIAS" }),
  look: (skeleton: string): Key => ({ pk: `LOOK#${skeleton}`, sk: "ALIAS" }),
  word: (word: string, id: string): Key => ({ pk: WORDS_LIST, sk: `${word}#${id}` }),
  playerRef: (ref: string): Key => ({ pk: `REF#${ref}`, sk: "REF" }),
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
  /** Where earlier versions stored a response. Decision 36 states until when these are read. */
  legacyResponse: (playerId: string, key: string): Key => ({
    pk: `${SECRET}ONCE#${playerId}#${key}`,
    sk: "ONCE",
  }),
  joinCode: (folded: string): Key => ({ pk: JOIN_CODES, sk: folded }),
  codeBatch: (batch: string): Key => ({ pk: CODES, sk: `BATCH#${batch}` }),
  codeHashes: { pk: CODES, sk: "KEY" },
  codeSheet: (batch: string): Key => ({ pk: `${CODES}#${batch}`, sk: "SHEET" }),
  redemption: (batch: string, playerId: string, number: number): Key => ({
    pk: `${CODES}#${batch}`,
    sk: `BY#${playerId}#${digits(number)}`,
  }),
  rewardCode: (hash: string): Key => ({ pk: `${CODES}#${hash}`, sk: "CODE" }),
  signature: (playerId: string): Key => ({ pk: SIGNATURES, sk: `SIGNED#${playerId}` }),
  earlierSignature: (playerId: string, id: string): Key => ({
    pk: SIGNATURES,
    sk: `SIGNED#${playerId}#${id}`,
  }),
  underAge: (playerId: string): Key => ({ pk: UNDER_AGE, sk: `UNDER_AGE#${playerId}` }),
  keptSignature: (id: string, rev: number): Key => ({ pk: KEPT_SIGNATURES, sk: `KEPT#${id}#${rev}` }),
  waiver: (version: string): Key => ({ pk: "WAIVERS", sk: version }),
  email: (hash: string): Key => ({ pk: `${SECRET}EMAIL#${hash}`, sk: "EMAIL" }),
  confirmedEmail: (hash: string): Key => ({ pk: `${SECRET}CONFIRMED#${hash}`, sk: "EMAIL" }),
  mailAccount: (id: string): Key => ({ pk: `${SECRET}${id}`, sk: "MAIL" }),
  departed: (id: string): Key => ({ pk: `${TOMBSTONES}#${id}`, sk: "DEPARTED" }),
  departedName: (hash: string, id: string): Key => ({ pk: `${TOMBSTONES}#${hash}`, sk: `LEFT#${id}` }),
  tombstone: (hash: string): Key => ({ pk: `${TOMBSTONES}#${hash}`, sk: "TOMBSTONE" }),
  bans: { pk: `${SECRET}BANS`, sk: "BANS" },
  webhooks: { pk: `${SECRET}WEBHOOKS`, sk: "WEBHOOKS" },
  mail: (id: string): Key => ({ pk: `${SECRET}OUTBOX`, sk: id }),
  mailPace: { pk: `${SECRET}MAIL_PACE`, sk: "PACE" },
  suppressed: (hash: string): Key => ({ pk: `${SECRET}SUPPRESSED`, sk: hash }),
  setUp: { pk: `${SECRET}SETUP`, sk: "SETUP" },
  departedKey: { pk: TOMBSTONES, sk: "KEY" },
  enforced: (checkpoint: string): Key => ({ pk: TOMBSTONES, sk: `ENFORCED#${checkpoint}` }),
  missedMissions: (job: string): Key => ({ pk: TOMBSTONES, sk: `MISSED#${job}` }),
  undone: (checkpoint: string): Key => ({ pk: TOMBSTONES, sk: `UNDONE#${checkpoint}` }),
  pastClock: (epoch: number | ""): Key => ({
    pk: TOMBSTONES,
    sk: `CUT#${epoch === "" ? "" : digits(epoch)}`,
  }),
  game: { pk: "GAME", sk: "STATE" },
  texts: { pk: "GAME", sk: "TEXTS" },
  administrators: { pk: "GAME", sk: "ADMINS" },
  original: (infection: string): Key => ({ pk: "GAME", sk: `ORIGINAL#${infection}` }),
  count: (shard: number, slot: number): Key => ({ pk: countersList(shard), sk: `${shard}#${slot}` }),
  interaction: (shard: number, id: string): Key => ({ pk: interactionsList(shard), sk: id }),
  dispute: (id: string): Key => ({ pk: `DISPUTE#${id}`, sk: "DISPUTE" }),
  mission: (id: string): Key => ({ pk: MISSIONS_LIST, sk: id }),
  missionDesk: (id: string): Key => ({ pk: missionPart(id), sk: "DESK" }),
  attended: (mission: string, playerId: string): Key => ({
    pk: missionPart(mission),
    sk: `${ATTENDED}${playerId}`,
  }),
  missionPicture: (mission: string, hash: string): Key => ({
    pk: missionPart(mission),
    sk: `PICTURE#${hash}`,
  }),
  event: (id: string): Key => ({ pk: `EVENT#${id}`, sk: "EVENT" }),
  notification: (shard: number, id: string): Key => ({ pk: notificationsList(shard), sk: id }),
  log: (shard: number, id: string): Key => ({ pk: logsList(shard), sk: id }),
  broadcastPlan: (id: string, plan: number): Key => ({ pk: broadcastOf(id), sk: `PLAN#${digits(plan)}` }),
  broadcastRound: (id: string, page: number, round: number): Key => ({
    pk: broadcastOf(id),
    sk: `PAGE#${digits(page)}#${digits(round)}`,
  }),
  broadcastEnd: (id: string): Key => ({ pk: broadcastOf(id), sk: "END" }),
  throttle: (limit: string, subject: string): Key => ({
    pk: `${SECRET}THROTTLE#${limit}#${subject}`,
    sk: "ALLOWANCE",
  }),
  unknownAttempt: { pk: `${SECRET}NOBODY#`, sk: "LATEST" },
  publicPage: { pk: "PUBLIC", sk: "PAGE" },
  sweepClock: { pk: "GAME", sk: "SWEPT" },
  warnings: { pk: "GAME", sk: "WARNED" },
  continuation: { pk: "GAME", sk: "GOING_ON" },
  importing: { pk: "GAME", sk: "IMPORT" },
  resetting: { pk: "GAME", sk: "RESET" },
  season: (id: string): Key => ({ pk: SEASONS_LIST, sk: id }),
  seasonPart: (id: string, at: number): Key => ({ pk: `SEASON#${id}`, sk: `PART#${digits(at)}` }),
  seasonPlayers: (id: string, shard: string): Key => ({ pk: `SEASON#${id}`, sk: `PLAYERS#${shard}` }),
  pastName: (playerId: string): Key => ({ pk: "PAST_NAMES", sk: playerId }),
  seasonEnd: { pk: "GAME", sk: "FINISH" },
  job: (id: string): Key => ({ pk: `JOB#${id}`, sk: "JOB" }),
  origin: (id: string): Key => ({ pk: `${SECRET}${id}`, sk: "ORIGIN" }),
  newcomerTags: (hash: string, hunter: string): Key => ({ pk: `${SECRET}TAGS#${hash}`, sk: hunter }),
  alert: (id: string): Key => ({ pk: ALERTS_LIST, sk: id }),
  review: (playerId: string): Key => ({ pk: REVIEWS_LIST, sk: playerId }),
  statistics: (from: string): Key => ({ pk: STATISTICS_LIST, sk: from }),
  jobPlan: (id: string, number: number): Key => ({
    pk: `JOB#${id}`,
    sk: number === 0 ? "PLAN" : `PLAN#${digits(number)}`,
  }),
  jobDone: (id: string, page: number): Key => ({
    pk: `JOB#${id}`,
    sk: `DONE#${digits(page)}`,
  }),
} as const;

/** Partition keys of the lists. */
export const countersList = (shard: number): string => `COUNT#${shard}`;
export const rosterList = (shard: number): string => `ROSTER#${shard}`;
export const zombiesList = (shard: number): string => `ZOMBIES#${shard}`;
export const killsList = (shard: number): string => `KILLS#${shard}`;
export const interactionsList = (shard: number): string => `INTERACTIONS#${shard}`;
export const infectionsList = (shard: number): string => `INFECTIONS#${shard}`;
export const logsList = (shard: number): string => `LOGS#${shard}`;
export const notificationsList = (shard: number | ""): string => `NOTIFICATIONS#${shard}`;
export const subscriptionsList = (shard: number): string => `${SECRET}SUBSCRIPTIONS#${shard}`;
export const WORDS_LIST = "WORDS";
export const SCHEDULED_LIST = "SCHEDULED";
export const ALERTS_LIST = "ALERTS";
export const REVIEWS_LIST = "REVIEWS";
export const DISPUTES_LIST = "DISPUTES";
export const MISSIONS_LIST = "MISSIONS";
export const SEASONS_LIST = "SEASONS";
/** The partition of what belongs to one mission. */
export const missionPart = (id: string): string => `MISSION#${id}`;
export const ATTENDED = "ATTENDED#";
export const attendedByList = (playerId: string): string => `ATTENDED_BY#${playerId}`;
/** Statistics data of ranges of interactions; see store/statistics.ts. */
export const STATISTICS_LIST = "STATISTICS";
export const infectedByList = (parent: string): string => `INFECTED_BY#${parent}`;

/** The common prefix of a list's partition keys, without the shard. */
export const partitionPrefix = (list: (shard: number) => string): string => list(0).slice(0, -1);

/** The shard of an interaction, by its key. */
export const interactionShard = ({ pk }: Key): number => Number(pk.slice(interactionsList(0).length - 1));
/** The lowest id that an event at this instant can have: ids are UUID v7, which begin with the milliseconds since 1970. */
export const firstIdAt = (instant: number): string => {
  const hex = Math.max(0, Math.floor(instant)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

/** The instant at which an event got its id; see {@link firstIdAt}. */
export const timeOfId = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16);

const VOIDED = "#VOID";

/**
 * Sort key of infections, in order of recording. It marks voided hunts, because keys are part of every index, and other
 * attributes cannot be added to the indexes of existing games.
 */
export const infectionOrder = (id: string, isVoided: boolean): string => (isVoided ? `${id}${VOIDED}` : id);
export const isVoidedOrder = (order: string): boolean => order.endsWith(VOIDED);

/** Sort key of zombies: the earliest deadline first. */
export const hungerOrder = (deadline: number, id: string): string => `${deadlineDigits(deadline)}#${id}`;

/** Sort key of scheduled notifications: the earliest first. @param at in milliseconds since 1970 */
export const scheduleOrder = (at: number, id: string): string => `${String(at).padStart(16, "0")}#${id}`;

const OPEN = "open";

/** Sort key of disputes: in descending order the open ones first, and the newest first. */
export const disputeOrder = (id: string, status: string): string =>
  status === OPEN ? `${OPEN}#${id}` : `closed#${id}#${status}`;

/** The status of a dispute, by its sort key. */
export const statusInOrder = (order: string): string => order.split("#")[2] ?? OPEN;

/**
 * The attribute of a player's item that holds the hash of the picture. `gsi1` and `gsi2` contain `target` because of
 * interactions, and other attributes cannot be added to the indexes of existing games.
 */
export const PICTURE_ATTRIBUTE = "target";

/** The attribute of a player's item that holds the points, if there are any: `gsi1` contains it because of interactions. */
export const POINTS_ATTRIBUTE = "parent";
