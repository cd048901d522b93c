/** Parses and validates the rows of an import, without reading the database. */
import * as z from "zod/mini";
import { MAX_LABELS } from "../../domain/accounts/labels.ts";
import type { Newcomer } from "../../domain/players/player.ts";
import { asSentence } from "../../domain/validation.ts";
import { Email, Label, NewAlias, PersonName } from "../../http/fields.ts";
import { distinctIssues, parseShape } from "../../http/requestBody.ts";
import { guardKeys } from "../../store/accounts/aliasGuards.ts";
import { emailGuard } from "../../store/accounts/emails.ts";
import type { RowError } from "./importRequest.ts";

/** The number of a row, as a spreadsheet shows it to whoever looks for the row. */
const RowNumber = z.int().check(z.minimum(1), z.maximum(10_000_000));

const ImportRow = z.strictObject({
  alias: NewAlias,
  first_name: z.optional(PersonName),
  last_name: z.optional(PersonName),
  email: z.optional(Email),
  labels: z.optional(z.array(Label).check(z.maxLength(MAX_LABELS))),
});

/** A row; its number is its own, or else its place in the request, from 1. */
export interface ImportRow {
  row: number;
  /** If the row cannot be parsed, the first 100 characters as entered. */
  alias: string | null;
  /** `null` if the row is invalid. */
  newcomer: Newcomer | null;
  errors: RowError[];
}

/** Drops empty values, because an empty cell of a spreadsheet means no value. */
const withoutEmpty = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).filter(([name, value]) => name === "alias" || (value !== "" && value !== null)),
  );

const parseRow = (given: Record<string, unknown>, at: number): ImportRow => {
  const { row: number, ...fields } = given;
  const row = RowNumber.safeParse(number).data;
  // A number that is none is reported like an unknown field.
  const { value, issues } = parseShape(ImportRow, withoutEmpty(row === undefined ? given : fields));
  const errors = distinctIssues(issues).map((issue): RowError => {
    const { path, message, code = "invalid", params } = asSentence(issue);
    return { path, message, code, ...(params === undefined ? {} : { params }) };
  });
  return {
    row: row ?? at + 1,
    alias: value?.alias ?? (typeof given.alias === "string" ? given.alias.slice(0, 100) : null),
    newcomer: value === undefined ? null : { ...value, labels: [...new Set(value.labels)].sort() },
    errors,
  };
};

/**
 * Parses rows. A row is also invalid if its alias equals or resembles that of an earlier row or, with `hasUniqueEmail`,
 * if it has the same e-mail address.
 */
export const parseRows = (
  given: readonly Record<string, unknown>[],
  hasUniqueEmail: boolean,
): ImportRow[] => {
  const rowOf = new Map<string, number>();
  return given.map(parseRow).map((parsed) => {
    const { row, newcomer } = parsed;
    if (newcomer === null) return parsed;
    const guards = guardKeys(newcomer.alias).map(({ pk }) => pk);
    const address = hasUniqueEmail
      ? emailGuard({ player_id: "", email: newcomer.email ?? null })?.pk
      : undefined;
    const all = address === undefined ? guards : [...guards, address];
    const same = all.find((guard) => rowOf.has(guard));
    if (same === undefined) {
      for (const guard of all) rowOf.set(guard, row);
      return parsed;
    }
    const earlier = rowOf.get(same);
    const error: RowError =
      same === address
        ? { path: "email", message: `The e-mail address is that of row ${earlier}.`, code: "duplicate" }
        : {
            path: "alias",
            message: `The alias is that of row ${earlier}, or looks like it.`,
            code: "duplicate",
          };
    return { ...parsed, newcomer: null, errors: [error] };
  });
};
