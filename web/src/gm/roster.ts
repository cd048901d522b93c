/** All players, read once for all pages, with what a search looks through. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { folded } from "../search.ts";
import { snapshot } from "../session.ts";
import { read, type StaffPlayer } from "./calls.ts";
import { changes } from "./plan.tsx";

interface Listed {
  player: StaffPlayer;
  /** Alias, names, address and labels, folded, each after a line break. */
  text: string;
}

interface Roster {
  /** Who may see it, and as what. */
  viewer: string;
  players: readonly Listed[];
  error: unknown;
  isLoading: boolean;
}

const PAGE = 1_000;

export const fullName = ({ first_name, last_name }: Pick<StaffPlayer, "first_name" | "last_name">): string =>
  [first_name, last_name].filter((name) => name !== null).join(" ");

const listed = (player: StaffPlayer): Listed => {
  const parts = [player.alias, fullName(player), player.email ?? "", ...player.labels];
  return { player, text: folded(`\n${parts.join("\n")}`) };
};

const readAll = async (): Promise<Listed[]> => {
  const all: Listed[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const page = await read("/admin/get_players/{url_id}", query);
    all.push(...page.players.map(listed));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
};

const viewer = (): string => {
  const player = snapshot.value?.player;
  return `${player?.player_id} ${player?.role}`;
};

const EMPTY: Roster = { viewer: "", players: [], error: null, isLoading: true };
const roster = signal(EMPTY);
/** Counts the readings, so that a slow earlier one does not replace a later one. */
let latest = 0;

export const loadRoster = async (): Promise<void> => {
  latest += 1;
  const own = latest;
  // What somebody else has read in this tab is not shown.
  if (roster.value.viewer !== viewer()) roster.value = { ...EMPTY, viewer: viewer() };
  const before = roster.value;
  try {
    const players = await readAll();
    if (own === latest) roster.value = { ...before, players, error: null, isLoading: false };
  } catch (error) {
    if (own === latest) roster.value = { ...before, error, isLoading: false };
  }
};

/** The players as last read, which are read again when the page opens and after each command. */
export const useRoster = (isNeeded = true): Roster => {
  const done = changes.value;
  useEffect(() => {
    if (isNeeded) void loadRoster();
  }, [isNeeded, done]);
  return roster.value.viewer === viewer() ? roster.value : EMPTY;
};
