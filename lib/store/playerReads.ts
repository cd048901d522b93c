/** Reads of players and of the items that belong to one player. */
import { ALIAS_LENGTH, foldAlias, isSameAlias } from "../domain/accounts/alias.ts";
import type { Player } from "../domain/players/player.ts";
import type { Database, ReadOptions } from "../dynamodb/database.ts";
import type { Key } from "../dynamodb/key.ts";
import {
  type Administrators,
  type Credential,
  parseAdministrators,
  parseCredential,
  parseRecovery,
  parseSessions,
  type Recovery,
  type Sessions,
} from "./accounts/accountItems.ts";
import {
  idOf,
  LISTENER_ATTRIBUTES,
  type ListenerEntry,
  NAMED_ATTRIBUTES,
  type NamedEntry,
  parseAliasOwner,
  parseIfFound,
  parseListenerEntry,
  parseNamedEntry,
  parseOwner,
  parsePicture,
  parsePlayer,
  parseTagCode,
  type StoredPicture,
  type TagCodeRecord,
} from "./items.ts";
import { keys } from "./keys.ts";

/** The longest folded form of a valid alias, in UTF-16 units. A key of the table has at most 2 KB. */
const MAX_FOLDED_LENGTH = 4 * ALIAS_LENGTH.max;

const aliasKey = (alias: string): Key | null => {
  const folded = foldAlias(alias);
  return folded.length > MAX_FOLDED_LENGTH ? null : keys.alias(folded);
};

/** Reads players by id, alias or tag code, and their credentials, sessions and pictures. */
export const playerReads = (db: Database) => {
  const administrators = async (options?: ReadOptions): Promise<Administrators> =>
    parseIfFound(await db.get(keys.administrators, options), parseAdministrators) ?? {
      rev: 0,
      ids: [],
      moderators: [],
    };

  const player = async (id: string, options?: ReadOptions): Promise<Player | null> =>
    parseIfFound(await db.get(keys.player(id), options), parsePlayer);

  /** The owner of a guard. An eventually consistent read can miss a new guard, so a miss is read again consistently. */
  const ownerOf = async (key: Key): Promise<string | null> =>
    parseIfFound((await db.get(key, { consistent: false })) ?? (await db.get(key)), parseOwner);

  /**
   * The id of the player who has this alias, or with `isFormerToo` has given it up in this season. Always one read, so the
   * duration does not reveal whether the alias exists.
   */
  const playerIdByAlias = async (alias: string, { isFormerToo = false } = {}): Promise<string | null> => {
    const key = aliasKey(alias);
    return key === null ? null : parseIfFound(await db.get(key), isFormerToo ? parseOwner : parseAliasOwner);
  };

  /** Alias and state of the players that still exist, by id. */
  const named = async (ids: Iterable<string>): Promise<Map<string, NamedEntry>> => {
    const wanted = [...new Set(ids)].map(keys.player);
    const items = await db.getMany(wanted, { consistent: false, only: NAMED_ATTRIBUTES });
    return new Map(items.map((item) => [idOf(item), parseNamedEntry(item)]));
  };

  return {
    player,

    named,

    /** The players that exist, by id. */
    async players(ids: Iterable<string>, options?: ReadOptions): Promise<Map<string, Player>> {
      const items = await db.getMany([...ids].map(keys.player), options);
      return new Map(items.map((item) => [idOf(item), parsePlayer(item)]));
    },

    /** The ids of those who were imported and have not set a password yet. */
    async invited(ids: Iterable<string>): Promise<Set<string>> {
      const wanted = [...ids].map((id) => ({ id, key: keys.credential(id) }));
      const items = await db.getMany(
        wanted.map(({ key }) => key),
        { consistent: false, only: ["invited"] },
      );
      const found = new Set(items.filter((item) => item.invited === true).map(({ pk }) => pk));
      return new Set(wanted.filter(({ key }) => found.has(key.pk)).map(({ id }) => id));
    },

    /** The push settings and the state of the players that still exist, by id. */
    async listeners(
      ids: Iterable<string>,
      { consistent = false }: ReadOptions = {},
    ): Promise<Map<string, ListenerEntry>> {
      const wanted = [...new Set(ids)].map(keys.player);
      const items = await db.getMany(wanted, { consistent, only: LISTENER_ATTRIBUTES });
      return new Map(items.map((item) => [idOf(item), parseListenerEntry(item)]));
    },

    /** The player who has this alias now, in any spelling that folds to it. */
    async playerByAlias(alias: string): Promise<Player | null> {
      const hasAlias = (found: Player | null): boolean => found !== null && isSameAlias(found.alias, alias);
      const key = aliasKey(alias);
      const id = key === null ? null : await ownerOf(key);
      if (id === null) return null;
      const found = await player(id);
      if (hasAlias(found)) return found;
      // The guard may have been read before a change of the alias: read it again, consistently.
      const currentId = await playerIdByAlias(alias);
      const current = currentId === null ? null : await player(currentId);
      return hasAlias(current) ? current : null;
    },

    playerIdByAlias,

    /** The id of the player with this reference; `null` if unknown, or if an earlier version created the account and no recount has repaired it since. */
    playerIdByRef: (ref: string): Promise<string | null> => ownerOf(keys.playerRef(ref)),

    /**
     * Whether this alias could be mistaken for that of a game master other than `self`. Very recent changes of
     * administrators may be missed.
     */
    async isPosing(alias: string, self: string | null): Promise<boolean> {
      const [{ isPosing }, { ids }] = await Promise.all([
        import("./accounts/aliasGuards.ts"),
        administrators({ consistent: false }),
      ]);
      const staff = await named(ids.filter((id) => id !== self));
      return isPosing(
        alias,
        [...staff.values()].map(({ alias }) => alias),
      );
    },

    /** Whether a player other than `self` has or had this alias, or one that looks like it. */
    async aliasTaken(alias: string, self: string | null): Promise<boolean> {
      const { guardKeys } = await import("./accounts/aliasGuards.ts");
      const guards = await db.getMany(guardKeys(alias));
      return guards.some((guard) => parseOwner(guard) !== self);
    },

    /** The id of the player who has or had this tag code. */
    ownerOfCode: (code: string): Promise<string | null> => ownerOf(keys.code(code)),

    tagCode: async (code: string): Promise<TagCodeRecord | null> =>
      parseIfFound(await db.get(keys.code(code)), parseTagCode),

    /** The picture of a player, if there is one. */
    picture: async (id: string, options?: ReadOptions): Promise<StoredPicture | null> =>
      parseIfFound(await db.get(keys.picture(id), options), parsePicture),

    /** A player with credential and sessions, read in one call. */
    async account(
      id: string,
      options?: ReadOptions,
    ): Promise<{ player: Player | null; credential: Credential | null; sessions: Sessions | null }> {
      const itemKeys = {
        player: keys.player(id),
        credential: keys.credential(id),
        sessions: keys.sessions(id),
      };
      const items = await db.getMany(Object.values(itemKeys), options);
      const itemAt = ({ pk, sk }: Key) => items.find((item) => item.pk === pk && item.sk === sk);
      return {
        player: parseIfFound(itemAt(itemKeys.player), parsePlayer),
        credential: parseIfFound(itemAt(itemKeys.credential), parseCredential),
        sessions: parseIfFound(itemAt(itemKeys.sessions), parseSessions),
      };
    },

    sessions: async (id: string, options?: ReadOptions): Promise<Sessions | null> =>
      parseIfFound(await db.get(keys.sessions(id), options), parseSessions),

    recovery: async (id: string): Promise<Recovery | null> =>
      parseIfFound(await db.get(keys.recovery(id)), parseRecovery),

    administrators,
  };
};
