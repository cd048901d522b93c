/** A planted bug: what is changed, and which tests must turn red for it. */

/** A test file below tests/, without its ending, and words from the name of a test in it. */
export type Killer = readonly [file: string, name: string];

/** A text of the product, there exactly once, and what stands in its place. */
interface Edit {
  find: string;
  replace: string;
}

export interface Bug extends Edit {
  /** In words, with dashes. */
  name: string;
  file: string;
  /** Where one place is not enough. */
  also?: readonly Edit[];
  by: readonly Killer[];
  /** Why a club would suffer. */
  harm: string;
}

export const editsOf = ({ find, replace, also = [] }: Bug): readonly Edit[] => [{ find, replace }, ...also];

/** What is wrong with an edit of a text; `null` when its place is there, once. */
export const editFault = (source: string, { find, replace }: Edit): string | null => {
  const times = source.split(find).length - 1;
  if (times !== 1) return `is there ${times} times and not once: ${find}`;
  return find === replace ? "changes nothing" : null;
};
