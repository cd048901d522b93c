/** Audits each player: hunts, infection, list entries, guards and codes. */
import { foldAlias } from "../../../lib/domain/accounts/alias.ts";
import { MAX_REMEMBERED_KILLS } from "../../../lib/domain/hunts/kills.ts";
import type { Kill } from "../../../lib/domain/players/lifeRecords.ts";
import { missingFields, type StoredPlayer } from "../../../lib/domain/players/player.ts";
import type { Write } from "../../../lib/dynamodb/database.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import { guardName, guardsOf } from "../../../lib/store/accounts/aliasGuards.ts";
import { pictureHash } from "../../../lib/store/accounts/playerRefs.ts";
import { parsePicture, playerItem } from "../../../lib/store/items.ts";
import { keys, WORDS_LIST } from "../../../lib/store/keys.ts";
import { type Difference, type Finding, findWrongIndexKeys } from "./difference.ts";
import { rewardsFinding } from "./rewards.ts";
import { isVoided, type OwnedItem, type Survey } from "./survey.ts";

/** Names a player in messages. */
const nameOf = ({ alias, player_id }: StoredPlayer): string => `${alias} (${player_id})`;

/** The condition that a player has not changed. */
const checkAsRead = ({ player_id, rev }: StoredPlayer): Write => ({
  check: keys.player(player_id),
  expect: { rev },
});

/** The condition that an item's owner has not changed or still does not exist. */
export const checkOwnerAsRead = (survey: Survey, owner: string): Write => {
  const read = survey.players.get(owner);
  return read === undefined
    ? { check: keys.player(owner), expect: "absent" }
    : { check: keys.player(owner), expect: { rev: read.player.rev } };
};

/** Whether no player has this id, not even an unreadable one. */
export const isMissingPlayer = (survey: Survey, id: string): boolean =>
  !survey.players.has(id) && !survey.unreadable.has(id);

/**
 * Returns the last infection of a player; ids sort by creation time.
 * @param before returns the last one before this id instead, even if it was voided later
 */
export const lastInfectionOf = (survey: Survey, playerId: string, before?: string): string | null => {
  let last: string | null = null;
  for (const [id, { interaction }] of survey.infections) {
    const isInTime = before === undefined ? !isVoided(interaction) : id < before;
    if (interaction.target === playerId && isInTime && (last === null || id > last)) last = id;
  }
  return last;
};

const hunts = (kills: number, last: string | null): string =>
  last === null ? `${kills}` : `${kills}, the last at ${last}`;

const killsFinding = (
  survey: Survey,
  { player_id, kills, last_kill_at, latest_kills }: StoredPlayer,
): Finding[] => {
  const tally = survey.tallies.get(player_id);
  // Of tags at the same time, the one that was recorded later comes first, as in play.
  const placeOf = ({ at, hunt }: Kill): string => `${at} ${hunt}`;
  const latest = (tally?.kills ?? []).toSorted((one, other) => (placeOf(one) > placeOf(other) ? -1 : 1));
  const right = { kills: latest.length, last_kill_at: latest[0]?.at ?? null };
  // After a void, `last_kill_at` may keep the time of the voided hunt, if the hunt before it is no longer remembered.
  const isRemembered = kills > 0 && last_kill_at !== null && tally?.voided.has(last_kill_at) === true;
  const counted = right.kills === kills && (right.last_kill_at === last_kill_at || isRemembered);
  const unrecorded = latest_kills.filter(
    (kill) => !latest.some(({ hunt, at }) => hunt === kill.hunt && at === kill.at),
  );
  if (counted && unrecorded.length === 0) return [];
  const change = survey.interactionsUnreadable
    ? null
    : { ...right, latest_kills: latest.slice(0, MAX_REMEMBERED_KILLS) };
  const remembered =
    unrecorded.length === 0 ? "" : `, and the hunt ${unrecorded[0]?.hunt}, which is not recorded`;
  const is = `${hunts(kills, last_kill_at)}${remembered}`;
  return [{ kind: "kills", is, should: hunts(right.kills, right.last_kill_at), change }];
};

/** Feedings by hunts and rewards must be recorded with these. Other feedings are stored only in the player's item. */
const mealsFinding = (survey: Survey, { player_id, meals }: StoredPlayer): Finding[] => {
  const unrecorded = meals.flatMap(({ hunt }) =>
    hunt === null || survey.fed.get(hunt)?.includes(player_id) === true ? [] : [hunt],
  );
  if (unrecorded.length === 0) return [];
  // Removing them keeps the deadline, but these feedings can no longer be reverted.
  const change = survey.interactionsUnreadable ? null : { meals: [] };
  return [{ kind: "meals", is: unrecorded.join(", "), should: "only what fed this player", change }];
};

const infectionFinding = (survey: Survey, player: StoredPlayer): Finding[] => {
  const { player_id, infection_id: id, state } = player;
  if (id === null && state !== "zombie") return [];
  const target = id === null ? undefined : survey.infections.get(id)?.interaction.target;
  if (target === player_id) return [];
  const right = survey.interactionsUnreadable ? null : lastInfectionOf(survey, player_id);
  const is =
    id === null ? "none" : target === undefined ? `${id}, which does not exist` : `${id} of ${target}`;
  const should = right ?? "an infection of this player, but none is recorded";
  return [{ kind: "infection", is, should, change: right === null ? null : { infection_id: right } }];
};

/** The fields that the player's state needs and the item lacks, except those that other findings report. */
const stateFinding = (player: StoredPlayer): Finding[] => {
  const missing = missingFields(player).filter((name) => name !== "infection_id" && name !== "tag_code");
  if (missing.length === 0) return [];
  const is = `a ${player.state} without ${missing.join(", ")}, who is read as a corpse`;
  return [{ kind: "state", is, should: "a complete player: revive the player", change: null }];
};

const pictureFinding = (survey: Survey, { player_id, has_pfp, picture_hash }: StoredPlayer): Finding[] => {
  const picture = survey.pictures.get(player_id);
  const exists = picture !== undefined;
  const hash = exists ? pictureHash(parsePicture(picture).bytes) : null;
  // A picture that an earlier version stored has no path yet.
  if (exists === has_pfp && (picture_hash === hash || picture_hash === null)) return [];
  const describe = (one: boolean, path: string | null): string =>
    one ? `a picture at ${path ?? "no path"}` : "no picture";
  return [
    {
      kind: "picture",
      is: describe(has_pfp, picture_hash),
      should: describe(exists, hash),
      change: { has_pfp: exists, picture_hash: hash },
    },
  ];
};

/** Returns the differences of a player's own item; one write repairs them all. */
const itemDifferences = (
  survey: Survey,
  player: StoredPlayer,
  wrong: ReturnType<typeof findWrongIndexKeys>,
): Difference[] => {
  const findings = [
    ...killsFinding(survey, player),
    ...mealsFinding(survey, player),
    ...rewardsFinding(survey, player),
    ...stateFinding(player),
    ...infectionFinding(survey, player),
    ...pictureFinding(survey, player),
  ];
  const right: StoredPlayer = Object.assign({}, player, ...findings.map(({ change }) => change ?? {}));
  const all: Finding[] = [
    ...findings,
    ...(wrong === null ? [] : [{ kind: "list entry" as const, ...wrong, change: {} }]),
  ];
  const rev = player.rev + 1;
  const repair: Write[] = [{ put: playerItem({ ...right, rev }), expect: { rev: player.rev } }];
  return all.map(({ change, ...finding }) => ({
    ...finding,
    which: nameOf(player),
    key: keys.player(player.player_id),
    repair: change === null ? null : repair,
  }));
};

const describeOwner = (survey: Survey, owner: string): string => {
  const read = survey.players.get(owner);
  return read === undefined ? `${owner}, who does not exist` : nameOf(read.player);
};

type GuardKind = "alias guard" | "search word" | "reference guard";

const guardKindOf = ({ pk }: Key): GuardKind => {
  if (pk === WORDS_LIST) return "search word";
  return pk.startsWith(keys.playerRef("").pk) ? "reference guard" : "alias guard";
};

/**
 * Checks a guard or code that should refer to a player. `isOthers` returns whether another player has a right to it.
 */
const referenceDifferences = (
  survey: Survey,
  player: StoredPlayer,
  { kind, key, found }: { kind: GuardKind | "tag code"; key: Key; found: OwnedItem | undefined },
  isOthers: (other: StoredPlayer) => boolean,
): Difference[] => {
  const { player_id } = player;
  if (found?.owner === player_id) return [];
  const put = { ...key, player_id };
  const should = nameOf(player);
  const shared = { kind, which: key.pk, key, should };
  if (found === undefined) {
    return [{ ...shared, is: "missing", repair: [checkAsRead(player), { put, expect: "absent" }] }];
  }
  const { owner } = found;
  const other = survey.players.get(owner)?.player;
  const is = describeOwner(survey, owner);
  // If two players have the same name, or a player is unreadable, only a game master can decide who owns it.
  if (survey.unreadable.has(owner) || (other !== undefined && isOthers(other))) {
    return [{ ...shared, is, repair: null }];
  }
  const repair: Write[] = [
    checkAsRead(player),
    checkOwnerAsRead(survey, owner),
    { put, expect: { is: { player_id: owner } } },
  ];
  return [{ ...shared, is, repair }];
};

const hasGuard = (player: StoredPlayer, name: string): boolean => guardsOf(player).has(name);

const guardDifferences = (survey: Survey, player: StoredPlayer, wanted: Set<string>): Difference[] => {
  const alias = survey.guards.get(guardName(keys.alias(foldAlias(player.alias))));
  return [...guardsOf(player)].flatMap(([name, key]) => {
    wanted.add(name);
    const found = survey.guards.get(name);
    // A missing search word is reported only when the alias guard is right.
    if (found === undefined && key.pk === WORDS_LIST && alias?.owner !== player.player_id) return [];
    return referenceDifferences(survey, player, { kind: guardKindOf(key), key, found }, (other) =>
      hasGuard(other, name),
    );
  });
};

const codeDifferences = (survey: Survey, player: StoredPlayer): Difference[] => {
  const { tag_code: code, state } = player;
  if (code !== null) {
    const key = keys.code(code);
    const found = survey.codes.get(key.pk);
    return referenceDifferences(
      survey,
      player,
      { kind: "tag code", key, found },
      (other) => other.tag_code === code,
    );
  }
  if (state !== "human") return [];
  const should = "a tag code: revive the player";
  const key = keys.player(player.player_id);
  return [{ kind: "tag code", which: nameOf(player), key, is: "none", should, repair: null }];
};

const passwordDifferences = ({ credentials }: Survey, player: StoredPlayer): Difference[] => {
  const { player_id: id } = player;
  if (credentials.has(id)) return [];
  const should = "a password: the player cannot log in, and must be removed";
  return [
    {
      kind: "password",
      which: nameOf(player),
      key: keys.credential(id),
      is: "missing",
      should,
      repair: null,
    },
  ];
};

/** Returns the guards that no player has a right to. */
const orphanedGuards = (survey: Survey, wanted: ReadonlySet<string>): Difference[] =>
  [...survey.guards].flatMap(([name, { item, owner }]) => {
    if (wanted.has(name) || survey.unreadable.has(owner)) return [];
    const { pk, sk } = item;
    const key = { pk, sk };
    const repair: Write[] = [
      checkOwnerAsRead(survey, owner),
      { remove: key, expect: { is: { player_id: owner } } },
    ];
    const is = describeOwner(survey, owner);
    return [
      {
        kind: "alias guard" as const,
        which: pk,
        key,
        is,
        should: "absent, because no player has this name",
        repair,
      },
    ];
  });

/** Returns all differences of players. */
export const playerDifferences = (survey: Survey): Difference[] => {
  const wanted = new Set<string>();
  const own = [...survey.players.values()].flatMap(({ item, player }) => [
    ...guardDifferences(survey, player, wanted),
    ...codeDifferences(survey, player),
    ...passwordDifferences(survey, player),
    ...itemDifferences(survey, player, findWrongIndexKeys(item, playerItem(player))),
  ]);
  return [...own, ...orphanedGuards(survey, wanted)];
};
