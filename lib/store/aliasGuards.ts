/** Look-alike guards: so that no one can pose as another with letters that look the same. */
import unhomoglyph from "unhomoglyph";
import { foldAlias } from "../domain/alias.ts";
import type { Player } from "../domain/player.ts";
import type { Key } from "../dynamodb/key.ts";
import { keys } from "./keys.ts";

/** The skeleton of UTS #39, section 4: what a text looks like, in one form for all that look the same. */
const skeleton = (text: string): string => unhomoglyph(text.normalize("NFD")).normalize("NFD");

const foldedSkeleton = (text: string): string => foldAlias(skeleton(text));

/**
 * The look of an alias in capitals, where it is not in capitals itself: there an i looks like an l, and letters of
 * other scripts look like Latin ones that their small forms do not look like (`КIM` with a Cyrillic `К`, for `Kim`).
 */
const capitalSkeleton = (alias: string): string[] => {
  const look = skeleton(foldAlias(alias).toUpperCase());
  return look === look.toUpperCase() ? [] : [look];
};

/**
 * The forms of an alias of which no other alias may have one: the skeleton of its folded form, and where
 * capitals look like other letters (`AIice`) the skeletons of the alias as it is shown and of its capitals.
 */
export const lookAlikeKeys = (alias: string): string[] => [
  ...new Set([
    // Compatibility forms may look like others than what they stand for: ſ is an s that looks like f.
    ...[foldAlias(alias), foldedSkeleton(alias.normalize("NFKC")), foldedSkeleton(alias)].map(foldedSkeleton),
    ...capitalSkeleton(alias),
  ]),
];

/** Where the guards of an alias lie: the alias itself, and what it looks like. */
export const guardKeys = (alias: string): Key[] => [
  keys.alias(foldAlias(alias)),
  ...lookAlikeKeys(alias).map(keys.look),
];

/** Where the guards of a player's alias lie. */
export const aliasKeys = (player: Player | null): Key[] => (player === null ? [] : guardKeys(player.alias));
