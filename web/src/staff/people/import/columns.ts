/** What the columns of a file are for: guessed from their heads and their cells, as forms and spreadsheets name them. */
import { foldText } from "../../../state/search.ts";
import type { gm } from "../../../text/staff.ts";
import type { CsvTable } from "../../ui/csv.ts";

export type Use = (typeof gm.import.uses)[number][0];

export interface Column {
  /** The head, or the letter of the column if the file has no heads. */
  head: string;
  /** The first values that differ. */
  samples: string[];
}

export interface Sheet {
  columns: Column[];
  rows: CsvTable["rows"];
}

/** A head without accents, punctuation and what is in brackets: `Alias (what others see)` becomes `alias`. */
const bare = (head: string): string =>
  foldText(head)
    .replaceAll(/\([^)]*\)|\[[^\]]*\]/g, " ")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const words = (...heads: string[]): ReadonlySet<string> => new Set(heads.flatMap((head) => head.split("|")));

/** How forms ask for something: `What's your full name?` asks for a full name. */
const ASKING =
  /^(?:(?:what s|what is|whats|please|enter|type|wie ist|wie lautet|bitte|quel est|quelle est|cual es) (?:the |your |dein |deine |ihr |ihre |ton |votre |tu |su )?)+(?=.)/;

/** Heads in English, German, French and Spanish, as {@link bare} makes them. */
const HEADS: readonly (readonly [Use, ReadonlySet<string>])[] = [
  [
    "alias",
    words(
      "alias|your alias|game alias|player alias|nickname|nick name|nick|handle|username|user name|screen name",
      "display name|code name|codename|gamertag|player name|spitzname|spielername|benutzername",
      "pseudo|pseudonyme|surnom|apodo|seudonimo|mote|usuario|nombre de usuario",
    ),
  ],
  [
    "first_name",
    words(
      "first name|firstname|first|first names|given name|given names|givenname|forename|fname|your first name",
      "preferred first name|vorname|vornamen|rufname|prenom|prenoms|nombres|nombre de pila",
    ),
  ],
  [
    "last_name",
    words(
      "last name|lastname|last|surname|family name|familyname|lname|your last name|nachname|familienname",
      "zuname|nom de famille|apellido|apellidos",
    ),
  ],
  [
    "full_name",
    words(
      "name|full name|fullname|your name|your full name|whole name|real name|student name|participant|participant name",
      "vollstandiger name|vor und nachname|nom|nom complet|nom et prenom|prenom et nom|nombre|nombre completo",
      "nombre y apellidos|nombre y apellido",
    ),
  ],
  [
    "email",
    words(
      "email|e mail|mail|email address|e mail address|mail address|emailaddress|email id|your email|school email",
      "your email address|student email|university email|college email|contact email|email adresse|e mail adresse",
      "emailadresse|mailadresse|adresse email|adresse e mail|adresse mail|courriel|adresse courriel|adresse electronique",
      "correo|correo electronico|direccion de correo|direccion de correo electronico|direccion de email",
    ),
  ],
  [
    "labels",
    words("label|labels|tag|tags|kennzeichen|etikett|etiketten|etiquette|etiquettes|etiqueta|etiquetas"),
  ],
];

/** One address, as far as a guess needs it. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** What may stand between two labels. Not a space: then a sentence would be a dozen labels. */
const LABEL_SEPARATOR = /[,;\n]+/;

export const labelsIn = (cell: string): string[] =>
  cell
    .split(LABEL_SEPARATOR)
    .map((label) => label.trim())
    .filter((label) => label !== "");

const isLabel = (label: string): boolean => label.length <= 32 && !/\s/.test(label);

const cellsOf = (rows: Sheet["rows"], at: number): string[] =>
  rows.map(({ cells }) => (cells[at] ?? "").trim()).filter((cell) => cell !== "");

/** Whether the cells of a column may be what its head says. */
const fits = (use: Use, cells: readonly string[]): boolean => {
  if (use === "email") return cells.length === 0 || cells.some((cell) => ADDRESS.test(cell));
  // A few sentences among labels are errors of their rows.
  const labelled = cells.filter((cell) => labelsIn(cell).every(isLabel));
  if (use === "labels") return cells.length === 0 || labelled.length * 2 > cells.length;
  return true;
};

const SAMPLES = 3;
const SAMPLE_LENGTH = 40;

const shortened = (text: string): string =>
  text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH - 1)}…` : text;

/** The letter of a column in a spreadsheet: A to Z, AA and so on. */
const letterOf = (at: number): string =>
  (at < 26 ? "" : letterOf(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));

/** Whether the first row is already a player: then it has an address. */
export const isHeadless = ({ rows: [first] }: Pick<CsvTable, "rows">): boolean =>
  first?.cells.some((cell) => ADDRESS.test(cell.trim())) ?? false;

/** The columns of a table and its rows of players. */
export const sheetOf = ({ rows }: Pick<CsvTable, "rows">, hasHeads: boolean): Sheet => {
  const [first, ...others] = rows;
  const players = hasHeads ? others : rows;
  const heads = first?.cells ?? [];
  const columns = heads.map((head, at): Column => {
    const samples = [...new Set(cellsOf(players, at))].slice(0, SAMPLES).map(shortened);
    const name = head.trim().replaceAll(/\s+/g, " ");
    return { head: hasHeads && name !== "" ? name : letterOf(at), samples };
  });
  return { columns, rows: players };
};

/**
 * What each column is probably for. No use but labels is given to two columns: the first one has it. A column about which
 * there is no guess is ignored.
 */
export const guessUses = ({ columns, rows }: Sheet): Use[] => {
  const guesses = columns.map(({ head }, at): Use => {
    const name = bare(head);
    const asked = name.replace(ASKING, "");
    const [use] = HEADS.find(([, heads]) => heads.has(name) || heads.has(asked)) ?? [];
    return use !== undefined && fits(use, cellsOf(rows, at)) ? use : "ignore";
  });
  const has = (use: Use): boolean => guesses.includes(use);
  // By its cells, if no head says so: a form may ask "Where can we reach you?".
  if (!has("email")) {
    const at = columns.findIndex((_, column) => {
      const cells = cellsOf(rows, column);
      return guesses[column] === "ignore" && cells.length > 0 && cells.every((cell) => ADDRESS.test(cell));
    });
    if (at !== -1) guesses[at] = "email";
  }
  // `Name` beside `Vorname`, and `Nombre` beside `Apellidos`, are one half of a name.
  const [hasFirst, hasLast] = [has("first_name"), has("last_name")];
  const whole: Use =
    hasFirst && hasLast ? "ignore" : hasFirst ? "last_name" : hasLast ? "first_name" : "full_name";
  const given = new Set<Use>();
  return guesses
    .map((use) => (use === "full_name" ? whole : use))
    .map((use) => {
      const isTaken = use !== "labels" && given.has(use);
      given.add(use);
      return isTaken ? "ignore" : use;
    });
};

/** The uses after one of them was chosen for a column: another column that had it is ignored from now on. */
export const withUse = (uses: readonly Use[], at: number, chosen: Use): Use[] =>
  uses.map((use, column) => {
    if (column === at) return chosen;
    const isShared = chosen === "labels" || chosen === "ignore";
    return use === chosen && !isShared ? "ignore" : use;
  });
