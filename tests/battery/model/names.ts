/** Names for the model: which of them are the same, listed without the rule under test. */

/** Names that are written in several ways, by the name as it is compared. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  ada: ["Ada", "ADA", "ａｄａ"],
  ben: ["Ben", "bEN"],
  bob: ["Bob", "BOB"],
  strasse: ["Straße", "STRASSE"],
  ian: ["Ian", "ian"],
};

/** Names that look like another and are not the same, and what they look like. */
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

/** Every name that anybody takes. */
export const NAMES: readonly string[] = [
  ...new Set([...Object.values(SPELLINGS).flat(), ...LOOKS.keys(), ...PLAIN.split(",")]),
];

/** A name that nobody has. */
export const NOBODY = "Nobody Here";

const FOLDED = new Map(
  Object.entries(SPELLINGS).flatMap(([folded, spellings]) => spellings.map((one) => [one, folded])),
);

/** An alias as it is compared. */
export const foldedOf = (alias: string): string => FOLDED.get(alias) ?? alias.toLowerCase();

const lookOf = (alias: string): string => LOOKS.get(alias) ?? foldedOf(alias);

/** Whether two players may not both have these aliases. */
export const clash = (one: string, other: string): boolean =>
  foldedOf(one) === foldedOf(other) || lookOf(one) === lookOf(other);

/** The ways in which one alias is written. */
export const waysToWrite = (alias: string): readonly string[] => SPELLINGS[foldedOf(alias)] ?? [alias];

/** The order of rosters: by folded alias, as bytes. */
export const byAlias = (one: { alias: string }, other: { alias: string }): number =>
  Buffer.compare(Buffer.from(foldedOf(one.alias)), Buffer.from(foldedOf(other.alias)));

/** Labels of players. */
export const LABELS = ["waiver", "briefing", "crew_2"] as const;
