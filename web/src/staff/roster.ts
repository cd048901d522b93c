/** All players with their searchable text, shared by the game masters' pages. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { namesTogether } from "../../../lib/domain/accounts/searchText.ts";
import { foldedMatcher, foldText } from "../state/search.ts";
import { snapshot } from "../state/session.ts";
import { read, type StaffPlayer } from "./calls.ts";
import { changeCount } from "./changes.ts";
import { fullName } from "./staffPlayers.ts";

interface Listed {
  player: StaffPlayer;
  /** The searchable text: alias, names, address and labels, folded, each after a line break. */
  text: string;
}

interface Roster {
  /** The player and the role for which it was read. */
  viewer: string;
  players: readonly Listed[];
  error: unknown;
  isLoading: boolean;
}

const PAGE_SIZE = 1_000;

const toListed = (player: StaffPlayer): Listed => {
  const { alias, first_name, last_name, email, labels } = player;
  const parts = [alias, fullName(player), ...namesTogether(first_name, last_name), email ?? "", ...labels];
  return { player, text: foldText(`\n${parts.join("\n")}`) };
};

/** Reads the players of all pages that a filter finds. */
export const readAllPlayers = async (
  filter: { invited?: "true"; missions_below?: number } = {},
): Promise<StaffPlayer[]> => {
  const all: StaffPlayer[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE_SIZE, ...filter, ...(cursor === undefined ? {} : { cursor }) };
    const page = await read("get_players", query);
    all.push(...page.players);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
};

const currentViewer = (): string => {
  const player = snapshot.value?.player;
  return `${player?.player_id} ${player?.role}`;
};

const EMPTY: Roster = { viewer: "", players: [], error: null, isLoading: true };
const roster = signal(EMPTY);
/** The number of the latest request. Responses to earlier ones are ignored. */
let latestRequest = 0;

/** Reads all players. Concurrent calls are allowed; the latest wins. */
export const loadRoster = async (): Promise<void> => {
  latestRequest += 1;
  const request = latestRequest;
  // Another player may have used this tab before.
  if (roster.value.viewer !== currentViewer()) roster.value = { ...EMPTY, viewer: currentViewer() };
  const previous = roster.value;
  try {
    const players = (await readAllPlayers()).map(toListed);
    if (request === latestRequest) roster.value = { ...previous, players, error: null, isLoading: false };
  } catch (error) {
    if (request === latestRequest) roster.value = { ...previous, error, isLoading: false };
  }
};

/** The players in whose alias, names or labels all words of a text are, those whose alias begins with it first. */
export const playersLike = (text: string, players: readonly Listed[], max: number): StaffPlayer[] => {
  const isMatch = foldedMatcher(text);
  const start = foldText(text).trim();
  const found = players.filter((one) => isMatch(one.text)).map(({ player }) => player);
  const isFirst = ({ alias }: StaffPlayer): boolean => foldText(alias).startsWith(start);
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))].slice(0, max);
};

/** Whether a text is nobody's alias; `false` while that is not known, and for no text. */
export const isUnknownAlias = (text: string): boolean => {
  const { players, viewer } = roster.value;
  const alias = foldText(text).trim();
  if (alias === "" || players.length === 0 || viewer !== currentViewer()) return false;
  return !players.some(({ player }) => foldText(player.alias) === alias);
};

/** Reads all players again after an error. */
const reload = (): void => void loadRoster();

/**
 * Returns the players as last read. Reads them again when the page opens and after each command.
 * @param since reads them again also when this changes
 */
export const useRoster = (isNeeded = true, since?: unknown): Roster & { reload: () => void } => {
  const changesSeen = changeCount.value;
  useEffect(() => {
    if (isNeeded) void loadRoster();
  }, [isNeeded, changesSeen, since]);
  return { ...(roster.value.viewer === currentViewer() ? roster.value : EMPTY), reload };
};
