/** Collects the data of a table that the audit compares. Unknown items are skipped. */
import { Departure } from "../../../lib/domain/accounts/departure.ts";
import type { Dispute } from "../../../lib/domain/disputes/dispute.ts";
import type { Interaction } from "../../../lib/domain/hunts/interaction.ts";
import { isInfection, killTime } from "../../../lib/domain/hunts/interaction.ts";
import type { Mission } from "../../../lib/domain/missions/mission.ts";
import type { Subscription } from "../../../lib/domain/notifications/push.ts";
import type { Kill } from "../../../lib/domain/players/lifeRecords.ts";
import type { StoredPlayer } from "../../../lib/domain/players/player.ts";
import type { Redemption, StoredCode } from "../../../lib/domain/rewards/redeem.ts";
import type { StoredItem, Write } from "../../../lib/dynamodb/database.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import {
  type Administrators,
  parseAdministrators,
  parseCredential,
  parseSessions,
} from "../../../lib/store/accounts/accountItems.ts";
import { guardName } from "../../../lib/store/accounts/aliasGuards.ts";
import { disputeItem, parseDispute } from "../../../lib/store/hunts/disputes.ts";
import {
  type Counts,
  idOf,
  interactionItem,
  parseCounter,
  parseGame,
  parseInteraction,
  parseOwner,
  parseStoredPlayer,
} from "../../../lib/store/items.ts";
import {
  ATTENDED,
  CODES,
  keys,
  MISSIONS_LIST,
  missionPart,
  SECRET,
  TOMBSTONES,
  WORDS_LIST,
} from "../../../lib/store/keys.ts";
import { type Desk, parseAttendance, parseDesk } from "../../../lib/store/missions/attendance.ts";
import { parseMission } from "../../../lib/store/missions/missions.ts";
import { EndpointGuard, parseSubscription } from "../../../lib/store/notifications/subscriptions.ts";
import { parseBatch, parseCode, parseRedemption } from "../../../lib/store/rewards/codes.ts";
import { messageOf } from "../../cli/userError.ts";
import { type Difference, expectAsRead, findWrongIndexKeys, INDEX_ATTRIBUTES, keyOf } from "./difference.ts";

/** A player and its item. */
interface ReadPlayer {
  item: StoredItem;
  player: StoredPlayer;
}

/** An infection and its item, from which it is rewritten if its parent is repaired. */
export interface ReadInfection {
  item: StoredItem;
  interaction: Interaction;
  shard: number;
}

/** An item and the id of its owner. */
export interface OwnedItem {
  item: StoredItem;
  owner: string;
}

interface Tally {
  /** The hunts that were not voided. */
  kills: Kill[];
  /** The times of voided hunts. */
  voided: Set<string>;
}

/** The contents of a table. */
export interface Survey {
  items: number;
  players: Map<string, ReadPlayer>;
  /** Ids of unreadable players, whose items are not audited. */
  unreadable: Set<string>;
  /** Whether an interaction is unreadable, so that counts are uncertain. */
  interactionsUnreadable: boolean;
  tallies: Map<string, Tally>;
  /** What players got by codes and missions, by the id of the interaction. */
  rewards: Map<string, { id: string; of: string; points: number; isTakenBack: boolean }>;
  /** The ids of the batches of codes. */
  batches: Set<string>;
  rewardCodes: { item: StoredItem; code: StoredCode }[];
  redemptions: { item: StoredItem; batch_id: string; redemption: Redemption }[];
  /** Missions, their desks, and who attended, by the id of the mission. */
  missions: Map<string, Mission>;
  desks: Map<string, { item: StoredItem; desk: Desk }>;
  attendances: Map<string, StoredItem[]>;
  /** The players that each valid hunt or reward has fed. */
  fed: Map<string, readonly string[]>;
  infections: Map<string, ReadInfection>;
  /** Guards of aliases and look-alikes, by partition key. */
  guards: Map<string, OwnedItem>;
  codes: Map<string, OwnedItem>;
  pictures: Map<string, StoredItem>;
  notes: { key: Key; owner: string }[];
  /** Credentials, sessions and recovery codes. */
  secrets: OwnedItem[];
  credentials: Set<string>;
  subscriptions: { item: StoredItem; subscription: Subscription }[];
  endpoints: Map<string, { item: StoredItem; guard: { player_id: string; subscription_id: string } }>;
  /** Guards of e-mail addresses. */
  addresses: OwnedItem[];
  administrators: { item: StoredItem; administrators: Administrators } | null;
  disputes: { item: StoredItem; dispute: Dispute }[];
  /** By sort key. */
  counters: Map<string, { item: StoredItem; counts: Counts }>;
  /** Differences within a single item. */
  differences: Difference[];
}

/** Returns an empty survey. */
export const newSurvey = (): Survey => ({
  items: 0,
  players: new Map(),
  unreadable: new Set(),
  interactionsUnreadable: false,
  tallies: new Map(),
  rewards: new Map(),
  batches: new Set(),
  rewardCodes: [],
  redemptions: [],
  missions: new Map(),
  desks: new Map(),
  attendances: new Map(),
  fed: new Map(),
  infections: new Map(),
  guards: new Map(),
  codes: new Map(),
  pictures: new Map(),
  notes: [],
  secrets: [],
  credentials: new Set(),
  subscriptions: [],
  endpoints: new Map(),
  addresses: [],
  administrators: null,
  disputes: [],
  counters: new Map(),
  differences: [],
});

const after = (text: string, prefix: string): string => text.slice(prefix.length);

/** The fields of an interaction that may change; it has no `rev`. */
const CHANGING = [...INDEX_ATTRIBUTES, "voided_by", "parent", "dispute"];

/** Returns the condition that an interaction has not changed. */
const expectInteractionAsRead = (item: StoredItem) => expectAsRead(item, CHANGING);

/** The write of a repaired interaction. What an earlier change has announced is not announced again. */
export const repairInteraction = (item: StoredItem, { announces: _, ...right }: StoredItem): Write => ({
  put: right,
  expect: expectInteractionAsRead(item),
});

/** Whether a hunt was voided, so that it does not count. */
export const isVoided = ({ voided_by }: Interaction): boolean => voided_by !== undefined;

const addPlayer = (survey: Survey, item: StoredItem): void => {
  const player = parseStoredPlayer(item);
  if (player.player_id !== idOf(item)) throw new Error("the item of another player");
  survey.players.set(player.player_id, { item, player });
};

const addReward = (survey: Survey, interaction: Interaction): void => {
  const { interaction_id: id, kind, target, reward } = interaction;
  const isOfReward = kind === "reward" || kind === "feed" || kind === "cure";
  if (reward === undefined || target === null || !isOfReward) return;
  const isTakenBack = isVoided(interaction);
  survey.rewards.set(id, { id, of: target, points: reward.points ?? 0, isTakenBack });
  if (reward.fed === true && !isTakenBack) survey.fed.set(id, [target]);
};

const addInteraction = (survey: Survey, item: StoredItem): void => {
  const interaction = parseInteraction(item);
  const { interaction_id: id, kind, actor } = interaction;
  const shard = Number(item.pk.slice(item.pk.lastIndexOf("#") + 1));
  if (id !== item.sk) throw new Error("the item of another interaction");
  if (isInfection(kind)) survey.infections.set(id, { item, interaction, shard });
  if (kind === "hunt" && actor !== null) {
    const tally = survey.tallies.get(actor) ?? { kills: [], voided: new Set() };
    const at = killTime(interaction);
    if (isVoided(interaction)) tally.voided.add(at);
    else tally.kills.push({ hunt: id, at });
    survey.tallies.set(actor, tally);
    if (!isVoided(interaction)) survey.fed.set(id, [actor, ...(interaction.shared_with ?? [])]);
  }
  addReward(survey, interaction);
  const right = interactionItem(interaction, shard);
  const wrong = findWrongIndexKeys(item, right);
  if (wrong === null) return;
  const repair = [repairInteraction(item, right)];
  survey.differences.push({ kind: "list entry", which: `${kind} ${id}`, key: keyOf(item), ...wrong, repair });
};

const addDispute = (survey: Survey, item: StoredItem): void => {
  const dispute = parseDispute(item);
  survey.disputes.push({ item, dispute });
  const right = disputeItem(dispute);
  const wrong = findWrongIndexKeys(item, right);
  if (wrong === null) return;
  const repair = [{ put: { ...right, rev: dispute.rev + 1 }, expect: { rev: dispute.rev } }];
  const which = `dispute ${dispute.dispute_id}`;
  survey.differences.push({ kind: "list entry", which, key: keyOf(item), ...wrong, repair });
};

/** The prefix of failed logins at unknown accounts, which have no owner. */
const UNKNOWN_ACCOUNTS = "NOBODY#";

const addOfCodes = (survey: Survey, item: StoredItem): void => {
  const id = item.pk.slice(CODES.length + 1);
  if (item.sk.startsWith(keys.codeBatch("").sk)) survey.batches.add(parseBatch(item).batch_id);
  else if (item.sk === keys.rewardCode("").sk) survey.rewardCodes.push({ item, code: parseCode(item) });
  else if (item.sk.startsWith("BY#"))
    survey.redemptions.push({ item, batch_id: id, redemption: parseRedemption(item) });
};

const addMission = (survey: Survey, item: StoredItem): void => {
  const mission = parseMission(item);
  survey.missions.set(mission.mission_id, mission);
};

const addOfMission = ({ desks, attendances }: Survey, item: StoredItem): void => {
  const id = after(item.pk, missionPart(""));
  if (item.sk === keys.missionDesk(id).sk) desks.set(id, { item, desk: parseDesk(item) });
  if (!item.sk.startsWith(ATTENDED)) return;
  parseAttendance(item);
  const all = attendances.get(id) ?? [];
  all.push(item);
  attendances.set(id, all);
};

const addSecret = (survey: Survey, item: StoredItem): void => {
  if (item.pk.startsWith(TOMBSTONES)) {
    // Of players who are away.
    if (item.sk === keys.departed("").sk) Departure.parse(item);
    return;
  }
  const owner = after(item.pk, SECRET);
  if (owner.startsWith(UNKNOWN_ACCOUNTS)) return;
  if (item.sk === "CREDENTIAL") {
    parseCredential(item);
    survey.credentials.add(owner);
  }
  // The sessions of an account that has moved to another player id expire by themselves.
  const isMoved = item.sk === "SESSIONS" && parseSessions(item).moved_to !== undefined;
  if (isMoved) return;
  if (["CREDENTIAL", "SESSIONS", "RECOVERY"].includes(item.sk)) survey.secrets.push({ item, owner });
  else if (item.sk.startsWith("SUBSCRIPTION#")) {
    survey.subscriptions.push({ item, subscription: parseSubscription(item) });
  } else if (item.sk === "ENDPOINT") {
    survey.endpoints.set(item.pk, { item, guard: EndpointGuard.parse(item) });
  } else if (item.sk === keys.email("").sk) survey.addresses.push({ item, owner: parseOwner(item) });
};

const addPlayersOwn = (survey: Survey, item: StoredItem): void => {
  if (item.sk === "PROFILE") addPlayer(survey, item);
  else if (item.sk === "PICTURE") survey.pictures.set(idOf(item), item);
  else if (item.sk.startsWith("NOTE#")) survey.notes.push({ key: keyOf(item), owner: idOf(item) });
};

const addGames = (survey: Survey, item: StoredItem): void => {
  if (item.sk === keys.game.sk) parseGame(item);
  if (item.sk === keys.administrators.sk) {
    survey.administrators = { item, administrators: parseAdministrators(item) };
  }
};

const addCounter = (survey: Survey, item: StoredItem): void => {
  // The service reads only counters whose sort key starts with their shard.
  if (item.sk.startsWith(`${after(item.pk, "COUNT#")}#`)) {
    survey.counters.set(item.sk, { item, counts: parseCounter(item) });
  }
};

const addGuard = (survey: Survey, item: StoredItem): void => {
  survey.guards.set(guardName(item), { item, owner: parseOwner(item) });
};

/** The functions that add an item, by prefix of its partition key. */
const ADD_BY_PREFIX: [string, (survey: Survey, item: StoredItem) => void][] = [
  ["PLAYER#", addPlayersOwn],
  ["INTERACTIONS#", addInteraction],
  ["ALIAS#", addGuard],
  ["LOOK#", addGuard],
  ["REF#", addGuard],
  [WORDS_LIST, addGuard],
  ["CODE#", (survey, item) => survey.codes.set(item.pk, { item, owner: parseOwner(item) })],
  [CODES, addOfCodes],
  [SECRET, addSecret],
  ["COUNT#", addCounter],
  [keys.dispute("").pk, addDispute],
  [MISSIONS_LIST, addMission],
  [missionPart(""), addOfMission],
  [keys.game.pk, addGames],
];

const wordsOf = (error: unknown): string => messageOf(error).replaceAll(/\s+/g, " ");

/** Adds an item to a survey. */
export const addItem = (survey: Survey, item: StoredItem): void => {
  survey.items += 1;
  try {
    ADD_BY_PREFIX.find(([prefix]) => item.pk.startsWith(prefix))?.[1](survey, item);
  } catch (error) {
    const key = keyOf(item);
    if (item.pk.startsWith("PLAYER#") && item.sk === "PROFILE") survey.unreadable.add(idOf(item));
    if (item.pk.startsWith("INTERACTIONS#")) survey.interactionsUnreadable = true;
    const should = "an item that the service can read";
    survey.differences.push({
      kind: "unreadable",
      which: `${key.pk} ${key.sk}`,
      key,
      is: wordsOf(error),
      should,
      repair: null,
    });
  }
};
