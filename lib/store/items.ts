/** The items of the table: schemas, parsers, and functions that add the keys. */
import * as z from "zod/mini";
import { foldAlias } from "../domain/accounts/alias.ts";
import { Game } from "../domain/game/game.ts";
import { GameTexts } from "../domain/game/settings.ts";
import {
  type Infection,
  Interaction,
  isInfection,
  storedKind,
  withOwnKind,
} from "../domain/hunts/interaction.ts";
import type { ZombieChange } from "../domain/outcome.ts";
import { type Player, readState, State, StoredPlayer, type WithState } from "../domain/players/player.ts";
import { byCounter, STATE_NAMES } from "../domain/players/states.ts";
import {
  integer,
  nullableInteger,
  nullableNumber,
  nullableText,
  number,
  optionalNullableText,
  optionalText,
  text,
  zeroByDefault,
} from "../domain/schemas.ts";
import type { Item, StoredItem, Write } from "../dynamodb/database.ts";
import { KEY_ATTRIBUTES } from "../dynamodb/key.ts";
import {
  hungerOrder,
  infectedByList,
  infectionOrder,
  infectionsList,
  isVoidedOrder,
  keys,
  killsList,
  PICTURE_ATTRIBUTE,
  POINTS_ATTRIBUTE,
  rosterList,
  zombiesList,
} from "./keys.ts";
import { killsOrder, lastKillOf, pictureHashOf } from "./killsOrder.ts";

/** The item without its keys, which are built again at every write. */
export const withoutKeys = (item: Item): Item => {
  const rest = { ...item };
  for (const attribute of KEY_ATTRIBUTES) delete rest[attribute];
  return rest;
};

/** Parses an item that may be absent. @returns `null` if it is */
export const parseIfFound = <T>(item: StoredItem | undefined, parse: (item: StoredItem) => T): T | null =>
  item === undefined ? null : parse(item);

/** Parses a player as stored, even without the fields that the state needs. */
export const parseStoredPlayer = (item: StoredItem): StoredPlayer => {
  const {
    at = null,
    [PICTURE_ATTRIBUTE]: picture_hash = null,
    [POINTS_ATTRIBUTE]: points = 0,
    ...stored
  } = withoutKeys(item);
  return StoredPlayer.parse({ ...stored, picture_hash, human_since: at, points });
};

export const parsePlayer = (item: StoredItem): Player => readState(parseStoredPlayer(item));

export const playerItem = ({
  picture_hash,
  human_since,
  former_addresses,
  points,
  badges,
  antidote,
  ...player
}: StoredPlayer): StoredItem => {
  const { player_id: id, shard } = player;
  return {
    ...player,
    // Left out if empty: most items are just below a kilobyte, beyond which each write costs a unit more.
    ...(former_addresses.length === 0 ? {} : { former_addresses }),
    ...(badges.length === 0 ? {} : { badges }),
    ...(antidote === null ? {} : { antidote }),
    ...(points === 0 ? {} : { [POINTS_ATTRIBUTE]: points }),
    ...(picture_hash === null ? {} : { [PICTURE_ATTRIBUTE]: picture_hash }),
    // Stored as `at`, which gsi1 contains: attributes cannot be added to the indexes of existing games.
    ...(human_since === null ? {} : { at: human_since }),
    ...keys.player(id),
    gsi1pk: rosterList(shard),
    gsi1sk: foldAlias(player.alias),
    ...(player.state === "zombie" && player.deadline !== null
      ? { gsi2pk: zombiesList(shard), gsi2sk: hungerOrder(player.deadline, id) }
      : {}),
    ...(player.infected_at === null
      ? {}
      : {
          gsi3pk: killsList(shard),
          gsi3sk: killsOrder(player.kills, player.last_kill_at, id, picture_hash),
        }),
  };
};

/** The changed fields of the item when a zombie from an index is fed or has died; see {@link playerItem}. */
export const zombieFields = ({ zombie, after }: ZombieChange): Item => {
  const { player_id: id } = zombie;
  if (after === null) {
    return { state: "corpse", deadline: null, epoch: null, gsi2pk: undefined, gsi2sk: undefined };
  }
  return { ...after, gsi2sk: hungerOrder(after.deadline, id) };
};

export const parseGame = (item: StoredItem): Game => Game.parse(withoutKeys(item));

export const parseTexts = (item: StoredItem): GameTexts => GameTexts.parse(withoutKeys(item));

/** Writes the texts of the game. The transaction must also write the game: the condition on its `rev` orders the writes. */
export const textsWrite = (texts: GameTexts): Write => ({ put: { ...texts, ...keys.texts } });

export const gameItem = (game: Game): StoredItem => ({ ...game, ...keys.game });

export const parseInteraction = (item: StoredItem): Interaction =>
  withOwnKind(Interaction.parse(withoutKeys(item)));

export const interactionItem = (interaction: Interaction, shard: number): StoredItem => {
  const { interaction_id: id, kind, parent, voided_by } = interaction;
  const order = infectionOrder(id, voided_by !== undefined);
  return {
    ...interaction,
    kind: storedKind(kind),
    ...keys.interaction(shard, id),
    ...(isInfection(kind) ? { gsi1pk: infectionsList(shard), gsi1sk: order } : {}),
    ...(isInfection(kind) && typeof parent === "string"
      ? { gsi2pk: infectedByList(parent), gsi2sk: order }
      : {}),
  };
};

const InfectionEntry = z.lazy(() =>
  z.object({
    sk: text,
    /** An index entry has the sort key of its index. */
    gsi1sk: optionalText,
    gsi2sk: optionalText,
    target: text,
    at: text,
    parent: optionalNullableText,
  }),
);

/** Parses an infection from the interaction or from an index of it. */
export const parseInfection = (item: StoredItem): Infection => {
  const { sk, gsi1sk, gsi2sk, target, at, parent } = InfectionEntry.parse(item);
  const voided = isVoidedOrder(gsi1sk ?? gsi2sk ?? "");
  return { infection_id: sk, target, at, parent: parent ?? null, voided };
};

/** The fields that all lists of players have. */
const commonFields = {
  alias: text,
  deadline: nullableNumber,
  epoch: nullableInteger,
};
/** The player id of a player's item or index entry. */
export const idOf = (item: StoredItem): string => item.pk.slice(keys.player("").pk.length);

/** The fields of every list entry that are derived from its keys. */
interface Listed {
  player_id: string;
  picture_hash: string | null;
}

/** The derived fields. An index entry without the attribute for the picture's hash has the hash in its sort key. */
const listed = (item: StoredItem): Listed => {
  const hash = item[PICTURE_ATTRIBUTE] ?? pictureHashOf(String(item.gsi3sk ?? ""));
  return { player_id: idOf(item), picture_hash: typeof hash === "string" ? hash : null };
};

const RosterEntry = z.lazy(() =>
  z.object({
    ...commonFields,
    ...z.pick(StoredPlayer, { state: true, kills: true, has_pfp: true, created_at: true }).shape,
    /** The player's `human_since`; see {@link playerItem}. */
    at: optionalText,
    [POINTS_ATTRIBUTE]: zeroByDefault,
  }),
);
export type RosterEntry = WithState<Omit<z.infer<typeof RosterEntry>, typeof POINTS_ATTRIBUTE>> &
  Listed & { points: number };
export const ROSTER_ATTRIBUTES = [
  ...["alias", "state", "deadline", "epoch", "kills", "has_pfp", "created_at", "at"],
  PICTURE_ATTRIBUTE,
  POINTS_ATTRIBUTE,
] as const;
export const parseRosterEntry = (item: StoredItem): RosterEntry => {
  const { [POINTS_ATTRIBUTE]: points, ...entry } = RosterEntry.parse(item);
  return { ...readState(entry), ...listed(item), points };
};

/** The fields of a player that other views contain. */
const NamedEntry = z.lazy(() => z.object({ ...commonFields, state: State }));
export type NamedEntry = WithState<z.infer<typeof NamedEntry>> & Listed;
const NAMED_FIELDS = ["alias", "state", "deadline", "epoch"] as const;
export const NAMED_ATTRIBUTES = [...NAMED_FIELDS, PICTURE_ATTRIBUTE] as const;
/** In the list of zombies by kills, whose index has the picture's hash in its sort key alone. */
export const NAMED_ZOMBIE_ATTRIBUTES = [...NAMED_FIELDS, "gsi3sk"] as const;
export const parseNamedEntry = (item: StoredItem): NamedEntry => ({
  ...readState(NamedEntry.parse(item)),
  ...listed(item),
});

/** The fields of a player that pushed events depend on. */
const ListenerEntry = z.lazy(() =>
  z.object({
    ...commonFields,
    state: State,
    ...z.pick(StoredPlayer, { push_kinds: true, is_admin: true, is_moderator: true, labels: true }).shape,
    ...z.pick(StoredPlayer, { infection_id: true, cover: true }).shape,
  }),
);
export type ListenerEntry = WithState<z.infer<typeof ListenerEntry>>;
export const LISTENER_ATTRIBUTES = [
  ...NAMED_ATTRIBUTES,
  ...["push_kinds", "is_admin", "is_moderator", "labels", "infection_id", "cover"],
];
export const parseListenerEntry = (item: StoredItem): ListenerEntry => readState(ListenerEntry.parse(item));

const HungerEntry = z.lazy(() =>
  z.object({
    ...commonFields,
    deadline: number,
    epoch: integer,
    ...z.pick(StoredPlayer, { meals: true }).shape,
  }),
);
export type HungerEntry = z.infer<typeof HungerEntry> & Listed;
export const parseHungerEntry = (item: StoredItem): HungerEntry => ({
  ...HungerEntry.parse(item),
  ...listed(item),
});

const KillsEntry = z.lazy(() =>
  z.object({
    ...commonFields,
    ...z.pick(StoredPlayer, { state: true, kills: true, infected_at: true }).shape,
    gsi3sk: text,
  }),
);
export type KillsEntry = WithState<Omit<z.infer<typeof KillsEntry>, "gsi3sk">> &
  Listed & { last_kill_at: string | null };
export const parseKillsEntry = (item: StoredItem): KillsEntry => {
  const { gsi3sk, ...entry } = KillsEntry.parse(item);
  return { ...readState(entry), ...listed(item), last_kill_at: lastKillOf(gsi3sk) };
};

/** The player id of a guard or a tag code. */
export const parseOwner = (item: StoredItem): string => z.object({ player_id: text }).parse(item).player_id;

/** The item of a tag code: its current or last owner, and how it was used (decisions 47 and 48). */
const TagCodeRecord = z.lazy(() =>
  z.looseObject({
    player_id: text,
    /** Since when the player had the code; only with `infection_id` or `left_at`. */
    code_since: optionalText,
    /** The infection that the player reported, which waits or waited for its hunter. */
    infection_id: optionalText,
    /** When the player deleted the account as a human, RFC 3339. */
    left_at: optionalText,
    /** The hunt that used the code after that. */
    hunt_id: optionalText,
    /** When a game master gave the player another code, RFC 3339. */
    replaced_at: optionalText,
  }),
);
export type TagCodeRecord = z.infer<typeof TagCodeRecord>;
export const parseTagCode = (item: StoredItem): TagCodeRecord => TagCodeRecord.parse(withoutKeys(item));

/** The player id of an alias guard; `null` if the player has given up the alias. */
export const parseAliasOwner = (item: StoredItem): string | null =>
  item.given_up === true ? null : parseOwner(item);

/** A player's picture in the stored image format. */
const StoredPicture = z.lazy(() => z.looseObject({ rev: integer, bytes: z.instanceof(Uint8Array) }));
export type StoredPicture = z.infer<typeof StoredPicture>;
export const parsePicture = (item: StoredItem): StoredPicture => StoredPicture.parse(withoutKeys(item));

const Counter = z.lazy(() => z.object(byCounter(STATE_NAMES, () => z._default(number, 0))));
export type Counts = z.infer<typeof Counter>;
export const parseCounter = (item: StoredItem): Counts => Counter.parse(item);

/** A stored response, with the fingerprint of its request. */
const StoredResponse = z.lazy(() =>
  z.looseObject({
    fingerprint: text,
    status: integer,
    /** JSON; `null` for an empty body. */
    body: nullableText,
    /** Seconds since 1970. */
    expires: number,
    /** The job that is working on the response, if any. */
    job: optionalText,
  }),
);
export type StoredResponse = z.infer<typeof StoredResponse>;
export const parseStoredResponse = (item: StoredItem): StoredResponse =>
  StoredResponse.parse(withoutKeys(item));

/** An entry of the audit log: the action, its actor and its outcome. */
const LogEntry = z.lazy(() =>
  z.looseObject({
    log_id: text,
    at: text,
    action: text,
    actor: nullableText,
    target: nullableText,
    request_id: text,
    outcome: text,
    details: z.record(text, z.unknown()),
  }),
);
export type LogEntry = z.infer<typeof LogEntry>;
export const parseLogEntry = (item: StoredItem): LogEntry => LogEntry.parse(withoutKeys(item));

export const logItem = (entry: LogEntry, shard: number): StoredItem => ({
  ...entry,
  ...keys.log(shard, entry.log_id),
});
