/** Names and order of the players in game masters' lists. */

import type { StaffPlayer } from "../schemas.ts";
import { compareNames } from "../state/search.ts";
import type { gm } from "../text/staff.ts";

export const fullName = ({ first_name, last_name }: Pick<StaffPlayer, "first_name" | "last_name">): string =>
  [first_name, last_name].filter((name) => name !== null).join(" ");

/** A column of the table of players, by which it can be sorted. */
export type SortColumn = (typeof gm.players.columns)[number][0];

const SORT_KEYS: Readonly<Record<SortColumn, (player: StaffPlayer) => string | number>> = {
  alias: ({ alias }) => alias.toLocaleLowerCase(),
  name: (player) => fullName(player).toLocaleLowerCase(),
  state: ({ state }) => state,
  kills: ({ kills }) => -kills,
  labels: ({ labels }) => labels.join(" "),
  // Players without a deadline come last.
  starves: ({ starves_at }) => (starves_at === null ? Number.MAX_VALUE : Date.parse(starves_at)),
};

/** The order of a column, for `aria-sort`. */
export const orderOf = (column: SortColumn): "ascending" | "descending" =>
  column === "kills" ? "descending" : "ascending";

const compare = (one: string | number, other: string | number): number =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : compareNames(String(one), String(other));

/** Sorts players by a column. Equal players keep their order. */
export const sortPlayers = <T extends { player: StaffPlayer }>(
  players: readonly T[],
  column: SortColumn,
): T[] =>
  players
    .map((one) => ({ one, key: SORT_KEYS[column](one.player) }))
    .toSorted((one, other) => compare(one.key, other.key))
    .map(({ one }) => one);
