/** Look-alike guards: so that no one can pose as another with letters that look the same. */
import unhomoglyph from "unhomoglyph";
import { foldAlias } from "../domain/alias.ts";

/** The skeleton of UTS #39, section 4: what a text looks like, in one form for all that look the same. */
const skeleton = (text: string): string => unhomoglyph(text.normalize("NFD")).normalize("NFD");

const foldedSkeleton = (text: string): string => foldAlias(skeleton(text));

/**
 * The forms of an alias of which no other alias may have one: the skeleton of its folded form, and where
 * capitals look like other letters (`AIice`) the skeleton of the alias as it is shown.
 */
export const lookAlikeKeys = (alias: string): string[] => [
  ...new Set(
    // Compatibility forms may look like others than what they stand for: ſ is an s that looks like f.
    [foldAlias(alias), foldedSkeleton(alias.normalize("NFKC")), foldedSkeleton(alias)].map(foldedSkeleton),
  ),
];
