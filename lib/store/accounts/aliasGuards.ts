/** Alias guards: items that keep an alias, and aliases that look like it, unique. */
import { isDeepStrictEqual } from "node:util";
import unhomoglyph from "unhomoglyph";
import { foldAlias, foldText, plainAlias } from "../../domain/accounts/alias.ts";
import { bareAlias, RESERVED_ALIASES } from "../../domain/accounts/reservedAliases.ts";
import { storedWords } from "../../domain/accounts/searchWords.ts";
import type { Player } from "../../domain/players/player.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import type { Key } from "../../dynamodb/key.ts";
import { keys } from "../keys.ts";
import { playerRef } from "./playerRefs.ts";

/** The skeleton of UTS #39, section 4: texts that look the same have the same skeleton. */
const skeleton = (text: string): string => unhomoglyph(text.normalize("NFD")).normalize("NFD");

const foldedSkeleton = (text: string): string => foldText(skeleton(text));

/**
 * The skeleton of an alias in upper case, if that differs. In upper case, i looks like l, and letters of other scripts look
 * like Latin letters that their lower case does not resemble (`КIM` with a Cyrillic `К`, for `Kim`).
 */
const capitalSkeleton = (plain: string): string[] => {
  const upperSkeleton = skeleton(foldText(plain).toUpperCase());
  return upperSkeleton === upperSkeleton.toUpperCase() ? [] : [upperSkeleton];
};

/**
 * The skeleton of an alias with all of its separators, if {@link plainAlias} drops some: `'Okina` looks like `ʻOkina`, which
 * begins with a letter. A dot in the middle looks like a full stop.
 */
const separatorSkeleton = (alias: string, plain: string): string[] => {
  const full = alias
    .normalize("NFC")
    .replaceAll(/[\u200c\u200d]/g, "")
    .replaceAll(/[·・]/g, ".");
  return full === plain ? [] : [foldedSkeleton(foldText(full))];
};

/**
 * The look-alike keys of an alias; no other alias may share one. These are the skeleton of the folded alias and, if upper
 * case letters look like other letters (`AIice`), the skeletons of the alias as shown and in upper case.
 */
export const lookAlikeKeys = (alias: string): string[] => {
  const plain = plainAlias(alias);
  return [
    ...new Set([
      // Compatibility forms can look like another letter than the one they fold to: ſ folds to s and looks like f.
      ...[foldText(plain), foldedSkeleton(plain.normalize("NFKC")), foldedSkeleton(plain)].map(
        foldedSkeleton,
      ),
      ...capitalSkeleton(plain),
      ...separatorSkeleton(alias, plain),
    ]),
  ];
};

/** Compared here, because `node:util` loads a score of modules of Node.js, and few commands write guards. */
export const isSameGuard = (one: StoredItem, other: StoredItem | undefined): boolean =>
  isDeepStrictEqual(one, other);

/** The keys of all guards of an alias. */
export const guardKeys = (alias: string): Key[] => [
  keys.alias(foldAlias(alias)),
  ...lookAlikeKeys(alias).map(keys.look),
];

/** The name of a guard in {@link guardsOf}. */
export const guardName = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/**
 * All guards of a player by {@link guardName}: those of the alias, of given-up aliases and of the reference; and the search
 * words, which are written together with them.
 */
export const guardsOf = (
  player: Pick<
    Player,
    "player_id" | "alias" | "former_aliases" | "first_name" | "last_name" | "email"
  > | null,
): Map<string, StoredItem> => {
  if (player === null) return new Map();
  const { player_id, alias, former_aliases } = player;
  const former = former_aliases.flatMap(guardKeys).map((key) => ({ ...key, player_id, given_up: true }));
  const current = [...guardKeys(alias), keys.playerRef(playerRef(player_id))].map((key) => ({
    ...key,
    player_id,
  }));
  const words = [...storedWords(player)].map(([word, of_masters]) => ({
    ...keys.word(word, player_id),
    player_id,
    ...(of_masters ? { of_masters } : {}),
  }));
  return new Map([...former, ...current, ...words].map((guard) => [guardName(guard), guard]));
};

const posingKeysOf = (name: string): string[] => guardKeys(bareAlias(name)).map(({ pk }) => pk);

/** Whether an alias is one of these names or looks like one, ignoring separators and digits at the end. */
export const looksLike = (alias: string, names: readonly string[]): boolean => {
  const taken = new Set(names.flatMap(posingKeysOf));
  return posingKeysOf(alias).some((key) => taken.has(key));
};

let reservedKeys: ReadonlySet<string> | undefined;

/**
 * Whether an alias could be mistaken for a game master's: ignoring separators and digits at the end, it is a reserved name
 * or the alias of an administrator, or looks like one.
 */
export const isPosing = (alias: string, administrators: readonly string[]): boolean => {
  reservedKeys ??= new Set(RESERVED_ALIASES.flatMap(posingKeysOf));
  const ofAdministrators = reservedKeys.union(new Set(administrators.flatMap(posingKeysOf)));
  return posingKeysOf(alias).some((key) => ofAdministrators.has(key));
};
