/** The rows of an import, and which of them are the same as earlier ones. */
import type { Newcomer } from "../../domain/players/player.ts";
import { guardKeys } from "../../store/accounts/aliasGuards.ts";
import { emailGuard } from "../../store/accounts/emails.ts";

export interface RowError {
  path: string;
  message: string;
  code: string;
  /** The values in the message, and of an alias the nearest valid one. */
  params?: Record<string, string | number> | undefined;
}

/** A row; its number is its own, or else its place in the request, from 1. */
export interface ImportRow {
  row: number;
  /** If the row cannot be parsed, the first 100 characters as entered. */
  alias: string | null;
  /** `null` if the row is invalid. */
  newcomer: Newcomer | null;
  errors: RowError[];
}

/**
 * Makes rows invalid whose alias equals or resembles that of an earlier row or, with `hasUniqueEmail`, that have the same
 * e-mail address.
 */
export const withoutDuplicates = (given: readonly ImportRow[], hasUniqueEmail: boolean): ImportRow[] => {
  const rowOf = new Map<string, number>();
  return given.map((one) => {
    const { row, newcomer } = one;
    if (newcomer === null) return one;
    const guards = guardKeys(newcomer.alias).map(({ pk }) => pk);
    const address = hasUniqueEmail
      ? emailGuard({ player_id: "", email: newcomer.email ?? null })?.pk
      : undefined;
    const all = address === undefined ? guards : [...guards, address];
    const same = all.find((guard) => rowOf.has(guard));
    if (same === undefined) {
      for (const guard of all) rowOf.set(guard, row);
      return one;
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
    return { ...one, newcomer: null, errors: [error] };
  });
};
