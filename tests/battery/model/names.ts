/** Names for the model. Which of them are the same is listed by hand, without the rule under test. */

/** Spellings of names, by the folded name. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  ada: ["Ada", "ADA", "ａｄａ"],
  ben: ["Ben", "bEN"],
  bob: ["Bob", "BOB"],
  strasse: ["Straße", "STRASSE"],
  ian: ["Ian", "ian"],
};

/** Names that look like a different one, by the folded form of that one. */
const LOOKS: ReadonlyMap<string, string> = new Map([
  // With a Cyrillic А.
  ["\u0410da", "ada"],
  // A capital I looks like a small l.
  ["Ian", "lan"],
  ["B0b", "bob"],
  // Two letters look like one.
  ["Tom", "torn"],
]);

const PLAIN =
  "Lan,Torn,Cid,Dee,Eve,Fay,Gus,Hap,Jed,Kay,Ned,Ora,Pat,Quy,Rex,Sue,Una,Vic,Wes,Xan,Yan,Zed,Abe,Bea,Cyd,Dot,Fox,Guy,Hew,Zoe,Zoë";

/** All names that players take. */
export const NAMES: readonly string[] = [
  ...new Set([...Object.values(SPELLINGS).flat(), ...LOOKS.keys(), ...PLAIN.split(",")]),
];

/** A name without a player. */
export const NOBODY = "Nobody Here";

const FOLDED = new Map(
  Object.entries(SPELLINGS).flatMap(([folded, spellings]) => spellings.map((one) => [one, folded])),
);

/** The folded form of an alias. */
export const foldedOf = (alias: string): string => FOLDED.get(alias) ?? alias.toLowerCase();

const lookOf = (alias: string): string => LOOKS.get(alias) ?? foldedOf(alias);

/** Whether two players may not both have these aliases. */
export const clash = (one: string, other: string): boolean =>
  foldedOf(one) === foldedOf(other) || lookOf(one) === lookOf(other);

/** Whether an alias is one of these names, or looks like one. */
export const isAmong = (names: Iterable<string>, alias: string): boolean =>
  [...names].some((one) => clash(one, alias));

/** The spellings of an alias. */
export const waysToWrite = (alias: string): readonly string[] => SPELLINGS[foldedOf(alias)] ?? [alias];

/** The order of rosters: by folded alias, as bytes. */
export const byAlias = (one: { alias: string }, other: { alias: string }): number =>
  Buffer.compare(Buffer.from(foldedOf(one.alias)), Buffer.from(foldedOf(other.alias)));

/** Labels of players. */
export const LABELS = ["waiver", "briefing", "crew_2"] as const;
