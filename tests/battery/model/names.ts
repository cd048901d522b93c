/** Names for the model: which of them are the same, and which look alike, listed without the rule under test. */

export interface Name {
  alias: string;
  /** Two that have this in common are one name. */
  folded: string;
  /** Two that have one of these in common look alike. */
  looks: readonly string[];
}

const name = (alias: string, folded: string, ...looks: string[]): Name => ({
  alias,
  folded,
  looks: looks.length > 0 ? looks : [folded],
});

/** Names that are written in several ways, or that look like another. */
const RELATED: readonly Name[] = [
  name("Ada", "ada"),
  name("ADA", "ada"),
  name("ａｄａ", "ada"),
  // With a Cyrillic А.
  name("\u0410da", "\u0430da", "ada"),
  name("Ben", "ben"),
  name("bEN", "ben"),
  // A capital I looks like a small l; a small i does not.
  name("Ian", "ian", "ian", "lan"),
  name("ian", "ian"),
  name("Lan", "lan"),
  name("Bob", "bob"),
  name("BOB", "bob"),
  name("B0b", "b0b", "bob"),
  name("Straße", "strasse"),
  name("STRASSE", "strasse"),
  // Two letters look like one.
  name("Tom", "tom", "torn"),
  name("Torn", "torn"),
  name("Zoë", "zoë"),
  name("Zoe", "zoe"),
];

const PLAIN =
  "Cid,Dee,Eve,Fay,Gus,Hap,Jed,Kay,Ned,Ora,Pat,Quy,Rex,Sue,Una,Vic,Wes,Xan,Yan,Zed,Abe,Bea,Cyd,Dot,Fox,Guy,Hew";

/** Every name that anybody takes. */
export const NAMES: readonly Name[] = [
  ...RELATED,
  ...PLAIN.split(",").map((one) => name(one, one.toLowerCase())),
];

/** The game master's, which nobody takes. */
const MASTER = name("Game Master", "game master");

/** A name that nobody has. */
export const NOBODY = name("Nobody Here", "nobody here");

const KNOWN = new Map([...NAMES, MASTER, NOBODY].map((one) => [one.alias, one]));

/** What is known of an alias. */
export const nameOf = (alias: string): Name => {
  const known = KNOWN.get(alias);
  if (known === undefined) throw new Error(`the model has no name ${alias}`);
  return known;
};

export const foldedOf = (alias: string): string => nameOf(alias).folded;

/** Whether two players may not both have these aliases. */
export const clash = (one: string, other: string): boolean => {
  const [a, b] = [nameOf(one), nameOf(other)];
  return a.folded === b.folded || a.looks.some((look) => b.looks.includes(look));
};

/** The ways in which one alias is written. */
export const waysToWrite = (alias: string): readonly string[] => [
  alias,
  ...NAMES.filter(({ folded }) => folded === foldedOf(alias)).map((one) => one.alias),
];

/** The order of rosters: by folded alias, as bytes. */
export const byAlias = (one: { alias: string }, other: { alias: string }): number =>
  Buffer.compare(Buffer.from(foldedOf(one.alias)), Buffer.from(foldedOf(other.alias)));
