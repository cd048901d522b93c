/** Makes players of the rows of a file: their fields, an alias for whoever has none, and who is in the file twice. */
import type { StaffPlayer } from "../../../schemas.ts";
import { foldText } from "../../../state/search.ts";
import { gm } from "../../../text/staff.ts";
import { labelsIn, type Sheet, type Use } from "./columns.ts";

/** A row of the file, as it is to be stored. */
export interface Draft {
  /** The number of the row in the file, as a spreadsheet shows it. */
  row: number;
  alias: string;
  /** Whether the file has no alias for this player, so that it is made of the name. */
  isProposed: boolean;
  first_name: string;
  last_name: string;
  email: string;
  labels: string[];
  /** The number of the earlier row with the same mailbox. */
  repeats: number | null;
  /** What the row has beside the columns of the head, and nobody reads. */
  beyond: string[];
}

/** A cell in one line, without white space around it. Words may have been separated by a line break. */
const inOneLine = (cell: string): string => cell.trim().replaceAll(/\s*\n\s*/g, " ");

/** `Jr.` and others that follow a last name after a comma. */
const SUFFIX = /^(?:jr|sr|ii|iii|iv|phd|md|esq)\.?$/i;

const INITIAL = /^\p{L}\.$/u;

/** Splits a whole name: the first word or all initials, and the rest; or the parts of `Downey, Robert`. */
export const splitName = (name: string): { first_name: string; last_name: string } => {
  const [before = "", after = ""] = name.split(/,(.*)/s, 2).map((part) => part.trim());
  if (after !== "" && !SUFFIX.test(after)) return { first_name: after, last_name: before };
  const words = name.split(/\s+/);
  const other = words.findIndex((word) => !INITIAL.test(word));
  const first = Math.max(1, other === -1 ? words.length - 1 : other);
  return { first_name: words.slice(0, first).join(" "), last_name: words.slice(first).join(" ") };
};

/** One for all spellings of a mailbox: many services ignore case, and what follows a plus sign. */
export const mailboxOf = (email: string): string => {
  const [local = "", domain = ""] = email
    .normalize("NFKC")
    .toLowerCase()
    .split(/@(?=[^@]*$)/);
  return `${local.replace(/\+.*/s, "")}@${domain}`;
};

/** The form in which proposals are kept apart: also from aliases that differ only in case, accents and separators. */
const apart = (alias: string): string => foldText(alias).replaceAll(/[^\p{L}\p{N}]/gu, "");

const MAX_ALIAS = 30;

/** A text with only those characters that every alias may have. */
const asAlias = (text: string): string =>
  [...text.normalize("NFC").replaceAll(/[^\p{L}\p{M}\p{Nd}' -]/gu, "")]
    .slice(0, MAX_ALIAS)
    .join("")
    .replaceAll(/([' -])[' -]+/g, "$1")
    .replaceAll(/^[' -]+|[' -]+$/g, "");

/** Aliases for a player without one, best first: the first name with more and more of the last name, then with a number. */
export function* proposals({ row, first_name, last_name }: Draft): Generator<string> {
  const name = first_name === "" ? last_name : first_name;
  const letters = [...last_name.replace(/^\P{L}+/u, "")];
  if (first_name !== "")
    for (const at of letters.keys()) yield asAlias(`${name} ${letters.slice(0, at + 1).join("")}`);
  const base = name === "" ? gm.import.unnamed(row) : asAlias(name).slice(0, MAX_ALIAS - 4);
  yield base;
  for (let number = 2; number < 1_000; number += 1) yield `${base} ${number}`;
}

type Known = Pick<StaffPlayer, "alias" | "first_name" | "last_name" | "email">;

/** Whether a player who is already in the game is the one of a row: by the address, or by both names if one has none. */
const isPlayer = (draft: Draft, { first_name, last_name, email }: Known): boolean =>
  draft.email !== "" && email !== null
    ? draft.email.toLowerCase() === email.toLowerCase()
    : draft.first_name !== "" &&
      draft.last_name !== "" &&
      draft.first_name === first_name &&
      draft.last_name === last_name;

const draftOf = (
  { columns }: Sheet,
  uses: readonly Use[],
  { number, cells }: Sheet["rows"][number],
): Draft => {
  const valuesOf = (use: Use): string[] => cells.filter((_, at) => uses[at] === use).map(inOneLine);
  const [alias = ""] = valuesOf("alias");
  const [whole = ""] = valuesOf("full_name");
  const split = splitName(whole);
  const [first_name = split.first_name] = valuesOf("first_name");
  const [last_name = split.last_name] = valuesOf("last_name");
  const [email = ""] = valuesOf("email");
  const labels = cells.filter((_, at) => uses[at] === "labels").flatMap(labelsIn);
  const beyond = cells.slice(columns.length).map(inOneLine).filter(Boolean);
  return {
    ...{ row: number, alias, isProposed: alias === "", first_name, last_name, email },
    ...{ labels: [...new Set(labels)], repeats: null, beyond },
  };
};

export interface Drafts {
  drafts: Draft[];
  /** The numbers of rows that have neither alias nor name nor address. */
  blank: number[];
}

/**
 * The players of a sheet. Who has no alias gets the alias of the same person in the game, or else a proposal that nobody in
 * the file or in the game has.
 * @param typed aliases that were typed into the preview, by row
 */
export const makeDrafts = (
  sheet: Sheet,
  uses: readonly Use[],
  known: readonly Known[],
  typed: ReadonlyMap<number, string>,
): Drafts => {
  const blank: number[] = [];
  const rowOf = new Map<string, number>();
  const read = sheet.rows.flatMap((given) => {
    const draft = draftOf(sheet, uses, given);
    const { row, alias, first_name, last_name, email } = draft;
    if (`${alias}${first_name}${last_name}${email}` === "") {
      blank.push(row);
      return [];
    }
    const mailbox = mailboxOf(email);
    const repeats = email === "" ? null : (rowOf.get(mailbox) ?? null);
    if (repeats === null) rowOf.set(mailbox, row);
    const own = typed.get(row);
    return [{ ...draft, repeats, ...(own === undefined ? {} : { alias: own, isProposed: false }) }];
  });
  const taken = new Set([...known, ...read].map(({ alias }) => apart(alias)));
  const drafts = read.map((draft) => {
    if (!draft.isProposed) return draft;
    const alias = known.find((player) => isPlayer(draft, player))?.alias ?? nextProposal(draft, taken);
    taken.add(apart(alias));
    return { ...draft, alias };
  });
  return { drafts, blank };
};

/** The first proposal for a player that is none of `taken`, in any spelling. */
const nextProposal = (draft: Draft, taken: ReadonlySet<string>): string => {
  for (const alias of proposals(draft)) if ([...alias].length > 1 && !taken.has(apart(alias))) return alias;
  return "";
};

/** The rows whose alias an earlier row has, with its number: the service sees only the rows of one part of a large file. */
export const sameAliases = (drafts: readonly Draft[]): Map<number, number> => {
  const rowOf = new Map<string, number>();
  const same = new Map<number, number>();
  for (const { row, alias } of drafts) {
    const key = alias.normalize("NFKC").toLowerCase();
    const earlier = rowOf.get(key);
    if (earlier === undefined) rowOf.set(key, row);
    else same.set(row, earlier);
  }
  return same;
};

/** Proposes other aliases for some players, for example because theirs look like those of others. */
export const proposeOthers = (drafts: readonly Draft[], refused: ReadonlySet<number>): Draft[] => {
  const taken = new Set(drafts.map(({ alias }) => apart(alias)));
  return drafts.map((draft) => {
    if (!refused.has(draft.row)) return draft;
    const alias = nextProposal(draft, taken);
    taken.add(apart(alias));
    return { ...draft, alias };
  });
};
